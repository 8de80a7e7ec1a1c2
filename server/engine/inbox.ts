/**
 * Input that waits (engine specification 8.1): a sticky list of the conversation. A queued item is the message itself, the content
 * that its user entry will have; nothing of it is in the transcript before it lands. It survives a restart and goes into no fork.
 */
import { conversationList, conversationValue } from './address.ts';
import type { Id, Json } from './records.ts';

/** What an item waits for, and whether a generation follows it; see `landsAt` and `requestsGeneration` in landing.ts. */
export type InboxMode = 'write' | 'steer' | 'followUp' | 'nextRun';
export interface InboxItem {
  readonly mode: InboxMode;
  /** Content of the user entry. */
  readonly message: Json;
}
/** How much a landing takes of one mode; a mode without one: 'all'. */
export type InboxLanding = Readonly<Partial<Record<InboxMode, 'all' | 'oldest'>>>;

export const inbox = conversationList<InboxItem>('engine.inbox', { rewind: false });
export const inboxLanding = conversationValue<InboxLanding>('engine.inbox.landing', { rewind: false });

/** Key of the entry that an item landed as: what was queued is found again by the id that its acceptance gave out. */
export function queuedKey(element: Id): string {
  return `queued:${element}`;
}

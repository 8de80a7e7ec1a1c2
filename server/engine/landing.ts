/**
 * Where queued input becomes part of the transcript (engine specification 8.1). Three places land it: the join of a tool exchange, a
 * final answer, and input to an idle conversation. Selecting, appending, removing, and the generation that follows are one commit,
 * the caller's: so what is cancelled first does not land, and what has landed is not cancelled.
 */
import type { ConversationTx } from './conversation-tx.ts';
import { inbox, inboxLanding, queuedKey } from './inbox.ts';
import type { InboxItem, InboxMode } from './inbox.ts';
import type { Element, Id } from './records.ts';
import { bound } from './address.ts';
import { appendUser } from './user-input.ts';

export type LandingPlace = 'post_tools' | 'final' | 'accept';
export interface Landed {
  /** In the order of admission. */
  readonly entries: readonly Id[];
  /** The newest entry that asks for a generation; undefined when none of them does. */
  readonly requestedBy: Id | undefined;
}

const landsAt: Readonly<Record<InboxMode, ReadonlySet<LandingPlace>>> = {
  write: new Set<LandingPlace>(['post_tools', 'final']),
  steer: new Set<LandingPlace>(['post_tools', 'final']),
  followUp: new Set<LandingPlace>(['final']),
  nextRun: new Set<LandingPlace>(['accept']),
};
const requestsGeneration: Readonly<Record<InboxMode, boolean>> = { write: false, steer: true, followUp: true, nextRun: true };

/** Appends a user entry for each item that may land there and takes the items off the inbox. Creates no generation. */
export function landQueued(tx: ConversationTx, at: LandingPlace): Landed {
  const entries: Id[] = [];
  let requestedBy: Id | undefined;
  for (const { id, value } of eligible(tx, at)) {
    const entry = appendUser(tx, value.message, queuedKey(id));
    tx.list(inbox).remove(id);
    entries.push(entry);
    if (requestsGeneration[value.mode]) requestedBy = entry;
  }
  return { entries, requestedBy };
}

function eligible(tx: ConversationTx, at: LandingPlace): readonly Element<InboxItem>[] {
  const items = tx.whole.soFar.elements(bound(inbox, tx.conversationId));
  if (items.length === 0) return [];
  const landing = tx.whole.soFar.value(bound(inboxLanding, tx.conversationId)) ?? {};
  const begun = new Set<InboxMode>();
  return items.filter(({ value: { mode } }) => {
    if (!landsAt[mode].has(at)) return false;
    if (landing[mode] === 'oldest' && begun.has(mode)) return false;
    begun.add(mode);
    return true;
  });
}

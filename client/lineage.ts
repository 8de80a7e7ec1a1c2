/** Which entries a conversation shows: its own, and those of the ones it was forked from, up to the fork. */
import type { ConversationView } from '../server/protocol/views.ts';

/** Does the transcript of `shown` hold the entry `entry` of conversation `of`? Entry ids rise along a transcript. */
export function holdsEntry(conversations: readonly ConversationView[], shown: number, of: number, entry: number): boolean {
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  let at: number | null = shown;
  let bound = Number.POSITIVE_INFINITY;
  for (let steps = 0; at !== null && steps <= conversations.length; steps += 1) {
    if (at === of) return entry <= bound;
    const parent: ConversationView['parent'] = byId.get(at)?.parent ?? null;
    if (parent === null) return false;
    bound = Math.min(bound, parent.at);
    at = parent.conversation;
  }
  return false;
}

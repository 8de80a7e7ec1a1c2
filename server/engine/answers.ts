/** What was answered to an input (engine specification 9.1). Nothing maps the one to the other: it is read off the transcript. */
import { queuedKey } from './inbox.ts';
import type { Entry, Id } from './records.ts';
import { end } from './storage.ts';
import type { StorageReads } from './storage.ts';
import { assistantEntry, userEntry } from './user-input.ts';

/**
 * The last assistant entry after the input and before the next user entry, or the end. `input`: an entry of the conversation, or the
 * inbox element that it waited as. Undefined when there is no such entry, when the element has not landed, and when nothing was
 * answered. Two indexed reads of one entry each, however long the conversation is.
 */
export function answerTo(reads: StorageReads, conversationId: Id, input: Id): Entry | undefined {
  const from = inputEntry(reads, conversationId, input);
  if (from === undefined) return undefined;
  const [next] = reads.scanEntries({ conversationId, kind: userEntry, after: from, limit: 1 }).items;
  return reads.readEntries({ conversationId, kind: assistantEntry, from, before: next?.id ?? end, limit: 1 }).items[0];
}

function inputEntry(reads: StorageReads, conversationId: Id, input: Id): Id | undefined {
  const [entry] = reads.scanEntries({ conversationId, from: input, through: input, limit: 1 }).items;
  if (entry !== undefined) return entry.id;
  return reads.scanEntries({ conversationId, kind: userEntry, key: queuedKey(input), limit: 1 }).items[0]?.id;
}

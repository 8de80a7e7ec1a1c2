/**
 * Accepting input (engine specification 8.1): an idle conversation gets the entry and a generation in one commit; a busy one keeps the
 * input in its inbox until it lands. Whether it is busy is looked at on the line, so input never falls between the two.
 */
import type { ConversationTx } from './conversation-tx.ts';
import { builtInTasks, startGeneration } from './built-in-tasks.ts';
import { inbox } from './inbox.ts';
import type { InboxMode } from './inbox.ts';
import { landQueued } from './landing.ts';
import type { Id } from './records.ts';
import { appendUser, userContent } from './user-input.ts';
import type { UserInput } from './user-input.ts';

/** The entry that it is, or the inbox element that it waits as. Both are ids to ask an answer for. */
export type Acceptance = { readonly entryId: Id } | { readonly queued: Id };
export type WhenBusy = 'followUp' | 'steer';
export interface RequestOptions {
  /** The caller's own id for what it asks, kept for the life of the session. */
  readonly requestId?: string;
}
export interface AcceptOptions extends RequestOptions {
  /** When the input lands if the conversation is busy. Absent: 'followUp'. */
  readonly whenBusy?: WhenBusy;
}
export interface PromptOptions extends AcceptOptions {
  /** Ends the wait, not the work. */
  readonly signal?: AbortSignal;
}

/** Throws Rejected `unknownKind` when no generation or no user entry is registered. */
export function acceptIn(tx: ConversationTx, input: UserInput, whenBusy: WhenBusy = 'followUp'): Acceptance {
  tx.whole.kinds.task(builtInTasks.generation);
  if (tx.whole.soFar.isBusy(tx.conversationId)) return queueIn(tx, input, whenBusy);
  landQueued(tx, 'accept');
  const entryId = appendUser(tx, userContent(input));
  startGeneration(tx, entryId);
  return { entryId };
}

/** As `acceptIn`, without a generation; what waits for the next run goes on waiting. */
export function writeIn(tx: ConversationTx, input: UserInput): Acceptance {
  if (tx.whole.soFar.isBusy(tx.conversationId)) return queueIn(tx, input, 'write');
  return { entryId: appendUser(tx, userContent(input)) };
}

export function queueIn(tx: ConversationTx, input: UserInput, mode: InboxMode): Acceptance {
  return { queued: tx.list(inbox).append({ mode, message: userContent(input) }) };
}

/** Whoever comes first on the line has it: an item that landed, or was cancelled, is not found. */
export function cancelQueuedIn(tx: ConversationTx, element: Id): 'cancelled' | 'not_found' {
  const [found] = tx.list(inbox).read({ after: element - 1, limit: 1 }).items;
  if (found?.id !== element) return 'not_found';
  tx.list(inbox).remove(element);
  return 'cancelled';
}

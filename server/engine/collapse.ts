/** Asking for a collapse (engine specification 8.4): what it will replace is captured when its task is created. */
import { builtInTasks, capturedConfig } from './built-in-tasks.ts';
import type { CollapseInput } from './built-in-tasks.ts';
import { lastCompleteExchange } from './complete-exchange.ts';
import type { ConversationTx } from './conversation-tx.ts';
import { Rejected } from './errors.ts';
import type { Id } from './records.ts';
import { end } from './storage.ts';

export interface CollapseOptions {
  /** Manual ones are background work, the others are foreground. */
  readonly reason?: CollapseInput['reason'];
  readonly instructions?: string;
}

/**
 * The id of the conversation's live collapse, created if there is none. Throws Rejected `unknownKind` when no collapse is registered,
 * `exchange` when the context has no complete exchange to replace.
 */
export function collapseIn(tx: ConversationTx, { reason = 'manual', instructions }: CollapseOptions = {}): Id {
  const { committed, kinds, soFar } = tx.whole;
  const kind = kinds.task(builtInTasks.collapse);
  const live = soFar.live(tx.conversationId).find((task) => task.kind === builtInTasks.collapse);
  if (live !== undefined) return live.id;
  const through = lastCompleteExchange(committed, kinds, tx.conversationId);
  if (through === undefined)
    throw new Rejected('exchange', `conversation ${tx.conversationId} has no complete exchange in its context to collapse`);
  const [retained] = committed.scanEntries({ conversationId: tx.conversationId, after: through, limit: 1 }).items;
  const head = committed.newestHead(tx.conversationId, end);
  const state: CollapseInput = {
    reason,
    through,
    ...(retained === undefined ? {} : { retainFrom: retained.id }),
    ...(head === undefined ? {} : { head: head.id }),
    ...(instructions === undefined ? {} : { instructions }),
    ...capturedConfig(tx, kind),
  };
  return tx.task(kind, { state, ...(reason === 'manual' ? { background: true as const } : {}) });
}

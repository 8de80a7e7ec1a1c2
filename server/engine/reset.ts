/** Beginning a new context (engine specification 2.3): the transcript keeps everything, work goes on, nothing is asked for. */
import type { ConversationTx } from './conversation-tx.ts';
import type { Id } from './records.ts';

/** A handoff, which the model sees, when there is a text; else a reset. Throws Rejected `unknownKind` when the kind is not registered. */
export function resetIn(tx: ConversationTx, handoff?: string): Id {
  const { kinds } = tx.whole;
  return handoff === undefined ? tx.entry(kinds.entry('reset'), {}) : tx.entry(kinds.entry('handoff'), { text: handoff });
}

/**
 * What a session that is gone on with does not have yet: of the thread's context, what came since it was left. What an earlier head gave
 * the model then and gives it now (a compaction's summary) it has.
 */
import type { ContextMessage } from '../ledger/context.ts';

/** `then`: the context at the entry `since`. Both in order. */
export function deltaOf(
  context: readonly ContextMessage[],
  then: readonly ContextMessage[],
  since: number,
): readonly ContextMessage[] {
  const known = new Set(then.filter(({ head }) => head).map(({ message }) => JSON.stringify(message)));
  return context.filter(
    ({ entries, head, message }) => Math.max(...entries) > since && !(head && known.has(JSON.stringify(message))),
  );
}

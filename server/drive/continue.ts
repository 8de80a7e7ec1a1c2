/**
 * Moves a thread to another harness: checks, baton, what goes on the disk, read back (compose.ts), and then a task that puts it there and
 * makes it the thread's (continue-kind.ts). Nothing is written, and no task is made, before every check has passed.
 */
import { findThread } from '../ledger/lookup.ts';
import type { ContinueParams, ContinueResult } from '../protocol/requests.ts';
import { compose } from './compose.ts';
import type { ComposeDependencies } from './compose.ts';
import { handoffOf } from './handoff.ts';
import type { Handovers } from './handovers.ts';

export interface ContinueDependencies extends ComposeDependencies {
  readonly handovers: Handovers;
}

/** Throws `Fault` T001, T002, C001 to C006, C008 to C012; then nothing was changed. */
export async function continueThread(params: ContinueParams, deps: ContinueDependencies): Promise<ContinueResult> {
  const { ledger, now, handovers } = deps;
  const thread = findThread(ledger, params.thread);
  if (params.dryRun) return (await compose(thread, params, deps)).result;
  return handovers.claimed(thread.id, params, async () => {
    const composed = await compose(thread, params, deps);
    const lease = await handovers.carry(handoffOf(thread, composed, now()));
    return { ...composed.result, lease };
  });
}

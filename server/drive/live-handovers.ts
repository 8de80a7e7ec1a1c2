/** Hand-overs that are not over: under way in the process that owns the ledger, or left by one that was killed. */
import { TaskPoisoned } from '../engine/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { asTask } from '../engine/kinds.ts';
import type { Task } from '../engine/records.ts';
import { continueTask } from '../ledger/continue-task.ts';
import type { ContinueState } from '../ledger/continue-task.ts';
import { Fault } from '../protocol/faults.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';

export function liveHandovers(engine: Engine): readonly Task<ContinueState>[] {
  return engine.liveTasks().flatMap((task) => asTask(continueTask, task) ?? []);
}

/** Cancels those of the thread that nothing runs, and waits until they are taken back. Throws `Fault` C005 when one cannot be. */
export async function endLeftovers(engine: Engine, thread: string): Promise<void> {
  const running = new Set(engine.running);
  const left = liveHandovers(engine).filter(({ id, state }) => state.thread === thread && !running.has(id));
  if (left.length === 0) return;
  await engine.commit((tx) => {
    for (const task of left) tx.patch(task, { abort: true });
  });
  for (const task of left) {
    try {
      await engine.conversation(task.conversationId)?.drive();
    } catch (error) {
      if (!(error instanceof TaskPoisoned)) throw error;
      throw new Fault('C005', `An earlier hand-over to ${harnessNames[task.state.to]} cannot be taken back: ${error.message}`);
    }
  }
}

/**
 * Carries a thread, as a task: asked, writing, done. The intent (path, hash, native id) is committed before the file exists, with the
 * ledger's `pending` row, so that ingest leaves the file alone; one commit then makes the session the thread's and settles the task.
 *
 * A hand-over that was broken off is taken back, never finished later: whoever asked saw it fail, its baton tells of a worktree that
 * may have changed since, and the thread must not change hands while nobody looks. It can be asked for again at any time. For the same
 * reason one that had only been asked for does not begin in another process.
 */
import { Rejected, UncertainPersistence } from '../engine/errors.ts';
import type { TaskKind } from '../engine/kinds.ts';
import type { Task } from '../engine/records.ts';
import type { TaskContext } from '../engine/task-context.ts';
import { continueTask } from '../ledger/continue-task.ts';
import type { ContinueState, ContinueStatus } from '../ledger/continue-task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Fault } from '../protocol/faults.ts';
import { sha256 } from './handoff.ts';
import type { Handoff, HandoffStep } from './handoff.ts';
import { registerHandoff } from './register.ts';
import { takeBack } from './take-back.ts';
import type { World } from './world.ts';

/** A hand-over that somebody in this process waits for, and what its execution tells them. */
export interface Carried {
  readonly handoff: Handoff;
  isDone: boolean;
  /** For which it was taken back, when that was no refusal. */
  failure: unknown;
}
export interface ContinueWork {
  readonly ledger: Ledger;
  readonly world: World;
  /** By the id of the session that is written. */
  readonly carried: ReadonlyMap<string, Carried>;
  readonly onStep: (step: HandoffStep) => void;
}
type Continue = Task<ContinueState>;

export function continueKind(work: ContinueWork): TaskKind<ContinueState> {
  return {
    ...continueTask,
    async execute(task, context) {
      work.onStep('executing');
      const carried = work.carried.get(task.state.nativeId);
      if (carried === undefined) return settle(work, task, context, 'undone');
      const { handoff } = carried;
      const { root, written } = handoff;
      const intended = await intend(work, handoff, task, context);
      work.onStep('intended');
      context.signal.throwIfAborted();
      const refusal = work.world.writeNew(root, written.path, written.bytes, written.mode);
      if (refusal !== undefined) return settle(work, intended, context, 'refused', { id: 'C005', detail: refusal });
      work.onStep('written');
      try {
        await registerHandoff(work.ledger, handoff, intended, context, () => work.onStep('settling'));
      } catch (error) {
        // Cancelled, or the session is closed or unsure: whoever comes next takes it back.
        context.signal.throwIfAborted();
        if (error instanceof UncertainPersistence || (error instanceof Rejected && error.code === 'closed')) throw error;
        if (error instanceof Fault) return undo(work, intended, context, 'refused', { id: error.id, detail: error.detail });
        carried.failure = error;
        return undo(work, intended, context, 'undone');
      }
      carried.isDone = true;
      work.onStep('settled');
    },
    async recover(task, context) {
      await undo(work, task, context, 'undone');
    },
    async abort(task, context) {
      await undo(work, task, context, 'undone');
    },
  };
}

async function intend({ ledger, onStep }: ContinueWork, { written, at }: Handoff, task: Continue, context: TaskContext) {
  const { to, nativeId } = task.state;
  const intent = { path: written.path, sha256: sha256(written.bytes) };
  await context.commit((tx) => tx.patch(task, { status: 'writing' satisfies ContinueStatus, state: intent }), {
    within: () => {
      ledger.handoffs.begin({ harness: to, native_id: nativeId, ...intent, at });
      onStep('intending');
    },
  });
  return { ...task, state: { ...task.state, ...intent } };
}

/** As settle, after its file is gone, if it has one. */
async function undo(
  work: ContinueWork,
  task: Continue,
  context: TaskContext,
  status: 'refused' | 'undone',
  fault?: ContinueState['fault'],
): Promise<void> {
  const { path, sha256: hash } = task.state;
  work.onStep('takingBack');
  const isGoneOnWith = path !== undefined && hash !== undefined && takeBack(work.world, path, hash) === 'goneOnWith';
  work.onStep('takenBack');
  await settle(work, task, context, isGoneOnWith ? 'abandoned' : status, fault);
}

async function settle(
  { ledger }: ContinueWork,
  task: Continue,
  context: TaskContext,
  status: 'refused' | 'undone' | 'abandoned',
  fault?: ContinueState['fault'],
): Promise<void> {
  const { to, nativeId } = task.state;
  await context.commit((tx) => tx.settle(task, status, fault === undefined ? {} : { fault }), {
    within: () => ledger.handoffs.end(to, nativeId, status === 'abandoned' ? 'abandoned' : 'undone'),
  });
}

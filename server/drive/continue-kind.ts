/**
 * Carries a thread, as a task: asked, writing, done. The intent (path, hash, place, native id) is committed before anything is written, with
 * the ledger's `pending` row, so that ingest leaves the file alone; one commit then makes the session the thread's and settles the task.
 *
 * A hand-over that was broken off is taken back, never finished later: whoever asked saw it fail, its baton tells of a worktree that
 * may have changed since, and the thread must not change hands while nobody looks. It can be asked for again at any time. For the same
 * reason one that had only been asked for does not begin in another process.
 */
import path from 'node:path';
import { Rejected, UncertainPersistence } from '../engine/errors.ts';
import type { TaskKind } from '../engine/kinds.ts';
import type { Task } from '../engine/records.ts';
import type { TaskContext } from '../engine/task-context.ts';
import { continueTask } from '../ledger/continue-task.ts';
import type { ContinueState, ContinueStatus } from '../ledger/continue-task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Fault } from '../protocol/faults.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { intentOf, keep, make, takeBack } from './change.ts';
import type { Handoff, HandoffStep } from './handoff.ts';
import { batonFolder, oldBatons } from './make-prompt.ts';
import { registerHandoff } from './register.ts';
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
  /** By the hand-over's id. */
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
      const intended = await intend(work, handoff, task, context);
      work.onStep('intended');
      context.signal.throwIfAborted();
      const refusal = make(work.world, handoff.change, work.ledger.folder);
      if (refusal !== undefined) {
        const fault = { id: refusal.kind === 'changed' ? 'C009' : 'C005', detail: refusal.detail } as const;
        // Of a new file nothing is left then, and what stands in its place is another's.
        return handoff.change.kind === 'new'
          ? settle(work, intended, context, 'refused', fault)
          : undo(work, intended, context, 'refused', fault);
      }
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
      tidy(work, handoff);
    },
    async recover(task, context) {
      await undo(work, task, context, 'undone');
    },
    async abort(task, context) {
      await undo(work, task, context, 'undone');
    },
  };
}

async function intend({ ledger, onStep }: ContinueWork, { change, at }: Handoff, task: Continue, context: TaskContext) {
  const { to, nativeId } = task.state;
  const intent = intentOf(change);
  await context.commit((tx) => tx.patch(task, { status: 'writing' satisfies ContinueStatus, state: intent }), {
    within: () => {
      const { path: file, sha256, offset } = intent;
      ledger.handoffs.begin({ harness: to, native_id: nativeId, path: file, sha256, offset, at });
      onStep('intending');
    },
  });
  return { ...task, state: { ...task.state, ...intent } };
}

/** Batons of a thread that are kept. */
const mostBatons = 10;

/** What is of no use once it is done. Nothing depends on it: what cannot be removed stays. */
function tidy({ world, ledger }: ContinueWork, { change, carrier, thread }: Handoff): void {
  try {
    keep(world, change, ledger.folder);
    if (carrier.mode !== 'prompt') return;
    const folder = batonFolder(ledger.folder);
    for (const name of oldBatons(world.list(folder), thread.id, mostBatons)) world.remove(path.join(folder, name));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** As settle, after what it wrote is gone, if it has written anything. */
async function undo(
  work: ContinueWork,
  task: Continue,
  context: TaskContext,
  status: 'refused' | 'undone',
  fault?: ContinueState['fault'],
): Promise<void> {
  const { path: file, sha256, offset = 0, beside } = task.state;
  work.onStep('takingBack');
  const isGoneOnWith =
    file !== undefined &&
    sha256 !== undefined &&
    takeBack(work.world, { path: file, sha256, offset, ...(beside === undefined ? {} : { beside }) }, work.ledger.folder) ===
      'goneOnWith';
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

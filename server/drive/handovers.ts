/**
 * The hand-overs of one ledger in the process that owns it: who asked for which, and the way from a request to its task and back. At
 * most one hand-over of a thread is under way: a request claims its thread from its arrival on, and the commit that makes the task
 * refuses when another task of the thread is live.
 */
import { Rejected, TaskPoisoned, UncertainPersistence } from '../engine/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { continueTask } from '../ledger/continue-task.ts';
import type { ContinueState, ContinueStatus } from '../ledger/continue-task.ts';
import { asFault, errorCode } from '../ledger/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Fault } from '../protocol/faults.ts';
import type { Task } from '../engine/records.ts';
import { continueKind } from './continue-kind.ts';
import type { Carried } from './continue-kind.ts';
import type { Handoff, HandoffStep, Lease } from './handoff.ts';
import { endLeftovers, liveHandovers } from './live-handovers.ts';
import type { World } from './world.ts';

export interface HandoversOptions {
  /** No session of it may be open yet. */
  readonly ledger: Ledger;
  readonly world: World;
  /** Told of every step when it is reached. */
  readonly onStep?: (step: HandoffStep) => void;
}

export class Handovers {
  readonly #ledger: Ledger;
  readonly #onStep: (step: HandoffStep) => void;
  readonly #carried = new Map<string, Carried>();
  /** By the thread's id. */
  readonly #claims = new Map<string, object>();

  constructor({ ledger, world, onStep = () => undefined }: HandoversOptions) {
    this.#ledger = ledger;
    this.#onStep = onStep;
    ledger.executes(continueKind({ ledger, world, onStep, carried: this.#carried }));
  }

  /** While `work` lasts the thread is `by`'s to continue, who may claim it again meanwhile. Throws `Fault` C008. */
  async claimed<T>(thread: string, by: object, work: () => Promise<T>): Promise<T> {
    const holder = this.#claims.get(thread);
    if (holder === by) return work();
    if (holder !== undefined) throw new Fault('C008', thread);
    this.#claims.set(thread, by);
    try {
      return await work();
    } finally {
      this.#claims.delete(thread);
    }
  }

  /**
   * Carries it and waits for its end. Throws the `Fault` it was refused with (C005, C008, C009), one of the ledger's, or the error for
   * which it was taken back; nothing is left of it then, or will be once the ledger is opened again.
   */
  async carry(handoff: Handoff): Promise<Lease> {
    const { thread, id } = handoff;
    const carried: Carried = { handoff, isDone: false, failure: undefined };
    this.#carried.set(id, carried);
    let task = 0;
    try {
      this.#onStep('composed');
      using held = await this.#ledger.hold(thread.session);
      await endLeftovers(held.engine, thread.id);
      task = await ask(held.engine, handoff, (made) => (task = made));
      this.#onStep('asked');
      const outcome = await held.engine.conversation(thread.current_conversation)?.drive();
      if (outcome !== 'idle') {
        // Its last step may have been under way.
        await held.engine.close();
        if (carried.isDone) return { epoch: thread.lease_epoch + 1, holder: handoff.shuttle.harness };
        throw new Rejected('closed', 'The ledger was closed before the thread was carried.');
      }
      return answer(held.engine.getTask(continueTask, task), carried);
    } catch (error) {
      this.#carried.delete(id);
      if (!(error instanceof TaskPoisoned || error instanceof UncertainPersistence)) throw this.#told(error);
      const lease = await this.#settled(handoff, task, error);
      if (lease !== undefined) return lease;
      throw this.#told(error.cause);
    } finally {
      this.#carried.delete(id);
    }
  }

  /** What the database failed with is a fault of the ledger; what a session's folder failed with is not. */
  #told(error: unknown): unknown {
    return errorCode(error).startsWith('SQLITE') ? asFault(error, this.#ledger.folder) : error;
  }

  /** What became of it after all; ends it when it is not over. undefined: it is as if it had not been asked for. */
  async #settled({ thread, id }: Handoff, task: number, error: Error): Promise<Lease | undefined> {
    if (error instanceof UncertainPersistence) this.#ledger.forget(thread.session);
    try {
      using held = await this.#ledger.hold(thread.session);
      await endLeftovers(held.engine, thread.id);
      const settled = held.engine.getTask(continueTask, task);
      return settled?.state.nativeId === id && settled.status === 'done' ? leaseAfter(settled.state) : undefined;
    } catch {
      // The cause is what is told; whoever continues the thread next, or opens the ledger, ends it.
      return undefined;
    }
  }
}

/** `made` is told the task's id before it is known to last. */
async function ask(
  engine: Engine,
  { thread, shuttle, id: nativeId, carrier }: Handoff,
  made: (id: number) => void,
): Promise<number> {
  return engine.commit((tx) => {
    if (liveHandovers(engine).some(({ state }) => state.thread === thread.id)) throw new Fault('C008', thread.id);
    const id = tx.task(continueTask, {
      conversationId: thread.current_conversation,
      state: {
        thread: thread.id,
        from: thread.harness,
        to: shuttle.harness,
        mode: carrier.mode,
        nativeId,
        epoch: thread.lease_epoch,
      },
    });
    made(id);
    return id;
  });
}

function answer(task: Task<ContinueState> | undefined, { failure }: Carried): Lease {
  if (task === undefined) throw new Error('a hand-over that was asked for is not there');
  const { fault } = task.state;
  if ((task.status as ContinueStatus) === 'done') return leaseAfter(task.state);
  if (fault !== undefined) throw new Fault(fault.id, fault.detail);
  throw failure ?? new Error('The hand-over was cancelled; nothing was changed.');
}

function leaseAfter({ epoch, to }: ContinueState): Lease {
  return { epoch: epoch + 1, holder: to };
}

/**
 * A kind with a preview whose executions the test plays: each waits, inflight, with its context in the test's hands, until the test
 * ends it. Its scratch has the pieces that its preview's text is made of, so that the preview can be built again from them.
 */
import { conversationValue, scratchList } from '../address.ts';
import type { HookPoints } from '../hook-points.ts';
import type { TaskKind } from '../kinds.ts';
import type { Id, Json, Task } from '../records.ts';
import type { TaskContext } from '../task-context.ts';

export interface Output {
  text: string;
  lines: string[];
  details?: { [key: string]: Json };
}
export type PuppetContext = TaskContext<Output>;
interface Played {
  readonly context: PuppetContext;
  readonly end: () => void;
}
export interface PuppetState {
  readonly attempt?: number;
  readonly notBefore?: number;
  readonly handle?: string;
  readonly result?: Id;
}

export const pieces = scratchList<string>('pieces');
export const puppetConfig = {
  model: conversationValue<string>('puppet.model', { rewind: true }),
  effort: conversationValue<number>('puppet.effort', { rewind: false }),
};

const roles = {
  pending: 'start',
  retry_wait: 'start',
  deferred: 'start',
  running: 'inflight',
  done: 'terminal',
  aborted: 'terminal',
} as const;

export class Puppet {
  /** How often a preview was built. */
  inits = 0;
  readonly kind: TaskKind<PuppetState, HookPoints, typeof puppetConfig, Output>;
  readonly #played = new Map<Id, Played>();
  readonly #waiting = new Map<Id, (played: Played) => void>();

  constructor(name = 'puppet') {
    const play = async (task: Task<PuppetState>, context: PuppetContext): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      context.signal.addEventListener('abort', () => resolve(), { once: true });
      const played = { context, end: resolve };
      this.#played.set(task.id, played);
      this.#waiting.get(task.id)?.(played);
      await promise;
    };
    this.kind = {
      kind: name,
      initialStatus: 'pending',
      roles,
      config: puppetConfig,
      preview: {
        init: (scratch) => {
          this.inits++;
          const { items } = scratch.list(pieces);
          return { text: items.map(({ value }) => value).join(''), lines: [] };
        },
      },
      async execute(task, context) {
        await context.commit((tx) => tx.patch(task, { status: 'running' }));
        await play(task, context);
      },
      recover: play,
      async abort(task, context) {
        await context.commit((tx) => tx.settle(task, 'aborted'));
      },
    };
  }

  /** The context of the task's execution, once it runs. */
  async running(task: Id): Promise<PuppetContext> {
    const { context } = this.#played.get(task) ?? (await new Promise<Played>((resolve) => void this.#waiting.set(task, resolve)));
    return context;
  }

  /** One piece of output: mutated, then committed to scratch. */
  async stream(task: Id, piece: string): Promise<void> {
    const context = await this.running(task);
    context.preview.state.text += piece;
    await context.scratch((scratch) => scratch.list(pieces).append(piece));
  }

  /** Settles the task; its execution returns. */
  async settle(task: Id, outcome: PuppetState = {}): Promise<void> {
    const context = await this.running(task);
    await context.commit((tx) => tx.settle(task, 'done', outcome));
    this.#played.get(task)?.end();
  }

  /** Its execution returns with the task put off: it is executed again. */
  async putOff(task: Id, status: 'retry_wait' | 'deferred', state: PuppetState): Promise<void> {
    const context = await this.running(task);
    const played = this.#played.get(task);
    this.#played.delete(task);
    await context.commit((tx) => tx.patch(task, { status, state }));
    played?.end();
  }
}

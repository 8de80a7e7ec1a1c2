/** Task kinds whose calls are given by a test; what a test leaves out does the obvious. All calls are logged. */
import type { TaskKind } from '../kinds.ts';
import type { Task } from '../records.ts';
import type { TaskContext } from '../task-context.ts';

export interface ScriptState {
  readonly name: string;
  readonly note?: string;
}
export type ScriptTask = Task<ScriptState>;
export type ScriptCall = (task: ScriptTask, context: TaskContext) => Promise<void>;

const statuses = {
  waiting: 'start',
  running: 'inflight',
  done: 'terminal',
  failed: 'terminal',
  aborted: 'terminal',
} as const;

export class Scripts {
  /** `execute a`, in the order of the calls. */
  readonly log: string[] = [];
  /** Names of the tasks whose calls are running. */
  readonly running: string[] = [];

  kind(kind: string, calls: Partial<Record<'execute' | 'recover' | 'abort', ScriptCall>> = {}): TaskKind<ScriptState> {
    const { execute = start, recover = settleAs('done'), abort = settleAs('aborted') } = calls;
    return {
      kind,
      initialStatus: 'waiting',
      roles: statuses,
      execute: this.#logged('execute', execute),
      recover: this.#logged('recover', recover),
      abort: this.#logged('abort', abort),
    };
  }

  #logged(name: string, call: ScriptCall): ScriptCall {
    return async (task, context) => {
      this.log.push(`${name} ${task.state.name}`);
      this.running.push(task.state.name);
      try {
        await call(task, context);
      } finally {
        this.running.splice(this.running.indexOf(task.state.name), 1);
      }
    };
  }
}

/** Becomes running, then done. */
export const start: ScriptCall = async (task, context) => {
  await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
  await context.commit((tx) => tx.settle(task.id, 'done'));
};

export function settleAs(status: string): ScriptCall {
  return async (task, context) => context.commit((tx) => tx.settle(task.id, status));
}

/** Becomes running, does what is to be done outside, then is done. */
export function running(effect: ScriptCall): ScriptCall {
  return async (task, context) => {
    await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
    await effect(task, context);
    await context.commit((tx) => tx.settle(task.id, 'done'));
  };
}

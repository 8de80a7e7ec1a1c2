/**
 * One call of a task (engine specification 5.2): its context, in which everything is bound to that task and that call. When the call has
 * returned, its context takes no commit any more, and the call is over once those that it took have landed: nothing of an execution
 * can come beside the call that follows it.
 */
import type { Tracker } from '@earendil-works/chord/delta';
import { sleep } from './clock.ts';
import type { Clock } from './clock.ts';
import { readConfig } from './config.ts';
import { ConversationHandle } from './conversation.ts';
import type { HandleSource } from './conversation.ts';
import { ConversationTx } from './conversation-tx.ts';
import type { Engine } from './engine.ts';
import { Rejected } from './errors.ts';
import type { Hooks } from './hooks.ts';
import type { Previews } from './previews.ts';
import type { Id, TaskHeader } from './records.ts';
import type { ScratchTx } from './scratch-tx.ts';
import type { TaskContext } from './task-context.ts';

export interface Execution {
  readonly context: TaskContext;
  /** The call has returned. Never rejects. */
  end(): Promise<void>;
}

export interface ExecutionSource<Message> {
  readonly engine: Engine<Message>;
  readonly handles: HandleSource<Message>;
  readonly clock: Clock;
  readonly hooks: Hooks;
  readonly previews: Previews;
  readonly scratch: <T>(task: TaskHeader, plan: (scratch: ScratchTx) => T) => Promise<T>;
}

export function taskExecution<Message>(source: ExecutionSource<Message>, task: TaskHeader, signal: AbortSignal): Execution {
  const { engine, clock, hooks, previews } = source;
  const admission = new Admission(task.id);
  const handles: HandleSource<Message> = {
    ...source.handles,
    commit: (plan, options, by) => admission.admit(() => source.handles.commit(plan, options, by)),
  };
  const context: TaskContext = {
    taskId: task.id,
    conversationId: task.conversationId,
    signal,
    commit: (plan, options = {}) =>
      handles.commit((tx) => plan(new ConversationTx(tx, task.conversationId, task.id)), options, task.id),
    scratch: (plan) => admission.admit(() => source.scratch(task, plan)),
    get preview(): Tracker<object> {
      const tracker = previews.tracker(task);
      if (tracker === undefined) throw new Error(`task kind ${task.kind} declares no preview`);
      return tracker;
    },
    now: () => clock.now(),
    sleep: async (until) => sleep(clock, until, signal),
    config: (kind) => readConfig(handles.storage, kind, task.conversationId),
    conversation: (id: Id = task.conversationId) =>
      handles.storage.getConversations([id]).has(id) ? new ConversationHandle(handles, id, task.id) : undefined,
    hooks: (kind) => hooks.runner(kind, task.conversationId, signal, task.id),
    engine,
  };
  return { context, end: async () => admission.end() };
}

/** What a call commits: taken while it runs, waited for when it has returned. */
class Admission {
  readonly #task: Id;
  readonly #admitted = new Set<Promise<unknown>>();
  #ended = false;

  constructor(task: Id) {
    this.#task = task;
  }

  async admit<T>(commit: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Rejected('finished', `the call of task ${this.#task} has returned`);
    const admitted = commit();
    this.#admitted.add(admitted);
    try {
      return await admitted;
    } finally {
      this.#admitted.delete(admitted);
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.allSettled(this.#admitted);
  }
}

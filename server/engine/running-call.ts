/**
 * One call of a task while it runs in this process (engine specification 5.3, 6.1): how it is told to stop, what commits did to its task
 * meanwhile, and what it came to. A call has to leave its task with another status than it found, unless it was cancelled.
 */
import type { Tracer } from '@opentelemetry/api';
import { isUnwind } from './errors.ts';
import type { TaskKind } from './kinds.ts';
import type { Task, TaskHeader } from './records.ts';
import type { StorageReads } from './storage.ts';
import type { Execution } from './task-execution.ts';
import { inSpan } from './telemetry.ts';

export type TaskCall = 'execute' | 'recover' | 'abort';
/** Why nothing more is to be expected of the kind for this task. */
export interface Failure {
  readonly error: unknown;
}
export interface CallSource {
  readonly storage: StorageReads;
  readonly tracer: Tracer | undefined;
  /** Made anew for each call. */
  readonly execution: (task: TaskHeader, signal: AbortSignal) => Execution;
}

export class RunningCall {
  readonly call: TaskCall;
  readonly #header: TaskHeader;
  readonly #controller = new AbortController();
  readonly #over = Promise.withResolvers<void>();
  #isClosed = false;
  #changed = false;
  #settled: string | undefined;

  /** `header`: the task as the call finds it. */
  constructor(header: TaskHeader, call: TaskCall) {
    this.#header = header;
    this.call = call;
  }

  /** Resolves when the call is over and what it committed has landed. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  get isSettled(): boolean {
    return this.#settled !== undefined;
  }

  /** The mark is the intent; this is how it reaches the call. An abort is what a mark asks for: nothing of the mark is news to it. */
  marked(): void {
    if (this.call !== 'abort') this.#controller.abort();
  }

  close(): void {
    this.#isClosed = true;
    this.#controller.abort();
  }

  /** A commit wrote that status. */
  patched(status: string): void {
    if (status !== this.#header.status) this.#changed = true;
  }

  settled(status: string): void {
    this.#settled = status;
  }

  /** Never rejects. To be called once; a call that was closed before does not start. */
  async run({ storage, tracer, execution }: CallSource, kind: TaskKind, task: Task): Promise<Failure | undefined> {
    const { id, conversationId } = this.#header;
    const attributes = {
      'engine.task.id': id,
      'engine.task.kind': kind.kind,
      'engine.task.call': this.call,
      'engine.conversation.id': conversationId,
    };
    try {
      if (this.#isClosed) return undefined;
      await inSpan({ tracer, name: `engine.task ${kind.kind}`, attributes, root: true }, async (outcome) => {
        await this.#made(kind, task, execution(this.#header, this.#controller.signal));
        outcome(this.#outcome(storage));
      });
      return undefined;
    } catch (error) {
      return { error };
    } finally {
      this.#over.resolve();
    }
  }

  async #made(kind: TaskKind, task: Task, execution: Execution): Promise<void> {
    try {
      await kind[this.call](task, execution.context);
    } catch (error) {
      if (!isUnwind(error, this.#controller.signal)) throw error;
    } finally {
      await execution.end();
    }
  }

  /** What became of the task. Throws when it stands as it stood. */
  #outcome(storage: StorageReads): string {
    if (this.#settled !== undefined) return this.#settled;
    if (this.#isClosed) return 'closed';
    const { id, kind, status } = this.#header;
    const now = storage.getTaskHeaders([id]).get(id);
    if (this.call !== 'abort' && now?.abort === true) return 'cancelled';
    if (this.call !== 'abort' && this.#changed) return now?.status ?? 'deleted';
    throw new Error(`${kind}.${this.call} returned and task ${id} is still ${now?.status ?? status}`);
  }
}

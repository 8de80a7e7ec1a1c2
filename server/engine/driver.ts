/**
 * Runs tasks (engine specification 6.1). What must be known to go on is on disk; in memory are only the calls that this process is
 * running, the ids that commits have touched since the last pass, and who waits for whom. So a pass costs what is new, never
 * the number of live tasks. Calls are started, not awaited: a blocked one holds up nothing. There are no timers.
 *
 * Two guards keep a faulty kind from spinning: a call that fails, and one that returns with its task's status as it was, is reported
 * and that task is not executed again in this process. Its abort still is, once, so that it can be ended.
 */
import { Dependencies } from './dependencies.ts';
import { Drives } from './drives.ts';
import type { Drive, DriveOutcome } from './drives.ts';
import { Rejected, TaskPoisoned } from './errors.ts';
import type { Kinds } from './kinds.ts';
import { NewestLive } from './newest-live.ts';
import { Poisoned } from './poisoned.ts';
import type { Id, MainWrite, Task, TaskHeader } from './records.ts';
import { RunningCall } from './running-call.ts';
import type { CallSource, Failure, TaskCall } from './running-call.ts';
import { AttachedScopes, liveForIdle } from './scope.ts';
import type { Scope } from './scope.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

export interface Faulty {
  readonly task: Id;
  readonly kind: string;
}
export interface DriverOptions extends CallSource {
  readonly storage: Storage;
  readonly kinds: Kinds;
  /** `of`: absent when it is no task's fault. */
  readonly report: (error: unknown, of?: Faulty) => void;
}

export class Driver {
  readonly #options: DriverOptions;
  readonly #storage: Storage;
  readonly #scopes: AttachedScopes;
  readonly #dependencies: Dependencies;
  readonly #poisoned: Poisoned;
  readonly #drives = new Drives();
  readonly #newest = new NewestLive();
  readonly #owned = new Map<Id, RunningCall>();
  #touched = new Set<Id>();
  /** A scope was attached: what is live in it is not known yet. */
  #attached = false;
  #scheduled = false;
  /** An error: what is committed, or how to read it, is not known any more. */
  #ended: 'closed' | Error | undefined;
  readonly #reported = new WeakSet();

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#storage = options.storage;
    this.#scopes = new AttachedScopes(options.storage);
    this.#dependencies = new Dependencies(options.storage);
    this.#poisoned = new Poisoned(options.storage);
  }

  /** The tasks whose call this process is running. */
  get owned(): readonly Id[] {
    return [...this.#owned.keys()];
  }

  /**
   * Attaches the scope, for good, and waits until it is idle. The signal ends the wait, not the work. Rejects with `TaskPoisoned` when
   * nothing of what is left can go on in this process, with the failure when persistence became uncertain.
   */
  async drive(scope: Scope, signal?: AbortSignal): Promise<DriveOutcome> {
    signal?.throwIfAborted();
    if (this.#ended instanceof Error) throw this.#ended;
    if (this.#ended !== undefined) return this.#ended;
    if (this.#scopes.add(scope)) this.#attached = true;
    const { promise, resolve, reject } = Promise.withResolvers<DriveOutcome>();
    const drive: Drive = { scope, resolve, reject };
    this.#drives.add(drive);
    this.#schedule();
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#drives.remove(drive);
    }
  }

  /** To be told of every batch, once it is durable. */
  committed(writes: readonly MainWrite[]): void {
    // When nobody drives yet, what is live is looked up when somebody attaches.
    if (this.#scopes.isEmpty) return;
    for (const write of writes) {
      if (write.type === 'task') {
        // Work that was done elsewhere is terminal from its first moment.
        if (write.role === 'terminal') continue;
        this.#newest.created(write.task);
        this.#touch(write.task.id);
      } else if (write.type === 'patch') {
        const owned = this.#owned.get(write.id);
        if (write.status !== undefined) owned?.patched(write.status);
        // What a call does to its own task is looked at when the call ends; only a mark has to reach it before.
        if (owned === undefined || write.abort === true) this.#touch(write.id);
      } else if (write.type === 'settle') this.#settled(write.id, write.status);
    }
  }

  /** A fault of the task's kind that no call may end with: reported here, and once. */
  fault(task: Id, error: unknown): void {
    const kind = this.#storage.getTaskHeaders([task]).get(task)?.kind ?? '';
    this.#report(error, { task, kind });
  }

  /** Cancels what runs, waits for it, and writes no outcome: unfinished work goes on when the session is opened again. */
  async close(cause: 'closed' | Error = 'closed'): Promise<void> {
    if (this.#ended === undefined) {
      this.#ended = cause;
      for (const call of this.#owned.values()) call.close();
      this.#drives.end(cause);
    }
    while (this.#owned.size > 0) await Promise.all([...this.#owned.values()].map(async ({ over }) => over));
  }

  #touch(id: Id): void {
    this.#touched.add(id);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#ended !== undefined) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#ended !== undefined) return;
      try {
        this.#pass();
      } catch (error) {
        // Nothing can be decided without reading: whoever waits has to know.
        const failure = error instanceof Error ? error : new Error(String(error));
        this.#options.report(failure);
        void this.close(failure);
      }
    });
  }

  #pass(): void {
    const startable: TaskHeader[] = [];
    const calls: (readonly [TaskHeader, TaskCall])[] = [];
    for (const task of this.#news()) {
      const owned = this.#owned.get(task.id);
      if (owned !== undefined) {
        // Its end brings the task back here.
        if (task.abort === true) owned.marked();
      } else if (this.#poisoned.isGivenUp(task)) continue;
      else if (task.abort === true) calls.push([task, 'abort']);
      else if (task.role === 'inflight') calls.push([task, 'recover']);
      else startable.push(task);
    }
    for (const task of this.#dependencies.startable(startable)) calls.push([task, 'execute']);
    if (calls.length > 0) {
      const tasks = this.#storage.getTasks(calls.map(([{ id }]) => id));
      for (const [header, call] of calls) this.#run(header, tasks.get(header.id), call);
    }
    for (const drive of this.#drives.take()) this.#answer(drive);
  }

  /** The live tasks in scope that may have changed since the last pass. */
  #news(): readonly TaskHeader[] {
    const touched = [...this.#touched];
    this.#touched = new Set();
    if (this.#attached) {
      this.#attached = false;
      return this.#scopes.live;
    }
    if (touched.length === 0) return [];
    return [...this.#storage.getTaskHeaders(touched).values()].filter(
      (task) => task.role !== 'terminal' && this.#scopes.contains(task.conversationId),
    );
  }

  #run(header: TaskHeader, task: Task | undefined, call: TaskCall): void {
    const kind = this.#options.kinds.behaviour(header.kind);
    if (task === undefined || kind === undefined) {
      const error = new Rejected('unknownKind', `nothing here executes tasks of kind ${JSON.stringify(header.kind)}`);
      return this.#giveUp({ task: header.id, kind: header.kind }, call, error);
    }
    const running = new RunningCall(header, call);
    this.#owned.set(header.id, running);
    queueMicrotask(() => void this.#follow(header, running, running.run(this.#options, kind, task)));
  }

  async #follow({ id, kind }: TaskHeader, running: RunningCall, ending: Promise<Failure | undefined>): Promise<void> {
    const failure = await ending;
    this.#owned.delete(id);
    if (!running.isSettled) this.#touch(id);
    if (failure === undefined) return;
    // A call may fail after it has settled its task: then nothing is left to give up.
    if (running.isSettled) this.#report(failure.error, { task: id, kind });
    else this.#giveUp({ task: id, kind }, running.call, failure.error);
  }

  #giveUp(of: Faulty, call: TaskCall, error: unknown): void {
    this.#poisoned.add(of.task, error, call === 'abort');
    this.#drives.askAll();
    this.#report(error, of);
  }

  #report(error: unknown, of: Faulty): void {
    if (typeof error === 'object' && error !== null) {
      if (this.#reported.has(error)) return;
      this.#reported.add(error);
    }
    this.#options.report(error, of);
  }

  #settled(id: Id, status: string): void {
    this.#owned.get(id)?.settled(status);
    this.#poisoned.settled(id);
    this.#newest.settled(id);
    this.#drives.settled(id);
    for (const waiting of this.#dependencies.settled(id)) this.#touched.add(waiting);
    this.#schedule();
  }

  #answer(drive: Drive): void {
    const known = this.#poisoned.isEmpty ? this.#newest.in(drive.scope) : undefined;
    if (known !== undefined) return this.#drives.block(drive, known);
    const [first] = liveForIdle(this.#storage, drive.scope, 1);
    if (first === undefined) return drive.resolve('idle');
    if (this.#poisoned.isEmpty) return this.#drives.block(drive, first.id);
    const live = liveForIdle(this.#storage, drive.scope, end);
    const stuck = this.#poisoned.stuck(live, (id) => this.#owned.has(id));
    const blocker = live.find(({ id }) => !stuck.has(id));
    if (blocker === undefined) drive.reject(new TaskPoisoned([...stuck.values()], [...stuck.keys()]));
    else this.#drives.block(drive, blocker.id);
  }
}

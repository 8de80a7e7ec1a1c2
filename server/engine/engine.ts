/**
 * One open session: its line of commits, its driver and its watchers, beside its reads (engine specification 9, where it is called
 * the harness). There is one owner a session; it is the caller's duty that no second one writes. Opening starts nothing and reads no
 * history; work runs when somebody drives it. Everything that waits for the line is a promise.
 */
import type { Tracer } from '@opentelemetry/api';
import { bound } from './address.ts';
import type { ConversationValue } from './address.ts';
import { builtInEntryKinds } from './built-in/entry-kinds.ts';
import { abortEverything, markTask } from './cancel.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { CommitEvent, CommitView } from './commit-view.ts';
import { Commits } from './commits.ts';
import { ConversationHandle } from './conversation.ts';
import type { HandleSource } from './conversation.ts';
import { Driver } from './driver.ts';
import type { Faulty } from './driver.ts';
import type { DriveOutcome } from './drives.ts';
import { forkIn } from './fork.ts';
import { Hooks } from './hooks.ts';
import type { InitialValues } from './initial-values.ts';
import { Kinds } from './kinds.ts';
import type { EntryKind, TaskKind, TaskKindRoles } from './kinds.ts';
import { Line } from './line.ts';
import { Previews } from './previews.ts';
import { Publisher } from './publish.ts';
import { Reads } from './reads.ts';
import type { Id, List, TaskHeader, Value } from './records.ts';
import type { ScratchTx } from './scratch-tx.ts';
import { stateList, stateValue } from './state-access.ts';
import type { StateList, StateValue } from './state-access.ts';
import type { EntryPack, Storage } from './storage.ts';
import { checkStoredKinds } from './stored-kinds.ts';
import { watchCommits, watchConversation, watchSession } from './subscribe.ts';
import type { ConversationWatchOptions, RawWatchOptions, SessionWatchOptions } from './subscribe.ts';
import { taskExecution } from './task-execution.ts';
import type { Tx } from './tx.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';
import type { WatchHandle } from './watch.ts';
import { WarmContexts } from './warm-contexts.ts';

export interface EngineOptions<Message> {
  /** Under the name of a built-in, or of an earlier one: in its place. */
  readonly entryKinds: readonly EntryKind<unknown, Message>[];
  readonly taskKinds: readonly (TaskKind | TaskKindRoles)[];
  /** What the root conversation has when it is made. */
  readonly rootValues?: readonly (readonly [ConversationValue<unknown>, unknown])[];
  /** Absent: the system's. */
  readonly clock?: Clock;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
  /** Errors that belong to nobody's call: of a watcher's listener, a hook, a task. */
  readonly report?: (error: unknown) => void;
}
export interface CommitOptions<T> {
  /** Runs inside the batch's transaction, when it is written and before it is durable; gets the closure's result. */
  readonly within?: (result: T) => void;
  /** Entries of the batch whose contents were compressed elsewhere: a hint to the storage, which nobody else sees. */
  readonly packs?: (result: T) => readonly EntryPack[];
}
/** A closure that returns a promise does not fit: nothing in a commit may wait. */
export type Plan<T> = (tx: Tx) => T;
export type Synchronous<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never;

export class Engine<Message = unknown> extends Reads<Message> {
  /** Handlers for every conversation; a handle's are for its own. Process state, never stored (8.7). */
  readonly hooks: Hooks;
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  readonly #options: EngineOptions<Message>;
  readonly #line: Line;
  readonly #publisher: Publisher<Message>;
  readonly #previews: Previews;
  readonly #driver: Driver;
  readonly #commits: Commits<Message>;
  #closing: Promise<void> | undefined;
  readonly #report: (error: unknown) => void;
  readonly #handles: HandleSource<Message>;

  /** Throws Rejected `unknownKind` or `unknownStatus` for entries or live tasks that the kinds given here do not know. */
  static async open<Message = unknown>(storage: Storage, options: EngineOptions<Message>): Promise<Engine<Message>> {
    const kinds = new Kinds<Message>([...builtInEntryKinds<Message>(), ...options.entryKinds], options.taskKinds);
    checkStoredKinds(storage, kinds);
    return new Engine(storage, kinds, options);
  }

  private constructor(storage: Storage, kinds: Kinds<Message>, options: EngineOptions<Message>) {
    super(storage, kinds);
    this.#storage = storage;
    this.#kinds = kinds;
    this.#options = options;
    this.#report = (error) => {
      try {
        options.report?.(error);
      } catch {
        // The host's own fault, and there is nobody else to tell.
      }
    };
    this.hooks = new Hooks(storage, (error, task) =>
      this.#tell(error, { kind: error.kind, ...(task === undefined ? {} : { task }) }),
    );
    this.#previews = new Previews(storage, kinds);
    this.#publisher = new Publisher({ storage, kinds, previews: this.#previews, report: this.#report });
    this.#line = new Line((failure) => {
      this.#publisher.end('uncertain');
      void this.#driver.close(failure);
    });
    this.#handles = {
      storage,
      kinds,
      hooks: this.hooks,
      contexts: new WarmContexts(storage, kinds),
      commit: (plan, commitOptions, by) => this.#commits.main(plan, commitOptions, by),
      drive: async (conversation, signal) => this.#driver.drive({ conversation }, signal),
      watch: async (conversation, watchOptions) => this.watch(conversation, watchOptions),
      watchCommits: async (conversation, watchOptions) => this.watch(conversation, watchOptions),
    };
    const execution = {
      engine: this,
      handles: this.#handles,
      clock: options.clock ?? systemClock,
      hooks: this.hooks,
      previews: this.#previews,
      scratch: <T>(task: TaskHeader, plan: (scratch: ScratchTx) => T) => this.#commits.scratch(task.id, plan),
    };
    this.#driver = new Driver({
      storage,
      kinds,
      tracer: options.tracer,
      execution: (task, signal) => taskExecution(execution, task, signal),
      report: (error, of) => this.#tell(error, of),
    });
    this.#commits = new Commits({
      storage,
      kinds,
      line: this.#line,
      publisher: this.#publisher,
      previews: this.#previews,
      tracer: options.tracer,
      committed: (writes) => this.#driver.committed(writes),
      fault: (task, error) => this.#driver.fault(task, error),
    });
  }

  /**
   * Runs the closure on the line and commits what it wrote as one batch; resolves with what it returned once that is durable and
   * told to watchers. A throw, of the closure or of `within`, writes nothing and consumes no ids. Rejects with `Rejected`
   * for a batch that is not valid, with `UncertainPersistence` when it may or may not be durable: open the session again.
   */
  async commit<T>(plan: Plan<T> & Synchronous<T>, options: CommitOptions<T> = {}): Promise<T> {
    return this.#commits.main(plan, options);
  }

  /** Commits to the working state of one live task and to nothing else (4.6). */
  async scratch<T>(task: Id, plan: ((scratch: ScratchTx) => T) & Synchronous<T>): Promise<T> {
    return this.#commits.scratch(task, plan);
  }

  /** The first conversation; created, with the root's values, when the session has none. */
  async root(): Promise<ConversationHandle<Message>> {
    const id = await this.commit((tx) => {
      const first = this.#storage.scanConversations({ limit: 1 }).items[0]?.id;
      if (first !== undefined) return first;
      const root = tx.createConversation();
      for (const [addr, value] of this.#options.rootValues ?? []) tx.value(bound(addr, root)).set(value);
      return root;
    });
    return new ConversationHandle(this.#handles, id);
  }

  conversation(id: Id): ConversationHandle<Message> | undefined {
    return this.#storage.getConversations([id]).has(id) ? new ConversationHandle(this.#handles, id) : undefined;
  }

  /** See `ConversationHandle.fork`. */
  async fork(conversationId: Id, at: Id | 'start', values?: InitialValues): Promise<ConversationHandle<Message>> {
    const id = await this.commit((tx) => forkIn(tx, conversationId, at, values));
    return new ConversationHandle(this.#handles, id);
  }

  value<T>(addr: Value<T>): StateValue<T> {
    return stateValue({ storage: this.#storage, commit: this.#handles.commit }, addr);
  }

  list<T>(addr: List<T>): StateList<T> {
    return stateList({ storage: this.#storage, commit: this.#handles.commit }, addr);
  }

  /** What is registered under a name: a built-in, or what replaced it. Throws Rejected `unknownKind`. */
  taskKind(name: string): TaskKind | TaskKindRoles {
    return this.#kinds.task(name);
  }

  /** Runs the whole session's work; resolves when nothing at all is live. See `Driver.drive`. */
  async drive({ signal }: { readonly signal?: AbortSignal } = {}): Promise<DriveOutcome> {
    return this.#driver.drive({ session: true }, signal);
  }

  /** The tasks whose execution is running in this process. */
  get running(): readonly Id[] {
    return this.#driver.owned;
  }

  /** Work is running, or somebody watches: whoever keeps several engines must keep this one. */
  get isInUse(): boolean {
    return this.running.length > 0 || !this.#publisher.watchers.isEmpty;
  }

  watch(options?: SessionWatchOptions): Promise<WatchHandle<SessionView, SessionEvent>>;
  /** Every commit of the session. */
  watch(options: RawWatchOptions): Promise<WatchHandle<CommitView, CommitEvent>>;
  watch(conversationId: Id, options: ConversationWatchOptions): Promise<WatchHandle<ConversationView, ConversationEvent>>;
  /** Every commit that touches the conversation. */
  watch(conversationId: Id, options: RawWatchOptions): Promise<WatchHandle<CommitView, CommitEvent>>;
  async watch(
    first: Id | SessionWatchOptions | RawWatchOptions = {},
    options: ConversationWatchOptions | RawWatchOptions = { tail: 0 },
  ): Promise<
    | WatchHandle<SessionView, SessionEvent>
    | WatchHandle<ConversationView, ConversationEvent>
    | WatchHandle<CommitView, CommitEvent>
  > {
    const source = {
      storage: this.#storage,
      kinds: this.#kinds,
      line: this.#line,
      publisher: this.#publisher,
      report: this.#report,
    };
    if (typeof first === 'number')
      return 'raw' in options ? watchCommits(source, first, options) : watchConversation(source, first, options);
    return 'raw' in first ? watchCommits(source, undefined, first) : watchSession(source, first);
  }

  /** Cancels one task, durably: its call is told, then its kind settles it. Rejects with `taskIsTerminal`; a second time changes nothing. */
  async abortTask(id: Id): Promise<void> {
    return this.commit((tx) => markTask(tx, id));
  }

  /**
   * The conversation and those owned from it. What independent forks inherit stays readable to them. Rejects with `liveWork` while
   * anything in it is live.
   */
  async deleteConversation(id: Id): Promise<void> {
    return this.commit((tx) => tx.deleteConversation(id));
  }

  /**
   * Cancels all work, foreground and background, and all queued input, takes no new work from anybody, runs what is cancelled until
   * it is settled, and closes. Rejects, closed all the same, with `TaskPoisoned` when something could not be settled here.
   */
  async shutdown(): Promise<void> {
    await this.#commits.main(abortEverything, {}, undefined, true);
    try {
      await this.#driver.drive({ session: true });
    } finally {
      await this.close();
    }
  }

  /**
   * Admits nothing more, cancels what runs, waits for it and for what was admitted, tells the watchers, releases the storage. Writes no
   * outcomes: unfinished work goes on when the session is opened again. An execution that awaits this waits for itself.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const drained = this.#line.close();
    await this.#driver.close();
    await drained;
    this.#publisher.end('closed');
    await this.#storage.close();
  }

  /** To the host, and to those who watch the session. */
  #tell(error: unknown, of?: Partial<Faulty>): void {
    this.#report(error);
    this.#publisher.report({ ...of, error });
  }
}

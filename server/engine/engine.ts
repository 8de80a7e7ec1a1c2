/**
 * One open session: its line of commits, its reads and its watchers (engine specification 9). There is one owner a session; it is
 * the caller's duty that no second one writes. Opening starts nothing and reads no history. Reads are synchronous and see
 * committed state; everything that waits for the line is a promise.
 */
import { contextAt } from './context.ts';
import type { ContextEntry, Normalize } from './context.ts';
import { ConversationHandle } from './conversation.ts';
import { Rejected } from './errors.ts';
import { asTask, Kinds } from './kinds.ts';
import type { EntryKind, TaskKindRoles } from './kinds.ts';
import { Line } from './line.ts';
import { Publisher } from './publish.ts';
import type { Address, Conversation, Element, Entry, EntryHeader, Id, List, Task, Value, Version } from './records.ts';
import { ScratchTx } from './scratch-tx.ts';
import { end } from './storage.ts';
import type { ConversationQuery, EntryQuery, ListQuery, Page, Storage, TaskQuery } from './storage.ts';
import { Tx } from './tx.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';
import { validate } from './validate.ts';
import type { WatchHandle } from './watch.ts';
import { watchConversation, watchSession } from './subscribe.ts';
import type { ConversationWatchOptions, SessionWatchOptions } from './subscribe.ts';

export interface EngineOptions<Message> {
  readonly entryKinds: readonly EntryKind<unknown, Message>[];
  readonly taskKinds: readonly TaskKindRoles[];
  /** Errors that belong to nobody's call, such as those of a watcher's listener. */
  readonly report?: (error: unknown) => void;
}
export interface CommitOptions<T> {
  /** Runs inside the batch's transaction, when it is written and before it is durable; gets the closure's result. */
  readonly within?: (result: T) => void;
}
/** A closure that returns a promise does not fit: nothing in a commit may wait. */
export type Plan<T> = (tx: Tx) => T;
export type Synchronous<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never;

export class Engine<Message = unknown> {
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  readonly #line: Line;
  readonly #publisher: Publisher<Message>;
  readonly #report: (error: unknown) => void;

  /** Throws Rejected `unknownKind` when the session has entries, or live tasks, of a kind that is not registered. */
  static async open<Message = unknown>(storage: Storage, options: EngineOptions<Message>): Promise<Engine<Message>> {
    const kinds = new Kinds<Message>(options.entryKinds, options.taskKinds);
    const unknown = [...storage.kinds].filter((kind) => !kinds.hasEntry(kind));
    if (unknown.length > 0)
      throw new Rejected('unknownKind', `the session has entries of kinds that are not registered: ${unknown.join(', ')}`);
    const engine = new Engine(storage, kinds, options.report ?? (() => undefined));
    for (const task of engine.#liveTasks())
      if (!kinds.hasTask(task.kind))
        throw new Rejected('unknownKind', `the session has live work of a kind that is not registered: ${task.kind}`);
    return engine;
  }

  private constructor(storage: Storage, kinds: Kinds<Message>, report: (error: unknown) => void) {
    this.#storage = storage;
    this.#kinds = kinds;
    this.#report = report;
    this.#publisher = new Publisher(storage, kinds);
    this.#line = new Line(() => this.#publisher.end('uncertain', storage.lastSeq));
  }

  /** Last committed sequence number. */
  get lastSeq(): Id {
    return this.#storage.lastSeq;
  }

  /**
   * Runs the closure on the line and commits what it wrote as one batch; resolves with what it returned once that is durable and
   * told to watchers. A throw, of the closure or of `within`, writes nothing and consumes no ids. Rejects with `Rejected`
   * for a batch that is not valid, with `UncertainPersistence` when it may or may not be durable: open the session again.
   */
  async commit<T>(plan: Plan<T> & Synchronous<T>, options: CommitOptions<T> = {}): Promise<T> {
    return this.#line.run(async () => {
      const tx = new Tx(this.#storage, this.#kinds);
      let result: T;
      let writes;
      try {
        result = plan(tx);
      } finally {
        writes = tx.finish();
      }
      refusePromise(result);
      validate(writes, this.#storage, this.#kinds);
      const { within } = options;
      const before = this.#publisher.before(writes);
      const { first } = await this.#storage.commit(
        { kind: 'main', writes },
        within === undefined ? undefined : () => within(result),
      );
      if (before !== undefined && writes.length > 0) this.#publisher.publish(writes, first, before);
      return result;
    });
  }

  /** Commits to the working state of one live task and to nothing else (4.6). */
  async scratch<T>(task: Id, plan: ((scratch: ScratchTx) => T) & Synchronous<T>): Promise<T> {
    return this.#line.run(async () => {
      const tx = new ScratchTx(this.#storage);
      let result: T;
      let writes;
      try {
        result = plan(tx);
      } finally {
        writes = tx.finish();
      }
      refusePromise(result);
      await this.#storage.commit({ kind: 'scratch', task, writes });
      return result;
    });
  }

  /** The first conversation; created when the session has none. */
  async root(): Promise<ConversationHandle<Message>> {
    const id = await this.commit((tx) => this.#storage.scanConversations({ limit: 1 }).items[0]?.id ?? tx.createConversation());
    return new ConversationHandle(this, this.#storage, this.#kinds, id);
  }

  conversation(id: Id): ConversationHandle<Message> | undefined {
    return this.#storage.getConversations([id]).has(id)
      ? new ConversationHandle(this, this.#storage, this.#kinds, id)
      : undefined;
  }

  conversations(query: ConversationQuery = { limit: end }): Page<Conversation> {
    return this.#storage.scanConversations(query);
  }

  getConversations(ids: readonly Id[]): ReadonlyMap<Id, Conversation> {
    return this.#storage.getConversations(ids);
  }

  /** With a kind: typed, undefined for an entry of another kind. */
  getEntry(id: Id): Entry | undefined;
  getEntry<Content>(kind: EntryKind<Content>, id: Id): Entry<Content> | undefined;
  getEntry(kindOrId: EntryKind<unknown> | Id, id?: Id): Entry<unknown> | undefined {
    if (typeof kindOrId === 'number') return this.#storage.getEntries([kindOrId]).get(kindOrId);
    const entry = id === undefined ? undefined : this.#storage.getEntries([id]).get(id);
    return entry !== undefined && kindOrId.is(entry) ? entry : undefined;
  }

  getEntries(ids: readonly Id[]): ReadonlyMap<Id, Entry>;
  getEntries<Content>(kind: EntryKind<Content>, ids: readonly Id[]): ReadonlyMap<Id, Entry<Content>>;
  getEntries(kindOrIds: EntryKind<unknown> | readonly Id[], ids: readonly Id[] = []): ReadonlyMap<Id, Entry<unknown>> {
    if (!('kind' in kindOrIds)) return this.#storage.getEntries(kindOrIds);
    return new Map([...this.#storage.getEntries(ids)].filter(([, entry]) => kindOrIds.is(entry)));
  }

  /** A page of a conversation's logical transcript, with content. */
  entries(conversationId: Id, page: Omit<EntryQuery, 'conversationId'>): Page<Entry> {
    return this.#storage.readEntries({ ...page, conversationId });
  }

  entryHeaders(conversationId: Id, page: Omit<EntryQuery, 'conversationId'>): Page<EntryHeader> {
    return this.#storage.scanEntries({ ...page, conversationId });
  }

  countEntries(conversationId: Id, from?: Id, through?: Id): number {
    return this.#storage.countEntries(conversationId, from, through);
  }

  newestHead(conversationId: Id, at: Id = end): EntryHeader | undefined {
    return this.#storage.newestHead(conversationId, at);
  }

  /** The derived context as of an entry, now by default. Cold: a handle's own `contextEntries` is warm. */
  contextEntries(conversationId: Id, through?: Id): readonly ContextEntry<Message>[] {
    return contextAt(this.#storage, this.#kinds, conversationId, through);
  }

  contextIds(conversationId: Id, through?: Id): readonly Id[] {
    return this.contextEntries(conversationId, through).map(({ entry }) => entry.id);
  }

  contextMessages(conversationId: Id, through?: Id): readonly Message[];
  contextMessages<Out>(conversationId: Id, through: Id | undefined, normalize: Normalize<Message, Out>): readonly Out[];
  contextMessages<Out>(conversationId: Id, through?: Id, normalize?: Normalize<Message, Out>): readonly (Message | Out)[] {
    const entries = this.contextEntries(conversationId, through);
    return normalize === undefined ? entries.flatMap(({ messages }) => messages) : normalize(entries);
  }

  getTask(id: Id): Task | undefined;
  getTask<State>(kind: TaskKindRoles<State>, id: Id): Task<State> | undefined;
  getTask(kindOrId: TaskKindRoles | Id, id?: Id): Task<unknown> | undefined {
    if (typeof kindOrId === 'number') return this.#storage.getTasks([kindOrId]).get(kindOrId);
    return id === undefined ? undefined : asTask(kindOrId, this.#storage.getTasks([id]).get(id));
  }

  getTasks(ids: readonly Id[]): ReadonlyMap<Id, Task>;
  getTasks<State>(kind: TaskKindRoles<State>, ids: readonly Id[]): ReadonlyMap<Id, Task<State>>;
  getTasks(kindOrIds: TaskKindRoles | readonly Id[], ids: readonly Id[] = []): ReadonlyMap<Id, Task<unknown>> {
    if (!('kind' in kindOrIds)) return this.#storage.getTasks(kindOrIds);
    return new Map([...this.#storage.getTasks(ids)].filter(([, task]) => task.kind === kindOrIds.kind));
  }

  tasks(query: TaskQuery): Page<Task> {
    return this.#storage.scanTasks(query);
  }

  /** Live tasks by role. */
  inspect(): { readonly start: readonly Task[]; readonly inflight: readonly Task[] } {
    const live = this.#liveTasks();
    const role = (task: Task) => this.#kinds.role(task.kind, task.status);
    return { start: live.filter((task) => role(task) === 'start'), inflight: live.filter((task) => role(task) === 'inflight') };
  }

  value<T>(addr: Value<T>, at?: Id): T | undefined {
    return this.#storage.getValue(addr, at)?.value;
  }

  valueVersion<T>(addr: Value<T>, at?: Id): Version<T> | undefined {
    return this.#storage.getValue(addr, at);
  }

  list<T>(addr: List<T>, query: Partial<ListQuery> = {}): Page<Element<T>> {
    return this.#storage.readList(addr, { limit: end, ...query });
  }

  /** A conversation of its own whose transcript begins as this one's through `at`. Sticky state comes along only when named. */
  async fork(conversationId: Id, at: Id | 'start', values: ForkValues = {}): Promise<ConversationHandle<Message>> {
    const id = await this.commit((tx) => {
      const fork = tx.createConversation({ parent: { conversationId, at: at === 'start' ? 0 : at } });
      for (const addr of values.inherit ?? []) {
        const value = tx.value(addr).get();
        if (value !== undefined) tx.value({ ...addr, scope: { conversation: fork } }).set(value);
      }
      for (const [addr, value] of values.set ?? []) tx.value({ ...addr, scope: { conversation: fork } }).set(value);
      return fork;
    });
    return new ConversationHandle(this, this.#storage, this.#kinds, id);
  }

  watch(options?: SessionWatchOptions): Promise<WatchHandle<SessionView, SessionEvent>>;
  watch(conversationId: Id, options: ConversationWatchOptions): Promise<WatchHandle<ConversationView, ConversationEvent>>;
  async watch(
    first: Id | SessionWatchOptions = {},
    options: ConversationWatchOptions = { tail: 0 },
  ): Promise<WatchHandle<SessionView, SessionEvent> | WatchHandle<ConversationView, ConversationEvent>> {
    const source = {
      storage: this.#storage,
      kinds: this.#kinds,
      line: this.#line,
      publisher: this.#publisher,
      report: this.#report,
    };
    return typeof first === 'number' ? watchConversation(source, first, options) : watchSession(source, first);
  }

  /** Admits nothing more, waits for what was admitted, tells the watchers, releases the storage. */
  async close(): Promise<void> {
    await this.#line.close();
    this.#publisher.end('closed', this.#storage.lastSeq);
    await this.#storage.close();
  }

  #liveTasks(): readonly Task[] {
    return this.#storage.scanTasks({ live: true, limit: end }).items;
  }
}

/** What a fork takes along besides history: current values of the source, and new ones. Their conversation becomes the fork. */
export interface ForkValues {
  readonly inherit?: readonly Address[];
  readonly set?: readonly (readonly [Address, unknown])[];
}

function refusePromise(result: unknown): void {
  if (typeof result !== 'object' || result === null || !('then' in result) || typeof result.then !== 'function') return;
  Promise.resolve(result).catch(() => undefined);
  throw new Rejected('notSynchronous', 'the closure of a commit must not return a promise');
}

/**
 * One open session: its line of commits and its watchers, beside its reads (engine specification 9). There is one owner a session;
 * it is the caller's duty that no second one writes. Opening starts nothing and reads no history. Everything that waits for
 * the line is a promise.
 */
import { ConversationHandle } from './conversation.ts';
import { Rejected } from './errors.ts';
import { Kinds } from './kinds.ts';
import type { EntryKind, TaskKindRoles } from './kinds.ts';
import { Line } from './line.ts';
import { Publisher } from './publish.ts';
import { Reads } from './reads.ts';
import type { Address, Id } from './records.ts';
import { ScratchTx } from './scratch-tx.ts';
import type { Storage } from './storage.ts';
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

export class Engine<Message = unknown> extends Reads<Message> {
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
    for (const task of engine.liveTasks())
      if (!kinds.hasTask(task.kind))
        throw new Rejected('unknownKind', `the session has live work of a kind that is not registered: ${task.kind}`);
    return engine;
  }

  private constructor(storage: Storage, kinds: Kinds<Message>, report: (error: unknown) => void) {
    super(storage, kinds);
    this.#storage = storage;
    this.#kinds = kinds;
    this.#report = report;
    this.#publisher = new Publisher(storage, kinds, report);
    this.#line = new Line(() => this.#publisher.end('uncertain'));
  }

  /**
   * Runs the closure on the line and commits what it wrote as one batch; resolves with what it returned once that is durable and
   * told to watchers. A throw, of the closure or of `within`, writes nothing and consumes no ids. Rejects with `Rejected`
   * for a batch that is not valid, with `UncertainPersistence` when it may or may not be durable: open the session again.
   */
  async commit<T>(plan: Plan<T> & Synchronous<T>, options: CommitOptions<T> = {}): Promise<T> {
    return this.#line.run(async () => {
      const { result, writes } = planned(new Tx(this.#storage, this.#kinds), plan);
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
      const { result, writes } = planned(new ScratchTx(this.#storage), plan);
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
    this.#publisher.end('closed');
    await this.#storage.close();
  }
}

/** What a fork takes along besides history: current values of the source, and new ones. Their conversation becomes the fork. */
export interface ForkValues {
  readonly inherit?: readonly Address[];
  readonly set?: readonly (readonly [Address, unknown])[];
}

interface Builds<Write> {
  finish(): readonly Write[];
}

/** Runs a commit's closure and takes what it wrote; however it ends, the transaction cannot be written to afterwards. */
function planned<Write, Construction extends Builds<Write>, T>(
  tx: Construction & Builds<Write>,
  plan: (tx: Construction) => T,
): { readonly result: T; readonly writes: readonly Write[] } {
  let result: T;
  let writes: readonly Write[];
  try {
    result = plan(tx);
  } finally {
    writes = tx.finish();
  }
  refusePromise(result);
  return { result, writes };
}

function refusePromise(result: unknown): void {
  if (typeof result !== 'object' || result === null || !('then' in result) || typeof result.then !== 'function') return;
  Promise.resolve(result).catch(() => undefined);
  throw new Rejected('notSynchronous', 'the closure of a commit must not return a promise');
}

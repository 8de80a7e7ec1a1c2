/**
 * A handle on one conversation (engine specification 9.1). Its context is warm: it catches up with what was appended since it was
 * last asked for, by whichever handle. A handle that a task's execution was given commits as that task: its entries carry the task's id,
 * and the task's cancellation holds for it.
 */
import { acceptIn, cancelQueuedIn, queueIn, writeIn } from './accept.ts';
import type { Acceptance, AcceptOptions, PromptOptions, RequestOptions } from './accept.ts';
import { bound } from './address.ts';
import type { ConversationList, ConversationValue } from './address.ts';
import { answerTo } from './answers.ts';
import { builtInTasks, configOf } from './built-in-tasks.ts';
import { abortForeground } from './cancel.ts';
import { collapseIn } from './collapse.ts';
import type { CollapseOptions } from './collapse.ts';
import type { CommitEvent, CommitView } from './commit-view.ts';
import { configHandle } from './config.ts';
import type { ConfigHandle } from './config.ts';
import type { ConfigSpec } from './config-spec.ts';
import type { ContextEntry, Normalize } from './context.ts';
import { ConversationTx } from './conversation-tx.ts';
import type { DriveOutcome } from './drives.ts';
import type { CommitOptions, Synchronous } from './engine.ts';
import { isBusy } from './foreground.ts';
import { forkIn } from './fork.ts';
import type { ForkOptions } from './fork.ts';
import type { HookHandler, HookPoints } from './hook-points.ts';
import type { Hooks } from './hooks.ts';
import type { Kinds, TaskKind } from './kinds.ts';
import type { Conversation, Entry, Id, Json, List, Value } from './records.ts';
import { keyed } from './request.ts';
import { resetIn } from './reset.ts';
import { spawnIn } from './spawn.ts';
import type { SpawnOptions } from './spawn.ts';
import { stateList, stateValue } from './state-access.ts';
import type { StateList, StateValue } from './state-access.ts';
import type { EntryQuery, Page, Storage } from './storage.ts';
import type { ConversationWatchOptions, RawWatchOptions } from './subscribe.ts';
import type { Tx } from './tx.ts';
import type { UserInput } from './user-input.ts';
import type { ConversationEvent, ConversationView } from './view.ts';
import type { WatchHandle } from './watch.ts';
import type { WarmContexts } from './warm-contexts.ts';

/** What handles are made of; the engine's own side of them. */
export interface HandleSource<Message> {
  readonly storage: Storage;
  readonly kinds: Kinds<Message>;
  readonly hooks: Hooks;
  readonly contexts: WarmContexts<Message>;
  readonly commit: <T>(plan: (tx: Tx) => T, options?: CommitOptions<T>, by?: Id) => Promise<T>;
  readonly drive: (conversation: Id, signal?: AbortSignal) => Promise<DriveOutcome>;
  readonly watch: (
    conversation: Id,
    options: ConversationWatchOptions,
  ) => Promise<WatchHandle<ConversationView, ConversationEvent>>;
  readonly watchCommits: (conversation: Id, options: RawWatchOptions) => Promise<WatchHandle<CommitView, CommitEvent>>;
}

export class ConversationHandle<Message = unknown> {
  readonly id: Id;
  readonly #source: HandleSource<Message>;
  readonly #by: Id | undefined;

  constructor(source: HandleSource<Message>, id: Id, by?: Id) {
    this.#source = source;
    this.id = id;
    this.#by = by;
  }

  /** undefined once it is deleted. */
  snapshot(): Conversation | undefined {
    return this.#source.storage.getConversations([this.id]).get(this.id);
  }

  async commit<T>(plan: ((tx: ConversationTx) => T) & Synchronous<T>, options?: CommitOptions<T>): Promise<T> {
    return this.#source.commit((tx) => plan(new ConversationTx(tx, this.id, this.#by)), options, this.#by);
  }

  value<T>(addr: Value<T> | ConversationValue<T>): StateValue<T> {
    return stateValue(this.#state, bound(addr, this.id));
  }

  list<T>(addr: List<T> | ConversationList<T>): StateList<T> {
    return stateList(this.#state, bound(addr, this.id));
  }

  /** The values that a kind declares, in this conversation. */
  config<Config extends ConfigSpec>(kind: { readonly kind: string; readonly config?: Config }): ConfigHandle<Config> {
    return configHandle(this.#state, kind, this.id);
  }

  /** The configuration of whatever is registered as the generation. Throws Rejected `unknownKind` when nothing is. */
  get settings(): ConfigHandle<ConfigSpec> {
    const kind = this.#source.kinds.task(builtInTasks.generation);
    const config = configOf(kind);
    return this.config({ kind: kind.kind, ...(config === undefined ? {} : { config }) });
  }

  readonly hooks = {
    /** Returns how to take the handler away. `subtree`: for the conversations that are owned from this one too. */
    on: <Handled extends HookPoints, Point extends keyof Handled & string>(
      kind: Pick<TaskKind<never, Handled, never, never>, 'kind' | 'hooks'>,
      point: Point,
      handler: HookHandler<Handled[Point]>,
      { subtree = false }: { readonly subtree?: boolean } = {},
    ): (() => void) => this.#source.hooks.on(kind, point, handler, { conversation: this.id, subtree }),
  };

  /** Runs the work of this conversation and of those owned from it; resolves when its foreground is idle. See `Driver.drive`. */
  async drive({ signal }: { readonly signal?: AbortSignal } = {}): Promise<DriveOutcome> {
    return this.#source.drive(this.id, signal);
  }

  /** Cancels the foreground set and queued steer and followUp input, in one commit. What runs is told at once; `drive` waits for its end. */
  async abort(): Promise<void> {
    return this.commit((tx) => abortForeground(tx.whole, this.id));
  }

  entries(page: Omit<EntryQuery, 'conversationId'>): Page<Entry> {
    return this.#source.storage.readEntries({ ...page, conversationId: this.id });
  }

  /** An immutable snapshot. A position older than the warm context is derived separately and does not rewind it. */
  contextEntries(through?: Id): readonly ContextEntry<Message>[] {
    return this.#source.contexts.at(this.id, through).entries;
  }

  contextIds(through?: Id): readonly Id[] {
    return this.contextEntries(through).map(({ entry }) => entry.id);
  }

  contextMessages(through?: Id): readonly Message[];
  contextMessages<Out>(through: Id | undefined, normalize: Normalize<Message, Out>): readonly Out[];
  contextMessages<Out>(through?: Id, normalize?: Normalize<Message, Out>): readonly (Message | Out)[] {
    const context = this.#source.contexts.at(this.id, through);
    return normalize === undefined ? context.messages : normalize(context.entries);
  }

  /** A conversation of its own whose transcript begins as this one's through `at`. Sticky state comes along only when named. */
  async fork(at: Id | 'start', { abort = false, values }: ForkOptions = {}): Promise<ConversationHandle<Message>> {
    const id = await this.commit((tx) => {
      const fork = forkIn(tx.whole, this.id, at, values);
      if (abort) abortForeground(tx.whole, this.id);
      return fork;
    });
    return new ConversationHandle(this.#source, id, this.#by);
  }

  /** Live foreground work, its own or of what that owns: input would be queued. */
  get isBusy(): boolean {
    return isBusy(this.#source.storage, this.id);
  }

  /**
   * Takes input: at once when the conversation is idle, with everything that waits for the next run, and a generation to answer it; into
   * the inbox when it is busy. With a `requestId`, the same input is taken once, however often and late it is asked for. Starts
   * nothing: that is `drive`. Rejects with `unknownKind` when no generation or no user entry is registered, with `keyReused` for a
   * request id that came with other input.
   */
  async accept(input: UserInput, { requestId, whenBusy }: AcceptOptions = {}): Promise<Acceptance> {
    return this.#once(requestId, 'accept', input, (tx) => acceptIn(tx, input, whenBusy));
  }

  /** Accepts, drives, and reads the answer: see `answerTo`. Undefined too when the engine is closed before there is one. */
  async prompt(input: UserInput, options: PromptOptions = {}): Promise<Entry | undefined> {
    const acceptance = await this.accept(input, options);
    const outcome = await this.drive(options);
    return outcome === 'closed' ? undefined : this.answerTo('entryId' in acceptance ? acceptance.entryId : acceptance.queued);
  }

  /** The last assistant entry after that input, an entry or what waited in the inbox, and before the next user entry. */
  answerTo(input: Id): Entry | undefined {
    return answerTo(this.#source.storage, this.id, input);
  }

  /** As `accept`; when busy, the input lands after the tools that run now. */
  async steer(input: UserInput, { requestId }: RequestOptions = {}): Promise<Acceptance> {
    return this.accept(input, { ...(requestId === undefined ? {} : { requestId }), whenBusy: 'steer' });
  }

  /** As `accept`; when busy, the input lands with the final answer. */
  async followUp(input: UserInput, options: RequestOptions = {}): Promise<Acceptance> {
    return this.accept(input, options);
  }

  /** Waits for the next input to the idle conversation, and lands before it. */
  async nextRun(input: UserInput, { requestId }: RequestOptions = {}): Promise<Acceptance> {
    return this.#once(requestId, 'nextRun', input, (tx) => queueIn(tx, input, 'nextRun'));
  }

  /** Something to be known, not answered: an entry without a generation; when busy, it lands after tools or with the final answer. */
  async write(message: UserInput, { requestId }: RequestOptions = {}): Promise<Acceptance> {
    return this.#once(requestId, 'write', message, (tx) => writeIn(tx, message));
  }

  /** 'not_found': it has landed, or was cancelled before. */
  async cancelQueued(element: Id): Promise<'cancelled' | 'not_found'> {
    return this.commit((tx) => cancelQueuedIn(tx, element));
  }

  /** Background work; the id of its task, or of the live one when there is one already. See `collapseIn`. */
  async collapse({ instructions }: Pick<CollapseOptions, 'instructions'> = {}): Promise<Id> {
    return this.commit((tx) => collapseIn(tx, instructions === undefined ? {} : { instructions }));
  }

  /** Begins a new context, with a message that the model sees or with nothing; cancels nothing and asks for nothing. */
  async reset(handoff?: string): Promise<void> {
    await this.commit((tx) => resetIn(tx, handoff));
  }

  /** The id of a conversation that works on a prompt, once it is driven. See `spawnIn`. */
  async spawn(options: SpawnOptions): Promise<Id> {
    return this.commit((tx) => spawnIn(tx, options).conversation);
  }

  watch(options: ConversationWatchOptions): Promise<WatchHandle<ConversationView, ConversationEvent>>;
  /** The commits themselves that touch it. */
  watch(options: RawWatchOptions): Promise<WatchHandle<CommitView, CommitEvent>>;
  async watch(
    options: ConversationWatchOptions | RawWatchOptions,
  ): Promise<WatchHandle<ConversationView, ConversationEvent> | WatchHandle<CommitView, CommitEvent>> {
    return 'raw' in options ? this.#source.watchCommits(this.id, options) : this.#source.watch(this.id, options);
  }

  /** Once for a request id. A request is what is asked of which conversation. */
  async #once<T extends Json>(
    requestId: string | undefined,
    request: string,
    input: UserInput,
    plan: (tx: ConversationTx) => T,
  ): Promise<T> {
    const whole = (tx: Tx): T => plan(new ConversationTx(tx, this.id, this.#by));
    const once = requestId === undefined ? whole : keyed(requestId, { conversation: this.id, request, input }, whole);
    return this.#source.commit(once, {}, this.#by);
  }

  get #state() {
    const { storage, commit } = this.#source;
    return { storage, commit: async <T>(plan: (tx: Tx) => T) => commit(plan, {}, this.#by) };
  }
}

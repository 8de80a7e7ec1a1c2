/**
 * A handle on one conversation (engine specification 9.1). Holds a warm context, which catches up with what was appended since
 * it was last asked for and goes when the handle goes; the transcript is the truth.
 */
import { contextAt, ConversationContext } from './context.ts';
import type { ContextEntry, Normalize } from './context.ts';
import type { CommitOptions, Engine, ForkValues, Plan, Synchronous } from './engine.ts';
import type { Kinds } from './kinds.ts';
import type { Conversation, Entry, Id } from './records.ts';
import { end } from './storage.ts';
import type { EntryQuery, Page, Storage } from './storage.ts';
import type { ConversationEvent, ConversationView } from './view.ts';
import type { ConversationWatchOptions } from './subscribe.ts';
import type { WatchHandle } from './watch.ts';

export class ConversationHandle<Message = unknown> {
  readonly id: Id;
  readonly #engine: Engine<Message>;
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  #context: ConversationContext<Message> | undefined;

  constructor(engine: Engine<Message>, storage: Storage, kinds: Kinds<Message>, id: Id) {
    this.#engine = engine;
    this.#storage = storage;
    this.#kinds = kinds;
    this.id = id;
  }

  /** undefined once it is deleted. */
  snapshot(): Conversation | undefined {
    return this.#storage.getConversations([this.id]).get(this.id);
  }

  async commit<T>(plan: Plan<T> & Synchronous<T>, options?: CommitOptions<T>): Promise<T> {
    return this.#engine.commit(plan, options);
  }

  entries(page: Omit<EntryQuery, 'conversationId'>): Page<Entry> {
    return this.#engine.entries(this.id, page);
  }

  /** An immutable snapshot. A position older than the warm context is derived separately and does not rewind it. */
  contextEntries(through: Id = end): readonly ContextEntry<Message>[] {
    const context = this.#context ?? new ConversationContext(this.#storage, this.#kinds, this.id, true);
    if (through < context.through) return contextAt(this.#storage, this.#kinds, this.id, through);
    this.#context = context;
    context.advance(through);
    return context.entries;
  }

  contextIds(through?: Id): readonly Id[] {
    return this.contextEntries(through).map(({ entry }) => entry.id);
  }

  contextMessages(through?: Id): readonly Message[];
  contextMessages<Out>(through: Id | undefined, normalize: Normalize<Message, Out>): readonly Out[];
  contextMessages<Out>(through?: Id, normalize?: Normalize<Message, Out>): readonly (Message | Out)[] {
    const entries = this.contextEntries(through);
    return normalize === undefined ? entries.flatMap(({ messages }) => messages) : normalize(entries);
  }

  async fork(at: Id | 'start', values?: ForkValues): Promise<ConversationHandle<Message>> {
    return this.#engine.fork(this.id, at, values);
  }

  async watch(options: ConversationWatchOptions): Promise<WatchHandle<ConversationView, ConversationEvent>> {
    return this.#engine.watch(this.id, options);
  }
}

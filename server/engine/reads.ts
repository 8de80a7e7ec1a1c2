/**
 * What can be asked of an open session (engine specification 9.1). Synchronous, of committed state; nothing read is kept. A kind
 * given to a read is the type of what it returns; a record of another kind is then as a missing one.
 */
import { contextAt } from './context.ts';
import type { ContextEntry, Normalize } from './context.ts';
import { independent } from './independent.ts';
import { asTask } from './kinds.ts';
import type { EntryKind, Kinds, TaskKindRoles } from './kinds.ts';
import type { Conversation, Element, Entry, EntryHeader, Id, List, Task, Value, Version } from './records.ts';
import { end } from './storage.ts';
import type { ConversationQuery, EntryQuery, ListQuery, Page, Storage, TaskQuery } from './storage.ts';

export class Reads<Message = unknown> {
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;

  constructor(storage: Storage, kinds: Kinds<Message>) {
    this.#storage = storage;
    this.#kinds = kinds;
  }

  /** Last committed sequence number. */
  get lastSeq(): Id {
    return this.#storage.lastSeq;
  }

  /** Independent ones: those that no task owns. With `ownedFrom`: those that tasks of that conversation own. */
  conversations(query: ConversationQuery = { limit: end }): Page<Conversation> {
    if (query.ownedFrom !== undefined) return this.#storage.scanConversations(query);
    return independent(this.#storage, query);
  }

  getConversations(ids: readonly Id[]): ReadonlyMap<Id, Conversation> {
    return this.#storage.getConversations(ids);
  }

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
    const live = this.liveTasks();
    const role = (task: Task) => this.#kinds.role(task.kind, task.status);
    return { start: live.filter((task) => role(task) === 'start'), inflight: live.filter((task) => role(task) === 'inflight') };
  }

  readValue<T>(addr: Value<T>, at?: Id): T | undefined {
    return this.#storage.getValue(addr, at)?.value;
  }

  readVersion<T>(addr: Value<T>, at?: Id): Version<T> | undefined {
    return this.#storage.getValue(addr, at);
  }

  readList<T>(addr: List<T>, query: Partial<ListQuery> = {}): Page<Element<T>> {
    return this.#storage.readList(addr, { limit: end, ...query });
  }

  liveTasks(): readonly Task[] {
    return this.#storage.scanTasks({ live: true, limit: end }).items;
  }
}

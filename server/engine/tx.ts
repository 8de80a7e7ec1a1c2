/**
 * A commit under construction (engine specification 9.2). Numbers its writes as it goes, so ids are final inside the closure
 * although nothing is written before the closure has returned; reads see committed state. Keeps the one ordering rule (3.2):
 * rewindable conversation state before entries. Unusable once its closure has returned.
 */
import { CommitBase } from './commit-base.ts';
import { Rejected } from './errors.ts';
import { asTask, isTask, stored } from './kinds.ts';
import type { EntryKind, Kinds, TaskKindRoles } from './kinds.ts';
import { LateEntry } from './late-entry.ts';
import type { LateContent } from './late-entry.ts';
import type { Conversation, Element, Entry, Id, Json, List, MainWrite, StateWrite, Task, Value } from './records.ts';
import { end } from './storage.ts';
import type { ListQuery, Page, StorageReads } from './storage.ts';
import { SoFar } from './so-far.ts';
import { merge } from './state-merge.ts';
import { usage, usageTotals, withUsage } from './usage.ts';
import type { UsageRow } from './usage.ts';

export interface ConversationSpec {
  /** Fork of that transcript through entry `at`, inclusive; `at: 0` is before the first entry. */
  readonly parent?: { readonly conversationId: Id; readonly at: Id };
  /** A task that exists, or that this commit creates. */
  readonly owner?: Id;
}
export interface TaskSpec<State> {
  readonly conversationId: Id;
  readonly state: State;
  readonly after?: readonly Id[];
  readonly background?: true;
  /** Conversations that this commit created without an owner: they become this task's. */
  readonly owns?: readonly Id[];
}
export interface ValueAccess<T> {
  /** Committed state. `at`: the version in force at that entry, for rewindable addresses. */
  get(at?: Id): T | undefined;
  set(value: T): void;
  delete(): void;
}
export interface ListAccess<T> {
  append(value: T): Id;
  remove(element: Id): void;
  clear(): void;
  /** Committed state. */
  read(query?: Partial<ListQuery>): Page<Element<T>>;
}

export class Tx {
  /** Committed state, whatever this commit has written. */
  readonly committed: StorageReads;
  readonly kinds: Kinds;
  /** What this commit has made of it. */
  readonly soFar: SoFar;
  readonly #base: CommitBase;
  readonly #writes: MainWrite[] = [];
  /** What this commit creates or changes, as it is so far. */
  readonly #conversations = new Map<Id, Conversation>();
  readonly #tasks = new Map<Id, Task>();
  readonly #first: Id;
  #sawEntry = false;
  #finished = false;

  constructor(committed: StorageReads, kinds: Kinds, base = new CommitBase(committed)) {
    this.committed = committed;
    this.#base = base;
    this.kinds = kinds;
    this.#first = committed.lastSeq + 1;
    this.soFar = new SoFar(committed, this.#writes, this.#first);
  }

  getConversation(id: Id): Conversation | undefined {
    return this.committed.getConversations([id]).get(id);
  }

  getEntry(id: Id): Entry | undefined;
  getEntry<Content>(kind: EntryKind<Content>, id: Id): Entry<Content> | undefined;
  getEntry(kindOrId: EntryKind<unknown> | Id, id: Id = 0): Entry<unknown> | undefined {
    if (typeof kindOrId === 'number') return this.committed.getEntries([kindOrId]).get(kindOrId);
    const entry = this.committed.getEntries([id]).get(id);
    return entry !== undefined && kindOrId.is(entry) ? entry : undefined;
  }

  getEntries(ids: readonly Id[]): ReadonlyMap<Id, Entry>;
  getEntries<Content>(kind: EntryKind<Content>, ids: readonly Id[]): ReadonlyMap<Id, Entry<Content>>;
  getEntries(kindOrIds: EntryKind<unknown> | readonly Id[], ids: readonly Id[] = []): ReadonlyMap<Id, Entry<unknown>> {
    if (!('kind' in kindOrIds)) return this.committed.getEntries(kindOrIds);
    return new Map([...this.committed.getEntries(ids)].filter(([, entry]) => kindOrIds.is(entry)));
  }

  getTask(id: Id): Task | undefined;
  getTask<State>(kind: TaskKindRoles<State>, id: Id): Task<State> | undefined;
  getTask(kindOrId: TaskKindRoles | Id, id?: Id): Task<unknown> | undefined {
    if (typeof kindOrId === 'number') return this.committed.getTasks([kindOrId]).get(kindOrId);
    return id === undefined ? undefined : asTask(kindOrId, this.committed.getTasks([id]).get(id));
  }

  getTasks(ids: readonly Id[]): ReadonlyMap<Id, Task>;
  getTasks<State>(kind: TaskKindRoles<State>, ids: readonly Id[]): ReadonlyMap<Id, Task<State>>;
  getTasks(kindOrIds: TaskKindRoles | readonly Id[], ids: readonly Id[] = []): ReadonlyMap<Id, Task<unknown>> {
    if (!('kind' in kindOrIds)) return this.committed.getTasks(kindOrIds);
    return new Map([...this.committed.getTasks(ids)].filter(([, task]) => isTask(kindOrIds, task)));
  }

  value<T>(addr: Value<T>): ValueAccess<T> {
    return {
      get: (at) => this.committed.getValue(addr, at)?.value,
      set: (value) => void this.#state({ type: 'value.set', addr, value: stored(value) }),
      delete: () => void this.#state({ type: 'value.delete', addr }),
    };
  }

  list<T>(addr: List<T>): ListAccess<T> {
    return {
      append: (value) => this.#state({ type: 'list.append', addr, value: stored(value) }),
      remove: (element) => void this.#state({ type: 'list.remove', addr, element }),
      clear: () => void this.#state({ type: 'list.clear', addr }),
      read: (query) => this.committed.readList(addr, { limit: end, ...query }),
    };
  }

  /** As `entry`; the content is only asked for when somebody looks at it, for bulk work whose storage has it already (`CommitOptions.packs`). */
  lateEntry<Content>(kind: EntryKind<Content>, conversationId: Id, late: LateContent<NoInfer<Content>>, key?: string): Entry {
    this.#sawEntry = true;
    const entry = new LateEntry(this.#next, conversationId, kind.kind, late, key, kind.head !== undefined);
    this.#push({ type: 'entry', entry });
    return entry;
  }

  /** `key`: indexed within the conversation, such as the call that a result answers. Content must not be changed afterwards. */
  entry<Content>(kind: EntryKind<Content>, conversationId: Id, content: NoInfer<Content>, key?: string, byTaskId?: Id): Id {
    this.#sawEntry = true;
    const entry: Entry = {
      id: this.#next,
      conversationId,
      kind: kind.kind,
      content: stored(content),
      ...(key === undefined ? {} : { key }),
      ...(kind.head === undefined ? {} : { head: true as const }),
      ...(byTaskId === undefined ? {} : { byTaskId }),
    };
    return this.#push({ type: 'entry', entry });
  }

  createConversation(spec: ConversationSpec = {}): Id {
    const conversation: Conversation = {
      id: this.#next,
      ...(spec.parent === undefined ? {} : { parent: spec.parent }),
      ...(spec.owner === undefined ? {} : { owner: spec.owner }),
    };
    this.#conversations.set(conversation.id, conversation);
    return this.#push({ type: 'createConversation', conversation });
  }

  /** The conversation and those it owns through its tasks. Entries that forks inherit stay readable there. */
  deleteConversation(id: Id): void {
    const subtree = [id];
    for (const owner of subtree)
      for (const child of this.committed.scanConversations({ ownedFrom: owner, limit: end }).items) subtree.push(child.id);
    for (const conversation of subtree.toReversed()) this.#push({ type: 'deleteConversation', id: conversation });
  }

  task<State>(kind: TaskKindRoles<State>, spec: TaskSpec<NoInfer<State>>): Id {
    const id = this.#next;
    for (const owned of spec.owns ?? []) this.#own(id, owned);
    const task: Task = {
      id,
      conversationId: spec.conversationId,
      kind: kind.kind,
      status: kind.initialStatus,
      state: stored(spec.state),
      after: spec.after ?? [],
      ...(spec.background === undefined ? {} : { background: spec.background }),
      ...(spec.owns === undefined || spec.owns.length === 0 ? {} : { owns: spec.owns }),
    };
    this.#tasks.set(id, task);
    return this.#push({ type: 'task', task, role: this.kinds.role(kind.kind, kind.initialStatus) });
  }

  /** `state` is laid over the task's state, property by property. Not for a final status: that is `settle`. */
  patch<State>(
    task: Task<State> | Id,
    changes: { readonly status?: string; readonly state?: Partial<NoInfer<State>>; readonly abort?: true },
  ): void {
    const { status, abort } = changes;
    const id = typeof task === 'number' ? task : task.id;
    const state = changes.state === undefined ? undefined : this.#merged(id, changes.state);
    const { kind } = this.#header(id);
    this.#push({
      type: 'patch',
      id,
      ...(status === undefined ? {} : { status, role: this.kinds.role(kind, status) }),
      ...(state === undefined ? {} : { state }),
      ...(abort === undefined ? {} : { abort }),
    });
  }

  /** Ends the task with a final status, `outcome` laid over its state, and retires its scratch. */
  settle<State>(task: Task<State> | Id, status: string, outcome: Partial<NoInfer<State>> = {}): void {
    const current = this.#task(task);
    this.#push({ type: 'settle', id: current.id, status, state: merge(current.state, outcome) });
  }

  /** Appends a row of usage and brings the session's totals up to it; any number of times in a commit (8.2). */
  usage(row: UsageRow): void {
    const totals = withUsage(this.soFar.value(usageTotals), row);
    this.list(usage).append(row);
    this.value(usageTotals).set(totals);
  }

  /** Ends the construction and hands over the writes. */
  finish(): readonly MainWrite[] {
    this.#finished = true;
    return this.#writes;
  }

  get #next(): Id {
    return this.#first + this.#writes.length;
  }

  #push(write: MainWrite): Id {
    if (this.#finished) throw new Rejected('finished', 'the closure of this commit has returned');
    const id = this.#next;
    this.#writes.push(write);
    return id;
  }

  #state(write: StateWrite): Id {
    if (this.#sawEntry && 'conversation' in write.addr.scope && write.addr.rewind)
      throw new Rejected('stateAfterEntry', 'rewindable conversation state comes before the entries of its commit');
    return this.#push(write);
  }

  #task(task: Task<unknown> | Id): Task {
    const id = typeof task === 'number' ? task : task.id;
    return known(this.#tasks.get(id) ?? this.#base.task(id), id);
  }

  #header(id: Id): Omit<Task, 'state'> {
    return known(this.#tasks.get(id) ?? this.#base.header(id), id);
  }

  /** The state of a task with the changes laid over it, for what this commit makes of it next too. */
  #merged(id: Id, changes: unknown): Json {
    const current = this.#task(id);
    const state = merge(current.state, changes);
    this.#tasks.set(id, { ...current, state });
    return state;
  }

  #own(task: Id, owned: Id): void {
    const conversation = this.#conversations.get(owned);
    if (conversation === undefined)
      throw new Rejected('ownership', `a task owns conversations that its own commit creates; ${owned} is not one`);
    if (conversation.owner !== undefined && conversation.owner !== task)
      throw new Rejected('ownership', `conversation ${owned} has another owner`);
    const withOwner = { ...conversation, owner: task };
    this.#conversations.set(owned, withOwner);
    this.#writes[owned - this.#first] = { type: 'createConversation', conversation: withOwner };
  }
}

/** Throws Rejected `unknownTask`. */
function known<T>(task: T | undefined, id: Id): T {
  if (task === undefined) throw new Rejected('unknownTask', `there is no task ${id}`);
  return task;
}

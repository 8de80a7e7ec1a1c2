/**
 * A commit bound to one conversation, and to the task that makes it, if one does (engine specification 9.2): the same construction as
 * `whole`, with the conversation said once. Entries of a task carry its id.
 */
import { bound } from './address.ts';
import type { ConversationList, ConversationValue } from './address.ts';
import { spawnIn } from './spawn.ts';
import type { Spawned, SpawnOptions } from './spawn.ts';
import type { EntryKind, TaskKindRoles } from './kinds.ts';
import type { Entry, Id, List, Task, Value } from './records.ts';
import type { ConversationSpec, ListAccess, TaskSpec, Tx, ValueAccess } from './tx.ts';
import type { UsageRow } from './usage.ts';

export class ConversationTx {
  /** The whole session's side of the same commit. */
  readonly whole: Tx;
  readonly conversationId: Id;
  /** The task whose execution commits. */
  readonly by: Id | undefined;

  constructor(whole: Tx, conversationId: Id, by?: Id) {
    this.whole = whole;
    this.conversationId = conversationId;
    this.by = by;
  }

  /** The same commit, of another conversation: one that it creates, for example. */
  in(conversationId: Id): ConversationTx {
    return new ConversationTx(this.whole, conversationId, this.by);
  }

  getEntry(id: Id): Entry | undefined;
  getEntry<Content>(kind: EntryKind<Content>, id: Id): Entry<Content> | undefined;
  getEntry(kindOrId: EntryKind<unknown> | Id, id: Id = 0): Entry<unknown> | undefined {
    return typeof kindOrId === 'number' ? this.whole.getEntry(kindOrId) : this.whole.getEntry(kindOrId, id);
  }

  getEntries(ids: readonly Id[]): ReadonlyMap<Id, Entry>;
  getEntries<Content>(kind: EntryKind<Content>, ids: readonly Id[]): ReadonlyMap<Id, Entry<Content>>;
  getEntries(kindOrIds: EntryKind<unknown> | readonly Id[], ids: readonly Id[] = []): ReadonlyMap<Id, Entry<unknown>> {
    return 'kind' in kindOrIds ? this.whole.getEntries(kindOrIds, ids) : this.whole.getEntries(kindOrIds);
  }

  getTask(id: Id): Task | undefined;
  getTask<State>(kind: TaskKindRoles<State>, id: Id): Task<State> | undefined;
  getTask(kindOrId: TaskKindRoles | Id, id: Id = 0): Task<unknown> | undefined {
    return typeof kindOrId === 'number' ? this.whole.getTask(kindOrId) : this.whole.getTask(kindOrId, id);
  }

  getTasks(ids: readonly Id[]): ReadonlyMap<Id, Task>;
  getTasks<State>(kind: TaskKindRoles<State>, ids: readonly Id[]): ReadonlyMap<Id, Task<State>>;
  getTasks(kindOrIds: TaskKindRoles | readonly Id[], ids: readonly Id[] = []): ReadonlyMap<Id, Task<unknown>> {
    return 'kind' in kindOrIds ? this.whole.getTasks(kindOrIds, ids) : this.whole.getTasks(kindOrIds);
  }

  value<T>(addr: Value<T> | ConversationValue<T>): ValueAccess<T> {
    return this.whole.value(bound(addr, this.conversationId));
  }

  list<T>(addr: List<T> | ConversationList<T>): ListAccess<T> {
    return this.whole.list(bound(addr, this.conversationId));
  }

  entry<Content>(kind: EntryKind<Content>, content: NoInfer<Content>, key?: string): Id {
    return this.whole.entry(kind, this.conversationId, content, key, this.by);
  }

  task<State>(kind: TaskKindRoles<State>, spec: Omit<TaskSpec<NoInfer<State>>, 'conversationId'>): Id {
    return this.whole.task(kind, { ...spec, conversationId: this.conversationId });
  }

  patch<State>(
    task: Task<State> | Id,
    changes: { readonly status?: string; readonly state?: Partial<NoInfer<State>>; readonly abort?: true },
  ): void {
    this.whole.patch(task, changes);
  }

  settle<State>(task: Task<State> | Id, status: string, outcome: Partial<NoInfer<State>> = {}): void {
    this.whole.settle(task, status, outcome);
  }

  createConversation(spec: ConversationSpec = {}): Id {
    return this.whole.createConversation(spec);
  }

  deleteConversation(id: Id): void {
    this.whole.deleteConversation(id);
  }

  /** A conversation that works on the prompt, owned by the task whose execution commits. See `spawnIn`. */
  spawn(options: SpawnOptions): Spawned {
    return spawnIn(this, options);
  }

  /** Of this conversation, and of the task whose execution commits unless another is named. See `Tx.usage`. */
  usage(row: Omit<UsageRow, 'conversation'>): void {
    this.whole.usage({ conversation: this.conversationId, ...(this.by === undefined ? {} : { task: this.by }), ...row });
  }
}

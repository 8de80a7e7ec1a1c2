/**
 * Whether a batch may be written: ownership, dependencies, head order, exchanges, edit targets, kinds and statuses, against committed
 * state and the batch's earlier writes (engine specification 7.3). Nobody looks at the shape of content. Throws Rejected.
 */
import { CommitBase } from './commit-base.ts';
import { Rejected } from './errors.ts';
import { checkAnswer, checkCut } from './exchange.ts';
import type { ExchangeEntry } from './exchange.ts';
import type { Kinds } from './kinds.ts';
import { Pending } from './pending.ts';
import type { PendingTask } from './pending.ts';
import type { Address, Conversation, Entry, Id, MainWrite, Task } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import { exchangeEntries } from './transcript-walk.ts';

/** `by`: the task whose execution commits. */
export function validate(
  writes: readonly MainWrite[],
  storage: Storage,
  kinds: Kinds,
  by?: Id,
  base = new CommitBase(storage),
): void {
  if (by !== undefined) guardSuccessors(writes, base, by);
  const batch = new Validation(storage, kinds, base);
  for (const write of writes) batch.check(write);
  batch.finish();
}

/** A cancelled task ends; it starts nothing (6.3). */
function guardSuccessors(writes: readonly MainWrite[], base: CommitBase, by: Id): void {
  if (!writes.some(({ type }) => type === 'task' || type === 'createConversation')) return;
  if (base.header(by)?.abort === true)
    throw new Rejected('markedTask', `task ${by} is cancelled: a commit of it must not create a task or a conversation`);
}

class Validation {
  readonly #storage: Storage;
  readonly #kinds: Kinds;
  readonly #pending: Pending;

  constructor(storage: Storage, kinds: Kinds, base: CommitBase) {
    this.#storage = storage;
    this.#kinds = kinds;
    this.#pending = new Pending(storage, base);
  }

  check(write: MainWrite): void {
    switch (write.type) {
      case 'createConversation':
        return this.#createConversation(write.conversation);
      case 'deleteConversation':
        return this.#deleteConversation(write.id);
      case 'entry':
        return this.#entry(write.entry);
      case 'task':
        return this.#task(write.task);
      case 'patch':
        return this.#change(write.id, write);
      case 'settle':
        return this.#change(write.id, write);
      case 'value.set':
      case 'value.delete':
      case 'list.append':
      case 'list.remove':
      case 'list.clear':
        return this.#state(write.addr);
    }
  }

  /** A task may come after the conversation it owns, so owners are looked at when the batch is whole. */
  finish(): void {
    const roots = new Map<Id, Id>();
    for (const { id, owner } of this.#pending.createdConversations) {
      if (owner === undefined) continue;
      const task = this.#pending.task(owner);
      if (task === undefined)
        throw new Rejected('ownership', `conversation ${id} names task ${owner} as its owner, which does not exist`);
      this.#conversation(task.conversationId);
      if (this.#ownershipRoot(id, roots) === undefined) throw new Rejected('ownership', `conversation ${id} would own itself`);
    }
  }

  #createConversation(conversation: Conversation): void {
    const { parent } = conversation;
    if (parent !== undefined) {
      this.#conversation(parent.conversationId);
      if (parent.at !== 0 && !this.#pending.sees(parent.conversationId, parent.at))
        throw new Rejected('notVisible', `entry ${parent.at} is not in the transcript of conversation ${parent.conversationId}`);
    }
    this.#pending.addConversation(conversation);
  }

  #deleteConversation(id: Id): void {
    this.#conversation(id);
    const live = this.#storage
      .scanTasks({ conversationIds: [id], live: true, limit: end })
      .items.filter((task) => this.#isLive(this.#pending.task(task.id)));
    const added = [...this.#pending.tasks].filter((task) => task.conversationId === id && this.#isLive(task));
    const [task] = [...live, ...added];
    if (task !== undefined) throw new Rejected('liveWork', `conversation ${id} has live work: task ${task.id}`);
    for (const child of this.#ownedBy(id))
      if (this.#pending.conversation(child) !== undefined)
        throw new Rejected('ownership', `conversation ${id} owns conversation ${child}, which is not deleted`);
    this.#pending.removeConversation(id);
  }

  #entry(entry: Entry): void {
    this.#conversation(entry.conversationId);
    const kind = this.#kinds.entry(entry.kind);
    if (kind.edit !== undefined)
      for (const { target } of kind.edit(entry))
        if (!this.#pending.sees(entry.conversationId, target))
          throw new Rejected(
            'notVisible',
            `entry ${target}, the target of an edit, is not an earlier entry of conversation ${entry.conversationId}`,
          );
    if (kind.head !== undefined) this.#head(entry, kind.head(entry));
    const answers = kind.exchange?.(entry).answers;
    if (answers !== undefined) checkAnswer(entry, answers, this.#exchangeEntries(entry));
    if (entry.byTaskId !== undefined && this.#pending.task(entry.byTaskId) === undefined)
      throw new Rejected('unknownTask', `there is no task ${entry.byTaskId}`);
    this.#pending.addEntry(entry);
  }

  #head(entry: Entry, from: Id): void {
    if (from !== entry.id && !(from < entry.id && this.#pending.sees(entry.conversationId, from)))
      throw new Rejected(
        'notVisible',
        `entry ${from}, the first one to retain, is not in the transcript of conversation ${entry.conversationId}`,
      );
    const previous = this.#pending.newestHead(entry.conversationId);
    const before = previous === undefined ? 0 : this.#kinds.retainedFrom(previous);
    if (from < before)
      throw new Rejected('headMovesBack', `the context begins at entry ${before} and cannot move back to ${from}`);
    if (this.#kinds.entry(entry.kind).exchange !== undefined) checkCut(entry, from, this.#exchangeEntries(entry));
  }

  #exchangeEntries({ conversationId }: Entry): Iterable<ExchangeEntry> {
    return exchangeEntries(this.#storage, this.#kinds, this.#pending, conversationId);
  }

  #task(task: Task): void {
    this.#conversation(task.conversationId);
    this.#kinds.role(task.kind, task.status);
    for (const id of task.after) {
      const dependency = this.#pending.task(id);
      if (dependency === undefined) throw new Rejected('unknownTask', `task ${id}, to be waited for, does not exist`);
      if (this.#ownershipRoot(dependency.conversationId) !== this.#ownershipRoot(task.conversationId))
        throw new Rejected('foreignDependency', `task ${id}, to be waited for, is in another ownership tree`);
    }
    for (const id of task.owns ?? [])
      if (this.#pending.conversation(id)?.owner !== undefined && this.#pending.conversation(id)?.owner !== task.id)
        throw new Rejected('ownership', `conversation ${id} has another owner`);
    this.#pending.putTask(task);
  }

  #change(id: Id, change: { readonly type: 'patch' | 'settle'; readonly status?: string; readonly abort?: true }): void {
    const task = this.#pending.task(id);
    if (task === undefined) throw new Rejected('unknownTask', `there is no task ${id}`);
    if (!this.#isLive(task)) throw new Rejected('taskIsTerminal', `task ${id} is ${task.status}, which is final`);
    const status = change.status ?? task.status;
    const isFinal = this.#kinds.role(task.kind, status) === 'terminal';
    if (isFinal !== (change.type === 'settle'))
      throw new Rejected(
        'unknownStatus',
        `task ${id} is settled with a final status and patched with any other; ${status} is ${isFinal ? '' : 'not '}final`,
      );
    this.#pending.putTask({ ...task, status, ...(change.abort === undefined ? {} : { abort: true as const }) });
  }

  #state(addr: Address): void {
    if ('scratch' in addr.scope) throw new Rejected('scope', 'scratch is written by scratch commits only');
    if ('session' in addr.scope) {
      if (addr.rewind) throw new Rejected('scope', 'session state is never rewindable');
      return;
    }
    this.#conversation(addr.scope.conversation);
  }

  #conversation(id: Id): Conversation {
    const conversation = this.#pending.conversation(id);
    if (conversation === undefined) throw new Rejected('unknownConversation', `there is no conversation ${id}`);
    return conversation;
  }

  #isLive(task: PendingTask | undefined): boolean {
    return task !== undefined && this.#kinds.role(task.kind, task.status) !== 'terminal';
  }

  #ownedBy(conversation: Id): readonly Id[] {
    const stored = this.#storage.scanConversations({ ownedFrom: conversation, limit: end }).items;
    const created = [...this.#pending.createdConversations].filter(
      (c) => c.owner !== undefined && this.#pending.task(c.owner)?.conversationId === conversation,
    );
    return [...stored, ...created].map((c) => c.id);
  }

  /** Up over owner tasks to the conversation that nobody owns; undefined for a circle, which only a batch could make. `known`: roots found so far. */
  #ownershipRoot(conversation: Id, known: Map<Id, Id> = new Map<Id, Id>()): Id | undefined {
    const passed = new Set<Id>();
    let root: Id | undefined;
    for (let current = conversation; root === undefined;) {
      if (passed.has(current)) return undefined;
      passed.add(current);
      const owner = this.#pending.conversation(current)?.owner;
      const task = owner === undefined ? undefined : this.#pending.task(owner);
      root = known.get(current) ?? (task === undefined ? current : undefined);
      current = task?.conversationId ?? current;
    }
    for (const id of passed) known.set(id, root);
    return root;
  }
}

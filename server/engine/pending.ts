/**
 * What a batch sees while it is validated: committed state with the batch's earlier writes over it (engine specification 7.3).
 * Only what was written in the batch is held; everything else is read from what the commit builds on.
 */
import type { CommitBase } from './commit-base.ts';
import type { Conversation, Entry, Id, Task } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

/** What a task's state says is nobody's business here. */
export type PendingTask = Omit<Task, 'state'>;

/** A part of a transcript. */
export interface Near {
  readonly conversation: Id;
  readonly through: Id;
}

export class Pending {
  readonly #storage: Storage;
  readonly #base: CommitBase;
  readonly #created = new Map<Id, Conversation>();
  readonly #removed = new Set<Id>();
  readonly #entries = new Map<Id, Entry>();
  /** The batch's entries, and of these its heads, oldest first. */
  readonly #order: Entry[] = [];
  readonly #heads: Entry[] = [];
  readonly #tasks = new Map<Id, PendingTask>();

  constructor(storage: Storage, base: CommitBase) {
    this.#storage = storage;
    this.#base = base;
  }

  conversation(id: Id): Conversation | undefined {
    if (this.#removed.has(id)) return undefined;
    const created = this.#created.get(id);
    if (created !== undefined) return created;
    return this.#base.conversation(id);
  }

  entry(id: Id): Entry | undefined {
    return this.#entries.get(id) ?? this.#storage.getEntries([id]).get(id);
  }

  task(id: Id): PendingTask | undefined {
    return this.#tasks.get(id) ?? this.#base.header(id);
  }

  /** Whether the entry is in that conversation's logical transcript. */
  sees(conversation: Id, entry: Id): boolean {
    const near = this.#near(conversation);
    const pending = this.#entries.get(entry);
    if (pending !== undefined) return isIn(near, pending);
    return near.some((s) => !this.#created.has(s.conversation) && entry <= s.through && this.#isStoredIn(s.conversation, entry));
  }

  newestHead(conversation: Id): Entry | undefined {
    const near = this.#near(conversation);
    const pending = this.#heads.findLast((head) => isIn(near, head));
    if (pending !== undefined) return pending;
    const base = this.storedPart(conversation);
    const stored = base === undefined ? undefined : this.#storage.newestHead(base.conversation, base.through);
    return stored === undefined ? undefined : this.entry(stored.id);
  }

  /** The batch's entries in that conversation's transcript, newest first; all of them are newer than what is stored. */
  *entriesOf(conversation: Id): Iterable<Entry> {
    const near = this.#near(conversation);
    for (let i = this.#order.length - 1; i >= 0; i--) {
      const entry = this.#order[i];
      if (entry !== undefined && isIn(near, entry)) yield entry;
    }
  }

  /** The committed rest of that conversation's transcript. */
  storedPart(conversation: Id): Near | undefined {
    return this.#near(conversation).find((s) => !this.#created.has(s.conversation));
  }

  addConversation(conversation: Conversation): void {
    this.#created.set(conversation.id, conversation);
  }

  removeConversation(id: Id): void {
    this.#removed.add(id);
  }

  addEntry(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    this.#order.push(entry);
    if (entry.head === true) this.#heads.push(entry);
  }

  putTask(task: PendingTask): void {
    this.#tasks.set(task.id, task);
  }

  /** Tasks that the batch wrote, as they are after it so far. */
  get tasks(): Iterable<PendingTask> {
    return this.#tasks.values();
  }

  get createdConversations(): Iterable<Conversation> {
    return this.#created.values();
  }

  /** The conversation and the ancestors that the batch created, then the stored one they stem from: entries of the batch are in no other. */
  #near(conversation: Id): readonly Near[] {
    const near: Near[] = [];
    let [current, through] = [conversation, end];
    for (;;) {
      near.push({ conversation: current, through });
      const parent = this.#created.get(current)?.parent;
      if (parent === undefined) return near;
      through = Math.min(through, parent.at);
      current = parent.conversationId;
    }
  }

  #isStoredIn(conversation: Id, entry: Id): boolean {
    return this.#storage.scanEntries({ conversationId: conversation, from: entry, through: entry, limit: 1 }).items.length > 0;
  }
}

function isIn(near: readonly Near[], entry: Entry): boolean {
  return near.some((s) => s.conversation === entry.conversationId && entry.id <= s.through);
}

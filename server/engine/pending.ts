/**
 * What a batch sees while it is validated: committed state with the batch's earlier writes over it (engine specification 7.3).
 * Only what was written in the batch is held; everything else is read from storage, conversations once.
 */
import type { Conversation, Entry, Id, Task } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

/** A part of a transcript that may hold entries of the batch. */
interface Near {
  readonly conversation: Id;
  readonly through: Id;
}

export class Pending {
  readonly #storage: Storage;
  readonly #stored = new Map<Id, Conversation | undefined>();
  readonly #created = new Map<Id, Conversation>();
  readonly #removed = new Set<Id>();
  readonly #entries = new Map<Id, Entry>();
  /** The batch's heads, oldest first. */
  readonly #heads: Entry[] = [];
  readonly #tasks = new Map<Id, Task>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  conversation(id: Id): Conversation | undefined {
    if (this.#removed.has(id)) return undefined;
    const created = this.#created.get(id);
    if (created !== undefined) return created;
    if (!this.#stored.has(id)) this.#stored.set(id, this.#storage.getConversations([id]).get(id));
    return this.#stored.get(id);
  }

  entry(id: Id): Entry | undefined {
    return this.#entries.get(id) ?? this.#storage.getEntries([id]).get(id);
  }

  task(id: Id): Task | undefined {
    return this.#tasks.get(id) ?? this.#storage.getTasks([id]).get(id);
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
    const base = near.find((s) => !this.#created.has(s.conversation));
    const stored = base === undefined ? undefined : this.#storage.newestHead(base.conversation, base.through);
    return stored === undefined ? undefined : this.entry(stored.id);
  }

  addConversation(conversation: Conversation): void {
    this.#created.set(conversation.id, conversation);
  }

  removeConversation(id: Id): void {
    this.#removed.add(id);
  }

  addEntry(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    if (entry.head === true) this.#heads.push(entry);
  }

  putTask(task: Task): void {
    this.#tasks.set(task.id, task);
  }

  /** Tasks that the batch wrote, as they are after it so far. */
  get tasks(): Iterable<Task> {
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

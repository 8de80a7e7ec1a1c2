/**
 * What a commit builds on: committed tasks and conversations, each read at most once while the commit is made and validated. Nothing else
 * can be committed meanwhile, so what was read stays true. Not for what a closure reads: that gets copies of its own.
 */
import type { Conversation, Id, Task } from './records.ts';
import type { StorageReads } from './storage.ts';

export class CommitBase {
  readonly #storage: StorageReads;
  readonly #tasks = new Map<Id, Task | undefined>();
  readonly #headers = new Map<Id, Omit<Task, 'state'> | undefined>();
  readonly #conversations = new Map<Id, Conversation | undefined>();

  constructor(storage: StorageReads) {
    this.#storage = storage;
  }

  task(id: Id): Task | undefined {
    if (!this.#tasks.has(id)) this.#tasks.set(id, this.#storage.getTasks([id]).get(id));
    return this.#tasks.get(id);
  }

  /** A task without its state, which is then not decoded. */
  header(id: Id): Omit<Task, 'state'> | undefined {
    const task = this.#tasks.get(id);
    if (task !== undefined) return task;
    if (!this.#headers.has(id)) this.#headers.set(id, this.#storage.getTaskHeaders([id]).get(id));
    return this.#headers.get(id);
  }

  conversation(id: Id): Conversation | undefined {
    if (!this.#conversations.has(id)) this.#conversations.set(id, this.#storage.getConversations([id]).get(id));
    return this.#conversations.get(id);
  }
}

/**
 * What a commit under construction has made of things: committed state with the commit's own writes over it. The reads of a commit see
 * committed state (engine specification 9.2); this is for what composes several steps in one commit, where a second step has to
 * know of the first: whether a conversation is busy now, what is left in its inbox, which configuration a new task captures.
 */
import type { Element, Id, List, MainWrite, StateWrite, TaskHeader, Value } from './records.ts';
import { addressKey, end } from './storage.ts';
import type { StorageReads } from './storage.ts';

export class SoFar {
  readonly #committed: StorageReads;
  readonly #writes: readonly MainWrite[];
  readonly #first: Id;

  /** `first`: number of the first write. */
  constructor(committed: StorageReads, writes: readonly MainWrite[], first: Id) {
    this.#committed = committed;
    this.#writes = writes;
    this.#first = first;
  }

  value<T>(addr: Value<T>): T | undefined {
    const last = this.#writesOf(addr).at(-1)?.write;
    if (last === undefined) return this.#committed.getValue(addr)?.value;
    // It was written under the same address, which gives it its type.
    return last.type === 'value.set' ? (last.value as T) : undefined;
  }

  elements<T>(addr: List<T>): readonly Element<T>[] {
    let elements: readonly Element<T>[] = this.#committed.readList(addr, { limit: end }).items;
    for (const { id, write } of this.#writesOf(addr)) {
      if (write.type === 'list.append') elements = [...elements, { id, value: write.value as T }];
      if (write.type === 'list.remove') elements = elements.filter((element) => element.id !== write.element);
      if (write.type === 'list.clear') elements = [];
    }
    return elements;
  }

  /** Live tasks of the conversation; the foreground alone is found whatever the number of background tasks. */
  live(conversation: Id, ground: 'any' | 'foreground' = 'any'): readonly Pick<TaskHeader, 'id' | 'kind' | 'background'>[] {
    const settled = new Set<Id>();
    const created: Pick<TaskHeader, 'id' | 'kind' | 'background'>[] = [];
    for (const write of this.#writes) {
      if (write.type === 'settle') settled.add(write.id);
      if (write.type === 'task' && write.role !== 'terminal' && write.task.conversationId === conversation)
        created.push(write.task);
    }
    const wanted = { conversationIds: [conversation], live: true, ...(ground === 'any' ? {} : { background: false }) };
    const committed = this.#committed.scanTaskHeaders({ ...wanted, limit: end }).items;
    return [...committed, ...created].filter((task) => !settled.has(task.id) && (ground === 'any' || task.background !== true));
  }

  /** Whether the conversation's foreground set is not empty (8.1). */
  isBusy(conversation: Id): boolean {
    return this.live(conversation, 'foreground').length > 0;
  }

  #writesOf(addr: Value<unknown>): readonly { readonly id: Id; readonly write: StateWrite }[] {
    const key = addressKey(addr);
    return this.#writes.flatMap((write, i) =>
      'addr' in write && addressKey(write.addr) === key ? [{ id: this.#first + i, write }] : [],
    );
  }
}

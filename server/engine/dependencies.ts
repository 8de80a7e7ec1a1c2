/**
 * Which startable tasks wait for which others (engine specification 5.4). A dependency counts once it is terminal, however it ended.
 * What a task waits for is read once, that of many tasks in one batch; from then on the settlements that this process commits
 * are counted down, so a join of a thousand tasks costs each of them once. There is one writer a session, so none is missed.
 */
import type { Id, TaskHeader } from './records.ts';
import type { Storage } from './storage.ts';

export class Dependencies {
  readonly #storage: Storage;
  /** By waiting task: what it still waits for; never empty. */
  readonly #unfinished = new Map<Id, Set<Id>>();
  /** By task that is waited for. */
  readonly #waiting = new Map<Id, Set<Id>>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Those of the tasks that wait for nothing; the others are remembered. */
  startable(tasks: readonly TaskHeader[]): readonly TaskHeader[] {
    const unread = tasks.filter(({ id, after }) => after.length > 0 && !this.#unfinished.has(id));
    const found = unread.length === 0 ? undefined : this.#storage.getTaskHeaders(unread.flatMap(({ after }) => after));
    const isUnfinished = (id: Id): boolean => (found?.get(id)?.role ?? 'terminal') !== 'terminal';
    for (const { id, after } of unread) this.#wait(id, after.filter(isUnfinished));
    return tasks.filter(({ id }) => !this.#unfinished.has(id));
  }

  /** The task is terminal: the tasks that now wait for nothing any more. */
  settled(id: Id): readonly Id[] {
    for (const dependency of this.#unfinished.get(id) ?? []) this.#waiting.get(dependency)?.delete(id);
    this.#unfinished.delete(id);
    const free: Id[] = [];
    for (const waiting of this.#waiting.get(id) ?? []) {
      const unfinished = this.#unfinished.get(waiting);
      unfinished?.delete(id);
      if (unfinished?.size !== 0) continue;
      this.#unfinished.delete(waiting);
      free.push(waiting);
    }
    this.#waiting.delete(id);
    return free;
  }

  #wait(id: Id, unfinished: readonly Id[]): void {
    if (unfinished.length === 0) return;
    this.#unfinished.set(id, new Set(unfinished));
    for (const dependency of unfinished) {
      const waiting = this.#waiting.get(dependency);
      if (waiting === undefined) this.#waiting.set(dependency, new Set([id]));
      else waiting.add(id);
    }
  }
}

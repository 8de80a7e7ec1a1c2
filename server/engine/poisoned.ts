/**
 * Tasks that their kind failed in this process (engine specification 6.1): they are not executed again before the next one. The abort of one
 * still is, unless it failed too, so that it can be ended. What waits for such a task is as stuck as the task itself.
 */
import type { Id, TaskHeader } from './records.ts';
import type { Storage } from './storage.ts';

interface Poison {
  readonly error: unknown;
  readonly abort: boolean;
}

export class Poisoned {
  readonly #storage: Storage;
  readonly #tasks = new Map<Id, Poison>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  /** `abort`: it was its abort that failed. */
  add(task: Id, error: unknown, abort: boolean): void {
    this.#tasks.set(task, { error, abort });
  }

  settled(task: Id): void {
    this.#tasks.delete(task);
  }

  /** Nothing of the task is called in this process any more. */
  isGivenUp({ id, abort }: TaskHeader): boolean {
    const poison = this.#tasks.get(id);
    return poison !== undefined && (poison.abort || abort !== true);
  }

  /**
   * Of these live tasks and of everything they wait for, the ones that cannot go on, in the order of their ids, and why. `runs`: whether a
   * call of the task is running.
   */
  stuck(live: readonly TaskHeader[], runs: (task: Id) => boolean): ReadonlyMap<Id, unknown> {
    const stuck = new Map<Id, unknown>();
    // A dependency is older than what waits for it, so it is looked at first.
    for (const task of this.#withDependencies(live).toSorted((a, b) => a.id - b.id)) {
      if (task.role === 'terminal' || runs(task.id)) continue;
      const cause = task.role === 'start' && task.abort !== true ? task.after.find((id) => stuck.has(id)) : undefined;
      if (this.isGivenUp(task)) stuck.set(task.id, this.#tasks.get(task.id)?.error);
      else if (cause !== undefined) stuck.set(task.id, stuck.get(cause));
    }
    return stuck;
  }

  #withDependencies(live: readonly TaskHeader[]): readonly TaskHeader[] {
    const found = [...live];
    const seen = new Set(live.map(({ id }) => id));
    for (let level = live; level.length > 0;) {
      const unread = new Set(level.flatMap(({ after }) => after).filter((id) => !seen.has(id)));
      for (const id of unread) seen.add(id);
      level = unread.size === 0 ? [] : [...this.#storage.getTaskHeaders([...unread]).values()];
      for (const task of level) found.push(task);
    }
    return found;
  }
}

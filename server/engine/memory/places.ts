/** Something kept for each address, found by its place, with the keys of a namespace in order. */
import type { Place } from '../place.ts';
import type { Id } from '../records.ts';
import { OrderedMap } from './ordered-map.ts';

export class Places<T> {
  readonly #ids = new Map<Id, Map<string, OrderedMap<T>>>();

  get({ id, namespace, key }: Place): T | undefined {
    return this.#ids.get(id)?.get(namespace)?.get(key);
  }

  set({ id, namespace, key }: Place, value: T): void {
    let namespaces = this.#ids.get(id);
    if (namespaces === undefined) {
      namespaces = new Map();
      this.#ids.set(id, namespaces);
    }
    let keys = namespaces.get(namespace);
    if (keys === undefined) {
      keys = new OrderedMap();
      namespaces.set(namespace, keys);
    }
    keys.set(key, value);
  }

  delete({ id, namespace, key }: Place): void {
    const namespaces = this.#ids.get(id);
    const keys = namespaces?.get(namespace);
    if (namespaces === undefined || keys === undefined) return;
    keys.delete(key);
    if (keys.size === 0) namespaces.delete(namespace);
    if (namespaces.size === 0) this.#ids.delete(id);
  }

  /** The smallest key of the place's namespace behind the place's. */
  nextKey({ id, namespace, key }: Place): string | undefined {
    return this.#ids.get(id)?.get(namespace)?.next(key);
  }

  *entries(): Generator<readonly [Place, T], void, undefined> {
    for (const [id, namespaces] of this.#ids)
      for (const [namespace, keys] of namespaces)
        for (const [key, value] of keys.entries()) yield [{ id, namespace, key }, value];
  }

  /** Everything that is kept under that id. */
  drop(id: Id): void {
    this.#ids.delete(id);
  }
}

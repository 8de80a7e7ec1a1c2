/**
 * A map of texts that can say which key comes next, by code points. Keys are put in order when somebody asks, not when they are added:
 * new ones are sorted among themselves and merged, so that many additions between two scans cost one pass.
 */
import { compareCodePoints } from '../code-points.ts';

export class OrderedMap<T> {
  readonly #values = new Map<string, T>();
  /** In order; holds keys that are gone until the next merge. */
  #sorted: string[] = [];
  #added: string[] = [];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  /** In the order of their addition. */
  entries(): Iterable<readonly [string, T]> {
    return this.#values;
  }

  set(key: string, value: T): void {
    if (!this.#values.has(key)) this.#added.push(key);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** The smallest key behind that one. */
  next(key: string): string | undefined {
    if (this.#added.length > 0 || this.#sorted.length > 2 * this.#values.size + 16) this.#merge();
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareCodePoints(this.#sorted[middle] ?? '', key) <= 0) low = middle + 1;
      else high = middle;
    }
    while (low < this.#sorted.length && !this.#values.has(this.#sorted[low] ?? '')) low++;
    return this.#sorted[low];
  }

  #merge(): void {
    const added = this.#added.toSorted(compareCodePoints);
    const merged: string[] = [];
    const take = (key: string): void => {
      if (key !== merged.at(-1) && this.#values.has(key)) merged.push(key);
    };
    let i = 0;
    for (const key of this.#sorted) {
      for (; i < added.length && compareCodePoints(added[i] ?? '', key) < 0; i++) take(added[i] ?? '');
      take(key);
    }
    for (; i < added.length; i++) take(added[i] ?? '');
    this.#sorted = merged;
    this.#added = [];
  }
}

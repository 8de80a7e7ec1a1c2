/** Arrays in the order of their ids, which grow: found by halving, cut by range, no element looked at outside of it. */
import type { Range } from '../paging.ts';
import type { Id } from '../records.ts';

interface Identified {
  readonly id: Id;
}

/** Index of the first item whose id is `id` or more. */
function lowerBound(items: readonly Identified[], id: Id): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Up to `limit` of those that are accepted, in the range's order. */
export function cut<T extends Identified>(
  items: readonly T[],
  { low, high, order }: Range,
  limit: number,
  accepts: (item: T) => boolean = () => true,
): T[] {
  const found: T[] = [];
  if (high < low) return found;
  const step = order === 'asc' ? 1 : -1;
  for (let i = order === 'asc' ? lowerBound(items, low) : lowerBound(items, high + 1) - 1; found.length < limit; i += step) {
    const item = items[i];
    if (item === undefined || item.id < low || item.id > high) break;
    if (accepts(item)) found.push(item);
  }
  return found;
}

/** The newest at or before `through`. */
export function newestAt<T extends Identified>(items: readonly T[], through: Id): T | undefined {
  return items[lowerBound(items, through + 1) - 1];
}

export function countIn(items: readonly Identified[], low: Id, high: Id): number {
  return high < low ? 0 : lowerBound(items, high + 1) - lowerBound(items, low);
}

/** At its place; at the end when it is the youngest, as nearly always. */
export function insert<T extends Identified>(items: T[], item: T): void {
  const last = items.at(-1);
  if (last === undefined || last.id < item.id) items.push(item);
  else items.splice(lowerBound(items, item.id), 0, item);
}

export function remove(items: Identified[], id: Id): void {
  const at = lowerBound(items, id);
  if (items[at]?.id === id) items.splice(at, 1);
}

/** The list of that key, made when there is none. */
export function listOf<K, T>(lists: Map<K, T[]>, key: K): T[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = [];
    lists.set(key, list);
  }
  return list;
}

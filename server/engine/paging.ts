/** Cursors to ranges and rows to pages. A page tells of a next one only when there is one: one row more is read. */
import { Rejected } from './errors.ts';
import type { Id } from './records.ts';
import type { Cursor, Page } from './storage.ts';
import { end } from './storage.ts';

export type Order = 'asc' | 'desc';
/** Ids from `low` to `high`, both inclusive. */
export interface Range {
  readonly low: Id;
  readonly high: Id;
  readonly order: Order;
}

/** More rows than any page may have; also what an infinite limit means. */
const most = 2 ** 31 - 2;

/** `from` and `through` are inclusive. Throws Rejected `cursor` for a cursor with both ends. */
export function rangeOf({ after, before }: Cursor, from: Id = 1, through: Id = end): Range {
  if (after !== undefined && before !== undefined)
    throw new Rejected('cursor', 'a cursor goes up after an id or down before one, not both');
  return {
    low: Math.max(from, after === undefined ? 1 : after + 1),
    high: Math.min(through, before === undefined ? end : before - 1),
    order: before === undefined ? 'asc' : 'desc',
  };
}

export function pageLimit({ limit }: { readonly limit: number }): number {
  if (Number.isNaN(limit)) throw new Rejected('cursor', 'a page needs a limit');
  return Math.min(Math.max(Math.floor(limit), 0), most);
}

/** `rows` were read with a limit of one more than the page has. */
export function toPage<T extends { readonly id: Id }>(rows: readonly T[], limit: number, readAt: Id): Page<T> {
  const items = rows.length > limit ? rows.slice(0, limit) : rows;
  const last = items.at(-1);
  return rows.length > limit && last !== undefined ? { items, next: last.id, readAt } : { items, readAt };
}

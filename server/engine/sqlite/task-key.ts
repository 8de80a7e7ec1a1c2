/**
 * The rowid of a task: its session's number above 32 bits of its id, so that a task is found without an index and those of a session stand
 * together in the order of their ids. A number of JavaScript holds it: 2,097,151 sessions of 4,294,967,295 ids each. What does not fit is
 * refused when it is written and is not there when it is read; it never becomes another session's.
 */
import { Rejected } from '../errors.ts';
import type { Range } from '../paging.ts';
import type { Id } from '../records.ts';

const ids = 2 ** 32;
/** No task has it. */
const nowhere = -1;

/** The id of `key` in SQL. */
export const idOfKey = (key: string): string => `(${key} & ${ids - 1})`;

/** Throws Rejected `sequence`. */
export function newTaskKey(session: number, id: Id): number {
  const key = taskKey(session, id);
  if (key === nowhere)
    throw new Rejected('sequence', `task ${id} of session ${session} has no place in this file: its numbers are too large`);
  return key;
}

/** -1, which no task has, for an id that none can have. */
export function taskKey(session: number, id: Id): number {
  const key = session * ids + id;
  return id >= 1 && id < ids && Number.isSafeInteger(key) ? key : nowhere;
}

/** The keys of that range of ids. */
export function taskKeys(session: number, { low, high }: Pick<Range, 'low' | 'high'>): readonly [low: number, high: number] {
  const first = session * ids;
  return [first + Math.max(low, 1), first + Math.min(high, ids - 1)];
}

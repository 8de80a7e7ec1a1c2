/** The one sequence of a session (engine specification 3.1, 7.3): write i of a batch gets the last number + 1 + i, and a record carries it. */
import { Rejected } from './errors.ts';
import type { CommitBatch, Id } from './records.ts';

/** The numbers of a batch's writes; `last` is `first - 1` for a batch without any. Throws Rejected `sequence` at the end of the numbers. */
export function sequenceOf(batch: CommitBatch, lastSeq: Id): { readonly first: Id; readonly last: Id } {
  const first = lastSeq + 1;
  const last = lastSeq + batch.writes.length;
  if (!Number.isSafeInteger(last)) throw new Rejected('sequence', 'the session has no sequence numbers left');
  return { first, last };
}

/** Throws Rejected `sequence` for a record that says it is another one. */
export function checkId(id: Id, seq: Id): void {
  if (id !== seq) throw new Rejected('sequence', `the record says it is ${id}, its place in the sequence is ${seq}`);
}

/** Throws Rejected `sequence` for what no element can have as its id, and no file could say. */
export function checkElement(element: Id): void {
  if (!Number.isSafeInteger(element) || element < 1)
    throw new Rejected('sequence', `${element} is no sequence number: an element of a list is removed by its id`);
}

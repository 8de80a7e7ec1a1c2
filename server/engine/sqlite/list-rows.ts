/**
 * Statements over lists: `engine_list_elements`, and `engine_clear_markers` by which a rewindable list hides elements
 * without losing what an earlier fork reads: one marker an element, or element 0 for all before it. A sticky list has
 * no past: there an element is deleted.
 */
import type { Database } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { Range } from '../paging.ts';
import type { Element, Id, Json } from '../records.ts';
import { integer, text } from './parameter.ts';

interface ElementRow {
  readonly seq: Id;
  readonly value: string;
}
type Place = [session: number, conversation: Id, namespace: string, key: string];
export type ListRows = ReturnType<typeof listRows>;

const everything = 0;

export function listRows(db: Database) {
  const address = `session = ${integer} AND conversation = ${integer} AND namespace = ${text} AND key = ${text}`;
  const append = db.prepare<[...Place, number, Id, string]>(
    'INSERT INTO engine_list_elements (session, conversation, namespace, key, rewind, seq, value) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const removeSticky = db.prepare<[...Place, Id]>(`DELETE FROM engine_list_elements WHERE ${address} AND rewind = 0 AND seq = ?`);
  const clearSticky = db.prepare<Place>(`DELETE FROM engine_list_elements WHERE ${address} AND rewind = 0`);
  const mark = db.prepare<[...Place, Id, Id]>(
    'INSERT INTO engine_clear_markers (session, conversation, namespace, key, element, seq) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const range = (order: 'ASC' | 'DESC') =>
    db.prepare<[...Place, number, Id, Id, number], ElementRow>(
      `SELECT seq, value FROM engine_list_elements WHERE ${address} AND rewind = ${integer} AND seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ${integer}`,
    );
  const ranges = { asc: range('ASC'), desc: range('DESC') };
  const newestClear = db
    .prepare<[...Place, Id], Id | null>(`SELECT max(seq) FROM engine_clear_markers WHERE ${address} AND element = 0 AND seq <= ?`)
    .pluck();
  const removed = db
    .prepare<[...Place, Id, Id, Id], Id>(
      `SELECT element FROM engine_clear_markers WHERE ${address} AND element BETWEEN ? AND ? AND seq <= ?`,
    )
    .pluck();
  return {
    append: (place: Place, rewind: boolean, seq: Id, value: Json): void =>
      void append.run(...place, Number(rewind), seq, jsonText(value)),
    removeSticky: (place: Place, element: Id): void => void removeSticky.run(...place, element),
    clearSticky: (place: Place): void => void clearSticky.run(...place),
    markRemoved: (place: Place, element: Id, seq: Id): void => void mark.run(...place, element, seq),
    markCleared: (place: Place, seq: Id): void => void mark.run(...place, everything, seq),
    elements: (place: Place, rewind: boolean, { low, high, order }: Range, limit: number): Element<Json>[] =>
      ranges[order]
        .all(...place, Number(rewind), low, high, limit)
        .map((row) => ({ id: row.seq, value: JSON.parse(row.value) as Json })),
    /** Position of the newest clear at or before `at`; 0 when there is none. */
    newestClear: (place: Place, at: Id): Id => newestClear.get(...place, at) ?? 0,
    /** Which of those elements, which stand in order, were removed at or before `at`; others between them may be told too. */
    removed(place: Place, elements: readonly Id[], at: Id): Id[] {
      const [first = 0, last = first] = [elements[0], elements.at(-1)];
      return removed.all(...place, Math.min(first, last), Math.max(first, last), at);
    },
  };
}

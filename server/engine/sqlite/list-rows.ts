/**
 * Statements over lists: `engine_list_elements`, and `engine_clear_markers` by which a rewindable list hides elements
 * without losing what an earlier fork reads: one marker an element, or element 0 for all before it. A sticky list has
 * no past: there an element is deleted.
 */
import type { Database } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { Range } from '../paging.ts';
import type { Element, Id, Json } from '../records.ts';

interface ElementRow {
  readonly seq: Id;
  readonly value: string;
}
type Place = [session: number, conversation: Id, namespace: string, key: string];
export type ListRows = ReturnType<typeof listRows>;

const everything = 0;

export function listRows(db: Database) {
  const address = 'session = ? AND conversation = ? AND namespace = ? AND key = ?';
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
      `SELECT seq, value FROM engine_list_elements WHERE ${address} AND rewind = ? AND seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?`,
    );
  const ranges = { asc: range('ASC'), desc: range('DESC') };
  const newestClear = db
    .prepare<[...Place, Id], Id | null>(`SELECT max(seq) FROM engine_clear_markers WHERE ${address} AND element = 0 AND seq <= ?`)
    .pluck();
  const removed = db
    .prepare<[string, ...Place, Id], Id>(
      `SELECT m.element FROM json_each(?) AS wanted CROSS JOIN engine_clear_markers AS m
       ON m.session = ? AND m.conversation = ? AND m.namespace = ? AND m.key = ? AND m.element = wanted.value WHERE m.seq <= ?`,
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
    /** Which of those elements were removed at or before `at`. */
    removed: (place: Place, elements: readonly Id[], at: Id): Id[] => removed.all(JSON.stringify(elements), ...place, at),
  };
}

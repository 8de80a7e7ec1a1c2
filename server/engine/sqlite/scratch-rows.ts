/** Statements over `engine_scratch`: the working state of live tasks, deleted with the settlement (engine specification 4.6). */
import type { Database } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { Range } from '../paging.ts';
import type { Element, Id, Json, Version } from '../records.ts';
import { integer, text } from './parameter.ts';

interface Row {
  readonly seq: Id;
  readonly value: string;
}
type Place = [session: number, task: Id, namespace: string, key: string];
export type ScratchRows = ReturnType<typeof scratchRows>;

export function scratchRows(db: Database) {
  const address = `session = ${integer} AND task = ${integer} AND namespace = ${text} AND key = ${text}`;
  const insert = db.prepare<[...Place, number, Id, string]>(
    'INSERT INTO engine_scratch (session, task, namespace, key, list, seq, value) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const dropAll = db.prepare<[...Place, number]>(`DELETE FROM engine_scratch WHERE ${address} AND list = ?`);
  const dropElement = db.prepare<[...Place, Id]>(`DELETE FROM engine_scratch WHERE ${address} AND list = 1 AND seq = ?`);
  const retire = db.prepare<[number, Id]>('DELETE FROM engine_scratch WHERE session = ? AND task = ?');
  const value = db.prepare<Place, Row>(
    `SELECT seq, value FROM engine_scratch WHERE ${address} AND list = 0 ORDER BY seq DESC LIMIT 1`,
  );
  const nextKey = db
    .prepare<Place, string | null>(
      `SELECT min(key) FROM engine_scratch WHERE session = ${integer} AND task = ${integer} AND namespace = ${text} AND key > ? AND list = 0`,
    )
    .pluck();
  const range = (order: 'ASC' | 'DESC') =>
    db.prepare<[...Place, Id, Id, number], Row>(
      `SELECT seq, value FROM engine_scratch WHERE ${address} AND list = 1 AND seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ${integer}`,
    );
  const ranges = { asc: range('ASC'), desc: range('DESC') };
  return {
    /** Where there is none. */
    addValue: (place: Place, seq: Id, json: Json): void => void insert.run(...place, 0, seq, jsonText(json)),
    deleteValue: (place: Place): void => void dropAll.run(...place, 0),
    append: (place: Place, seq: Id, json: Json): void => void insert.run(...place, 1, seq, jsonText(json)),
    remove: (place: Place, element: Id): void => void dropElement.run(...place, element),
    clear: (place: Place): void => void dropAll.run(...place, 1),
    retire: (session: number, task: Id): void => void retire.run(session, task),
    value(place: Place): Version<Json> | undefined {
      const row = value.get(...place);
      return row === undefined ? undefined : { seq: row.seq, value: JSON.parse(row.value) as Json };
    },
    nextKey: (place: Place): string | undefined => nextKey.get(...place) ?? undefined,
    elements: (place: Place, { low, high, order }: Range, limit: number): Element<Json>[] =>
      ranges[order].all(...place, low, high, limit).map((row) => ({ id: row.seq, value: JSON.parse(row.value) as Json })),
  };
}

/**
 * Statements over values: `engine_values` has the one current version of session and sticky values, `engine_value_versions`
 * every version of rewindable ones, null for a deletion.
 */
import type { Database } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { Id, Json, Version } from '../records.ts';
import { integer, text } from './parameter.ts';

interface VersionRow {
  readonly seq: Id;
  readonly value: string | null;
}
export type ValueRows = ReturnType<typeof valueRows>;

/** `conversation` is 0 for the session's own state. */
type Place = [session: number, conversation: Id, namespace: string, key: string];

export function valueRows(db: Database) {
  const set = db.prepare<[...Place, Id, string]>(
    `INSERT INTO engine_values (session, conversation, namespace, key, seq, value) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (session, conversation, namespace, key) DO UPDATE SET seq = excluded.seq, value = excluded.value`,
  );
  const remove = db.prepare<Place>(
    'DELETE FROM engine_values WHERE session = ? AND conversation = ? AND namespace = ? AND key = ?',
  );
  const current = db.prepare<Place, VersionRow>(
    'SELECT seq, value FROM engine_values WHERE session = ? AND conversation = ? AND namespace = ? AND key = ?',
  );
  const nextKey = db
    .prepare<Place, string | null>(
      `SELECT min(key) FROM engine_values WHERE session = ${integer} AND conversation = ${integer} AND namespace = ${text} AND key > ?`,
    )
    .pluck();
  const addVersion = db.prepare<[...Place, Id, string | null]>(
    'INSERT INTO engine_value_versions (session, conversation, namespace, key, seq, value) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const version = db.prepare<[...Place, Id], VersionRow>(
    `SELECT seq, value FROM engine_value_versions WHERE session = ${integer} AND conversation = ${integer} AND namespace = ${text} AND key = ${text} AND seq <= ?
     ORDER BY seq DESC LIMIT 1`,
  );
  const nextVersionKey = db
    .prepare<Place, string | null>(
      `SELECT min(key) FROM engine_value_versions WHERE session = ${integer} AND conversation = ${integer} AND namespace = ${text} AND key > ?`,
    )
    .pluck();
  return {
    set: (place: Place, seq: Id, value: Json): void => void set.run(...place, seq, jsonText(value)),
    remove: (place: Place): void => void remove.run(...place),
    current: (place: Place): Version<Json> | undefined => toVersion(current.get(...place)),
    /** The smallest stored key behind that one. */
    nextKey: (place: Place): string | undefined => nextKey.get(...place) ?? undefined,
    addVersion: (place: Place, seq: Id, value: Json): void => void addVersion.run(...place, seq, jsonText(value)),
    addDeletion: (place: Place, seq: Id): void => void addVersion.run(...place, seq, null),
    /** The newest version at or before `at`: 'deleted' where that is a deletion, undefined where there is none. */
    version(place: Place, at: Id): Version<Json> | 'deleted' | undefined {
      const row = version.get(...place, at);
      return row === undefined ? undefined : (toVersion(row) ?? 'deleted');
    },
    nextVersionKey: (place: Place): string | undefined => nextVersionKey.get(...place) ?? undefined,
  };
}

function toVersion(row: VersionRow | undefined): Version<Json> | undefined {
  return row === undefined || row.value === null ? undefined : { seq: row.seq, value: JSON.parse(row.value) as Json };
}

/** Statements over sessions, commit boundaries, of which the newest holds the last sequence number, and the kinds of entries ever written. */
import type { Database } from 'better-sqlite3';
import type { Id } from '../records.ts';
import { integer } from './parameter.ts';

export type SessionRows = ReturnType<typeof sessionRows>;

interface KnownSession {
  readonly session: number;
  /** Its storage version; null: it has none. */
  readonly version: string | null;
}

export function sessionRows(db: Database) {
  const find = db.prepare<[string], number>('SELECT session FROM engine_sessions WHERE name = ?').pluck();
  const name = db.prepare<[number], string>('SELECT name FROM engine_sessions WHERE session = ?').pluck();
  const insert = db.prepare<[string]>('INSERT INTO engine_sessions (name) VALUES (?)');
  const insertVersion = db.prepare<[number, string]>(
    "INSERT INTO engine_session_metadata (session, key, value) VALUES (?, 'storage_version', ?)",
  );
  const version = db
    .prepare<[number], string>("SELECT value FROM engine_session_metadata WHERE session = ? AND key = 'storage_version'")
    .pluck();
  const known = db.prepare<[string], KnownSession>(
    `SELECT session, (SELECT value FROM engine_session_metadata AS m WHERE m.session = s.session AND m.key = 'storage_version') AS version
     FROM engine_sessions AS s WHERE name = ?`,
  );
  const setVersion = db.prepare<[string, number]>(
    "UPDATE engine_session_metadata SET value = ? WHERE session = ? AND key = 'storage_version'",
  );
  const lastSeq = db
    .prepare<[number], Id>(`SELECT last FROM engine_commit_boundaries WHERE session = ${integer} ORDER BY first DESC LIMIT 1`)
    .pluck();
  const boundary = db.prepare<[number, Id, Id]>('INSERT INTO engine_commit_boundaries (session, first, last) VALUES (?, ?, ?)');
  const kinds = db.prepare<[number], string>('SELECT kind FROM engine_kinds WHERE session = ?').pluck();
  const addKind = db.prepare<[number, string]>('INSERT OR IGNORE INTO engine_kinds (session, kind) VALUES (?, ?)');
  const live = db
    .prepare<[], string>(
      `SELECT s.name FROM (SELECT DISTINCT session FROM engine_tasks INDEXED BY engine_tasks_live WHERE live IS NOT NULL) AS t
       CROSS JOIN engine_sessions AS s ON s.session = t.session ORDER BY t.session`,
    )
    .pluck();
  return {
    known: (named: string): KnownSession | undefined => known.get(named),
    find: (named: string): number | undefined => find.get(named),
    name: (session: number): string | undefined => name.get(session),
    create(named: string, storageVersion: string): number {
      const session = Number(insert.run(named).lastInsertRowid);
      insertVersion.run(session, storageVersion);
      return session;
    },
    setVersion: (session: number, storageVersion: string): void => void setVersion.run(storageVersion, session),
    version: (session: number): string | undefined => version.get(session),
    lastSeq: (session: number): Id => lastSeq.get(session) ?? 0,
    /** Fails when the session has a boundary there already: somebody else writes it. */
    advance: (session: number, first: Id, last: Id): void => void boundary.run(session, first, last),
    /** Names of those that have live tasks. */
    live: (): string[] => live.all(),
    kinds: (session: number): string[] => kinds.all(session),
    addKind: (session: number, kind: string): void => void addKind.run(session, kind),
  };
}

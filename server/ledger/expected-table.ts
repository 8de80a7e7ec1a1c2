/**
 * The `expected` table: sessions that a harness will begin itself, from a first prompt of Loom's that names a baton. Until such a session
 * is read its thread has a native session without a file, whose id is the prompt's mark; then that one takes the session's own id
 * (server/ingest/expected.ts). Its statements are made when they are asked for: a ledger of an older Loom has no such table.
 */
import type { Database, Statement } from 'better-sqlite3';
import { text } from '../engine/sqlite/parameter.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface ExpectedRow {
  /** Stands in the prompt, and nowhere else until somebody copies it. */
  readonly token: string;
  readonly harness: HarnessId;
  /** Number of the native session that waits for it. */
  readonly native: number;
  /** Real path of the folder that it is begun in; empty: it works in one of the harness's own. */
  readonly folder: string;
  /** The `handoff` entry that it begins behind. */
  readonly conversation: number;
  readonly entry: number;
  /** When the hand-over was, milliseconds since 1970. */
  readonly at: number;
  /** When it was read for the first time; null: it has not come yet. */
  readonly met_at: number | null;
}

const columns = 'token, harness, native, folder, conversation, entry, at, met_at';

export class ExpectedTable {
  readonly #db: Database;
  #open: Statement | undefined;
  #byNative: Statement | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  put(row: Omit<ExpectedRow, 'met_at'>): void {
    this.#db
      .prepare(
        'INSERT INTO expected (token, harness, native, folder, conversation, entry, at) VALUES (@token, @harness, @native, @folder, @conversation, @entry, @at)',
      )
      .run(row);
  }
  /** Those of the harness that have not come yet, newest first. */
  open(harness: HarnessId): readonly ExpectedRow[] {
    this.#open ??= this.#db.prepare(
      `SELECT ${columns} FROM expected WHERE harness = ${text} AND met_at IS NULL ORDER BY at DESC`,
    );
    return this.#open.all(harness) as ExpectedRow[];
  }
  byNative(native: number): ExpectedRow | undefined {
    this.#byNative ??= this.#db.prepare(`SELECT ${columns} FROM expected WHERE native = ?`);
    return this.#byNative.get(native) as ExpectedRow | undefined;
  }
  /** It has come: its native session takes its own id. In the transaction of its first records. */
  meet({ token, native }: ExpectedRow, nativeId: string, at: number): void {
    this.#db.prepare('UPDATE expected SET met_at = ? WHERE token = ?').run(at, token);
    this.#db.prepare('UPDATE natives SET native_id = ? WHERE number = ?').run(nativeId, native);
  }
}

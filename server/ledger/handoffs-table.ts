/**
 * The `handoffs` table: what Loom writes for other harnesses, by the session that it is for. A row is `pending` from before anything is
 * written until the thread has it, so that a crash in between is undone at the next start and ingest never takes a half-made hand-over
 * for a new thread. A session that is gone on with again has its newest hand-over here.
 */
import type { Database, Statement } from 'better-sqlite3';

export interface HandoffRow {
  readonly harness: string;
  readonly native_id: string;
  /** Of the session's file; of a hand-over by prompt the baton's. */
  readonly path: string;
  /** Hash of the bytes as Loom wrote them. */
  readonly sha256: string;
  /** Where they begin; 0: the file is Loom's own. */
  readonly offset: number;
  readonly at: number;
  readonly state: 'pending' | 'done' | 'undone' | 'abandoned';
}

export type NewHandoff = Omit<HandoffRow, 'state' | 'offset'> & { readonly offset?: number };

export class HandoffsTable {
  readonly #db: Database;
  readonly #state: Statement;
  readonly #isPending: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#state = db.prepare('UPDATE handoffs SET state = ? WHERE harness = ? AND native_id = ?');
    this.#isPending = db.prepare("SELECT 1 FROM handoffs WHERE harness = ? AND native_id = ? AND state = 'pending'");
  }

  /** Throws when another one of that session is pending. */
  begin({ harness, native_id, path, sha256, offset = 0, at }: NewHandoff): void {
    if (this.isPending(harness, native_id)) throw new Error(`a hand-over to ${native_id} is not over`);
    this.#db
      .prepare(
        `INSERT INTO handoffs (harness, native_id, path, sha256, "offset", at, state) VALUES (?, ?, ?, ?, ?, ?, 'pending')
         ON CONFLICT (harness, native_id) DO UPDATE SET path = excluded.path, sha256 = excluded.sha256,
           "offset" = excluded."offset", at = excluded.at, state = 'pending'`,
      )
      .run(harness, native_id, path, sha256, offset, at);
  }
  end(harness: string, nativeId: string, state: 'done' | 'undone' | 'abandoned'): void {
    this.#state.run(state, harness, nativeId);
  }
  pending(): readonly HandoffRow[] {
    return this.#db
      .prepare(`SELECT harness, native_id, path, sha256, "offset", at, state FROM handoffs WHERE state = 'pending'`)
      .all() as HandoffRow[];
  }
  isPending(harness: string, nativeId: string): boolean {
    return this.#isPending.get(harness, nativeId) !== undefined;
  }
}

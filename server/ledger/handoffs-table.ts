/**
 * The `handoffs` table: native sessions that Loom writes. A row is `pending` from before the file exists until the thread has
 * it, so that a crash in between is undone at the next start and ingest never takes a half-made hand-over for a new thread.
 */
import type { Database, Statement } from 'better-sqlite3';

export interface HandoffRow {
  readonly harness: string;
  readonly native_id: string;
  readonly path: string;
  /** Hash of the bytes as Loom wrote them. */
  readonly sha256: string;
  readonly at: number;
  readonly state: 'pending' | 'done' | 'undone' | 'abandoned';
}

export class HandoffsTable {
  readonly #put: Statement;
  readonly #state: Statement;
  readonly #pending: Statement;
  readonly #isPending: Statement;

  constructor(db: Database) {
    this.#put = db.prepare('INSERT INTO handoffs (harness, native_id, path, sha256, at, state) VALUES (?, ?, ?, ?, ?, ?)');
    this.#state = db.prepare('UPDATE handoffs SET state = ? WHERE harness = ? AND native_id = ?');
    this.#pending = db.prepare("SELECT harness, native_id, path, sha256, at, state FROM handoffs WHERE state = 'pending'");
    this.#isPending = db.prepare("SELECT 1 FROM handoffs WHERE harness = ? AND native_id = ? AND state = 'pending'");
  }

  begin(row: Omit<HandoffRow, 'state'>): void {
    this.#put.run(row.harness, row.native_id, row.path, row.sha256, row.at, 'pending');
  }
  end(harness: string, nativeId: string, state: 'done' | 'undone' | 'abandoned'): void {
    this.#state.run(state, harness, nativeId);
  }
  pending(): readonly HandoffRow[] {
    return this.#pending.all() as HandoffRow[];
  }
  isPending(harness: string, nativeId: string): boolean {
    return this.#isPending.get(harness, nativeId) !== undefined;
  }
}

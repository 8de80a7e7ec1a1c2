/** The `warnings` table: places in sources that were damaged or not understood, for `loom doctor` and `loom ingest`. */
import type { Database, Statement } from 'better-sqlite3';

export interface WarningRow {
  readonly source: number;
  readonly offset: number;
  readonly code: string;
  readonly text: string;
}

export class WarningsTable {
  readonly #put: Statement;
  readonly #count: Statement;
  readonly #newest: Statement;

  constructor(db: Database) {
    this.#put = db.prepare('INSERT OR IGNORE INTO warnings (source, offset, code, text) VALUES (?, ?, ?, ?)');
    this.#count = db.prepare('SELECT count(*) AS n FROM warnings');
    this.#newest = db.prepare(
      'SELECT w.source, w.offset, w.code, w.text, s.path FROM warnings w JOIN sources s ON s.number = w.source ORDER BY w.source DESC, w.offset LIMIT ?',
    );
  }

  put(row: WarningRow): void {
    this.#put.run(row.source, row.offset, row.code, row.text);
  }
  count(): number {
    return (this.#count.get() as { n: number }).n;
  }
  newest(limit: number): readonly (WarningRow & { readonly path: string })[] {
    return this.#newest.all(limit) as (WarningRow & { path: string })[];
  }
}

/**
 * The `consents` table: that a person agreed, for good, to threads of a folder going from one harness to another vendor's. `folder` is a
 * real path. Its statements are made when they are asked for: a ledger of an older Loom, which this one may only read, has no such table.
 */
import type { Database } from 'better-sqlite3';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface Consent {
  readonly folder: string;
  readonly from: HarnessId;
  readonly to: HarnessId;
}

export class ConsentsTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  has({ folder, from, to }: Consent): boolean {
    const found = this.#db.prepare('SELECT 1 FROM consents WHERE folder = ? AND source = ? AND target = ?');
    return found.get(folder, from, to) !== undefined;
  }
  /** `at`: milliseconds since 1970. One that is remembered already keeps its time. */
  remember({ folder, from, to }: Consent, at: number): void {
    this.#db.prepare('INSERT OR IGNORE INTO consents (folder, source, target, at) VALUES (?, ?, ?, ?)').run(folder, from, to, at);
  }
  /** The oldest first. None in a ledger of an older Loom. `at`: milliseconds since 1970. */
  all(): readonly (Consent & { readonly at: number })[] {
    const found = this.#db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'consents'").get();
    if (found === undefined) return [];
    return this.#db
      .prepare('SELECT folder, source AS "from", target AS "to", at FROM consents ORDER BY at, folder, source, target')
      .all() as (Consent & { readonly at: number })[];
  }
  /** How many there were. */
  forget(folder: string): number {
    return this.#db.prepare('DELETE FROM consents WHERE folder = ?').run(folder).changes;
  }
}

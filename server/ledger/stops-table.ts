/**
 * The `stops` table: threads whose newest turn ended at a limit, or failed for good, and that nobody has gone on with. A row a thread,
 * so that a list needs no scan of what was said. Not there in a ledger of an older Loom, which is only read.
 */
import type { Database, Statement } from 'better-sqlite3';

export interface Stop {
  readonly reason: 'limit' | 'failed';
  /** One line, as the harness said it; '' when it said nothing. */
  readonly text: string;
  /** When a limit ends, milliseconds since 1970. */
  readonly resetsAt: number | null;
}

export class StopsTable {
  readonly #put: Statement;
  readonly #remove: Statement;
  readonly #of: Statement;

  /** undefined: the file has no such table. */
  static open(db: Database): StopsTable | undefined {
    const found = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'stops'").get();
    return found === undefined ? undefined : new StopsTable(db);
  }

  private constructor(db: Database) {
    this.#put = db.prepare('INSERT OR REPLACE INTO stops (thread, reason, text, resets_at) VALUES (?, ?, ?, ?)');
    this.#remove = db.prepare('DELETE FROM stops WHERE thread = ?');
    this.#of = db.prepare('SELECT reason, text, resets_at AS resetsAt FROM stops WHERE thread = ?');
  }

  put(thread: number, stop: Stop | null): void {
    if (stop === null) this.#remove.run(thread);
    else this.#put.run(thread, stop.reason, stop.text, stop.resetsAt);
  }
  of(thread: number): Stop | null {
    return (this.#of.get(thread) as Stop | undefined) ?? null;
  }
}

/**
 * The `leases` table: who drove a thread, one row for each time that it changed hands, and one of epoch 0 for who had it before the
 * first hand-over. At most one row of a thread is not lost. `turns` counts the prompts that came while the row was the newest. Written
 * only inside the commits that move the thread or read its sessions. A ledger of an older Loom, which is only read, has no such table:
 * then nothing is known.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface LeaseRow {
  /** Number of the thread. */
  readonly thread: number;
  readonly epoch: number;
  readonly harness: HarnessId;
  /** The native session that holds it; null: not known. */
  readonly native: number | null;
  /** Milliseconds since 1970, as the two below; 0: unknown. */
  readonly acquired_at: number;
  /** When its holder wrote last, to about a second. */
  readonly renewed_at: number;
  readonly lost_at: number | null;
  /** Prompts that were given while it was held. */
  readonly turns: number;
}

const columns = 'thread, epoch, harness, native, acquired_at, renewed_at, lost_at, turns';

export class LeasesTable {
  readonly #insert: Statement;
  readonly #lose: Statement;
  readonly #renew: Statement;
  readonly #newest: Statement;
  readonly #of: Statement;
  readonly #held: Statement;

  /** undefined: the file has no such table. */
  static open(db: Database): LeasesTable | undefined {
    const found = db.prepare("SELECT 1 FROM pragma_table_info('leases') WHERE name = 'turns'").get();
    return found === undefined ? undefined : new LeasesTable(db);
  }

  private constructor(db: Database) {
    this.#insert = db.prepare(
      `INSERT INTO leases (${columns}) VALUES (@thread, @epoch, @harness, @native, @acquired_at, @renewed_at, @lost_at, @turns)`,
    );
    this.#lose = db.prepare('UPDATE leases SET lost_at = ? WHERE thread = ? AND lost_at IS NULL');
    this.#renew = db.prepare(
      'UPDATE leases SET renewed_at = max(renewed_at, ?), turns = turns + ? WHERE thread = ? AND epoch = ? AND (? > 0 OR renewed_at + 1000 <= ?)',
    );
    this.#newest = db.prepare(`SELECT ${columns} FROM leases WHERE thread = ${integer} ORDER BY epoch DESC LIMIT 1`);
    this.#of = db.prepare(`SELECT ${columns} FROM leases WHERE thread = ${integer} ORDER BY epoch`);
    this.#held = db.prepare('SELECT count(*) FROM leases WHERE lost_at IS NULL').pluck();
  }

  insert(row: LeaseRow): void {
    this.#insert.run(row);
  }
  /** Whoever has it has lost it from now on. */
  lose(thread: number, at: number): void {
    this.#lose.run(at, thread);
  }
  /** The holder wrote at that time, and was given so many prompts. Writes at most once a second, unless there are prompts. */
  renew(thread: number, epoch: number, at: number, prompts: number): void {
    this.#renew.run(at, prompts, thread, epoch, prompts, at);
  }
  newest(thread: number): LeaseRow | undefined {
    return this.#newest.get(thread) as LeaseRow | undefined;
  }
  /** Oldest first. */
  of(thread: number): readonly LeaseRow[] {
    return this.#of.all(thread) as LeaseRow[];
  }
  /** How many threads have changed hands. */
  count(): number {
    return this.#held.get() as number;
  }
}

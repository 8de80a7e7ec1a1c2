/**
 * The `conflicts` table: native sessions that were gone on with after they had lost the lease of their thread. A session has at most one
 * that is open; it grows with what the session writes. Those that ended stay, with what the person chose (null: a hand-over to that
 * harness ended it). As `leases`, it is not there in a ledger of an older Loom, which is only read.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';

export type ConflictChoice = 'keep' | 'follow';
export interface ConflictRow {
  readonly number: number;
  /** Number of the thread. */
  readonly thread: number;
  readonly native: number;
  /** Of the lease that was held by another when it began. */
  readonly epoch: number;
  /** Where what the session wrote last stands. */
  readonly conversation: number;
  readonly first_entry: number;
  /** Prompts, answers, results and turns that it wrote since. */
  readonly entries: number;
  /** Milliseconds since 1970. */
  readonly began_at: number;
  readonly ended_at: number | null;
  readonly choice: ConflictChoice | null;
}

const columns = 'number, thread, native, epoch, conversation, first_entry, entries, began_at, ended_at, choice';

export class ConflictsTable {
  readonly #insert: Statement;
  readonly #grow: Statement;
  readonly #end: Statement;
  readonly #open: Statement;
  readonly #all: Statement;

  /** undefined: the file has no such table. */
  static open(db: Database): ConflictsTable | undefined {
    const found = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'conflicts'").get();
    return found === undefined ? undefined : new ConflictsTable(db);
  }

  private constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO conflicts (thread, native, epoch, conversation, first_entry, entries, began_at) VALUES (@thread, @native, @epoch, @conversation, @first_entry, @entries, @began_at)',
    );
    this.#grow = db.prepare(
      'UPDATE conflicts SET entries = entries + @entries, conversation = @conversation WHERE thread = @thread AND native = @native AND ended_at IS NULL',
    );
    this.#end = db.prepare('UPDATE conflicts SET ended_at = ?, choice = ? WHERE number = ? AND ended_at IS NULL');
    this.#open = db.prepare(`SELECT ${columns} FROM conflicts WHERE thread = ${integer} AND ended_at IS NULL ORDER BY number`);
    this.#all = db.prepare(`SELECT ${columns} FROM conflicts WHERE ended_at IS NULL ORDER BY number`);
  }

  /** The session wrote so many entries more: its open conflict grows, or one is opened. */
  add(row: Omit<ConflictRow, 'number' | 'ended_at' | 'choice'>): void {
    if (this.#grow.run(row).changes === 0) this.#insert.run(row);
  }
  end(number: number, at: number, choice: ConflictChoice | null): void {
    this.#end.run(at, choice, number);
  }
  /** Open ones of a thread, the oldest first: it is the one that a person is shown, and stays it until it has ended. */
  openOf(thread: number): readonly ConflictRow[] {
    return this.#open.all(thread) as ConflictRow[];
  }
  allOpen(): readonly ConflictRow[] {
    return this.#all.all() as ConflictRow[];
  }
}

/** The `sources` table: one row a native session file, with the cursor up to which its records are in the ledger. */
import type { Database, Statement } from 'better-sqlite3';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export type SourceStatus = 'new' | 'reading' | 'current' | 'ignored' | 'gone' | 'unreadable';
export interface SourceRow {
  readonly number: number;
  readonly path: string;
  readonly harness: HarnessId;
  readonly native: number | null;
  readonly part: string;
  /** Device and file number; a change means that it is another file. */
  readonly identity: string;
  /** Length and hash of its first bytes: a change means that it was rewritten in place. */
  readonly fingerprint: string;
  readonly birth: number;
  readonly size: number;
  readonly mtime: number;
  /** End of the last record whose entries are committed, in bytes. */
  readonly offset: number;
  readonly position_conversation: number;
  readonly position_entry: number;
  /** The reader's state at `offset`, as JSON. */
  readonly state: string;
  readonly status: SourceStatus;
  readonly fault: string | null;
}

const columns =
  'number, path, harness, native, part, identity, fingerprint, birth, size, mtime, offset, position_conversation, position_entry, state, status, fault';

export class SourcesTable {
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #byPath: Statement;
  readonly #byNumber: Statement;
  readonly #byNative: Statement;
  readonly #all: Statement;
  readonly #newest: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO sources (path, harness) VALUES (?, ?)');
    this.#update = db.prepare(
      `UPDATE sources SET path = @path, native = @native, part = @part, identity = @identity, fingerprint = @fingerprint, birth = @birth, size = @size, mtime = @mtime, offset = @offset,
       position_conversation = @position_conversation, position_entry = @position_entry, state = @state, status = @status, fault = @fault WHERE number = @number`,
    );
    this.#byPath = db.prepare(`SELECT ${columns} FROM sources WHERE path = ?`);
    this.#byNumber = db.prepare(`SELECT ${columns} FROM sources WHERE number = ?`);
    this.#byNative = db.prepare(`SELECT ${columns} FROM sources WHERE native = ? ORDER BY number`);
    this.#all = db.prepare(
      'SELECT number, path, harness, native, part, identity, fingerprint, birth, size, mtime, offset, status FROM sources',
    );
    this.#newest = db.prepare(
      "SELECT path FROM sources WHERE status <> 'gone' AND status <> 'ignored' ORDER BY mtime DESC LIMIT ?",
    );
  }

  insert(path: string, harness: HarnessId): number {
    return Number(this.#insert.run(path, harness).lastInsertRowid);
  }
  update(row: SourceRow): void {
    this.#update.run(row);
  }
  byPath(path: string): SourceRow | undefined {
    return this.#byPath.get(path) as SourceRow | undefined;
  }
  byNumber(number: number): SourceRow | undefined {
    return this.#byNumber.get(number) as SourceRow | undefined;
  }
  byNative(native: number): readonly SourceRow[] {
    return this.#byNative.all(native) as SourceRow[];
  }
  /** The files written last. */
  newest(limit: number): readonly string[] {
    return (this.#newest.all(limit) as { path: string }[]).map(({ path }) => path);
  }
  /** Everything but reader states: what a rescan compares with the disk. */
  all(): readonly Omit<SourceRow, 'state' | 'position_conversation' | 'position_entry' | 'fault'>[] {
    return this.#all.all() as SourceRow[];
  }
}

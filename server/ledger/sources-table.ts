/** The `sources` table: one row a native session file, with the cursor up to which its records are in the ledger. */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { stateStored, storedState } from './source-state.ts';
import type { StoredState } from './source-state.ts';

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
  /** How often the file was found rewritten: offsets of entries count in the bytes of their generation (archive.ts). */
  readonly generation: number;
}

const firstColumns =
  'number, path, harness, native, part, identity, fingerprint, birth, size, mtime, offset, position_conversation, position_entry, state, status, fault';

/** Everything but reader states: what is compared with the disk. */
const lightColumns = 'number, path, harness, native, part, identity, fingerprint, birth, size, mtime, offset, status';
export type LightSource = Omit<SourceRow, 'state' | 'position_conversation' | 'position_entry' | 'fault' | 'generation'>;

export class SourcesTable {
  readonly #db: Database;
  readonly #insert: Statement;
  #update: Statement | undefined;
  readonly #byPath: Statement;
  readonly #byNumber: Statement;
  readonly #byNative: Statement;
  readonly #unfinished: Statement;
  readonly #all: Statement;
  readonly #newest: Statement;
  readonly #below: Statement;
  readonly #range: Statement;
  readonly #saying: Statement;

  constructor(db: Database) {
    this.#db = db;
    const columns = columnsOf(db);
    this.#insert = db.prepare('INSERT INTO sources (path, harness) VALUES (?, ?)');
    this.#byPath = db.prepare(`SELECT ${columns} FROM sources WHERE path = ?`);
    this.#byNumber = db.prepare(`SELECT ${columns} FROM sources WHERE number = ?`);
    this.#byNative = db.prepare(`SELECT ${columns} FROM sources WHERE native = ${integer} ORDER BY number`);
    this.#unfinished = db.prepare(
      `SELECT path, mtime FROM sources WHERE native = ${integer} AND status = 'reading' ORDER BY number`,
    );
    this.#all = db.prepare(`SELECT ${lightColumns} FROM sources`);
    this.#range = db.prepare(`SELECT ${lightColumns} FROM sources WHERE path >= ? AND path < ? ORDER BY path`);
    this.#saying = db.prepare('SELECT count(*) FROM sources WHERE status = ? AND fault = ?').pluck();
    this.#below = db.prepare(`SELECT ${columns} FROM sources WHERE path >= ? AND path < ? ORDER BY path`);
    this.#newest = db.prepare(
      "SELECT path, mtime FROM sources WHERE status <> 'gone' AND status <> 'ignored' ORDER BY mtime DESC LIMIT ?",
    );
  }

  insert(path: string, harness: HarnessId): number {
    return Number(this.#insert.run(path, harness).lastInsertRowid);
  }
  update(row: SourceRow): void {
    this.#update ??= this.#db.prepare(
      `UPDATE sources SET path = @path, native = @native, part = @part, identity = @identity, fingerprint = @fingerprint, birth = @birth, size = @size, mtime = @mtime, offset = @offset,
       position_conversation = @position_conversation, position_entry = @position_entry, state = @state, packed = @packed, status = @status, fault = @fault, generation = @generation WHERE number = @number`,
    );
    this.#update.run({ ...row, ...stateStored(row.state, row.status === 'reading') });
  }
  byPath(path: string): SourceRow | undefined {
    const row = this.#byPath.get(path) as StoredSource | undefined;
    return row === undefined ? undefined : rowOf(row);
  }
  byNumber(number: number): SourceRow | undefined {
    const row = this.#byNumber.get(number) as StoredSource | undefined;
    return row === undefined ? undefined : rowOf(row);
  }
  byNative(native: number): readonly SourceRow[] {
    return (this.#byNative.all(native) as StoredSource[]).map(rowOf);
  }
  /** Those of that session of which a part was read. */
  unfinished(native: number): readonly Pick<SourceRow, 'path' | 'mtime'>[] {
    return this.#unfinished.all(native) as SourceRow[];
  }
  /** Those whose path begins so; `prefix` ends with an ASCII character. */
  below(prefix: string): readonly SourceRow[] {
    return (this.#below.all(prefix, behind(prefix)) as StoredSource[]).map(rowOf);
  }
  /** The files written last. */
  newest(limit: number): readonly Pick<SourceRow, 'path' | 'mtime'>[] {
    return this.#newest.all(limit) as SourceRow[];
  }
  /** How many of that status say that in their `fault`. */
  countSaying(status: SourceStatus, fault: string): number {
    return this.#saying.get(status, fault) as number;
  }
  all(): readonly LightSource[] {
    return this.#all.all() as SourceRow[];
  }

  /** What is known of one folder: the files in it, and the names of the folders in it below which there are more. Costs these, not what is below. */
  level(folder: string, separator: string): { readonly rows: readonly LightSource[]; readonly folders: readonly string[] } {
    const prefix = folder.endsWith(separator) ? folder : folder + separator;
    const rows: LightSource[] = [];
    const folders: string[] = [];
    const end = behind(prefix);
    for (let from: string | undefined = prefix; from !== undefined;) {
      const start: string = from;
      from = undefined;
      for (const row of this.#range.iterate(start, end) as IterableIterator<LightSource>) {
        const cut = row.path.indexOf(separator, prefix.length);
        if (cut < 0) rows.push(row);
        else {
          folders.push(row.path.slice(prefix.length, cut));
          from = behind(row.path.slice(0, cut + 1));
          break;
        }
      }
    }
    return { rows, folders };
  }

  /** Those that lie below none of the folders and are not known to be gone. */
  outside(folders: readonly string[], separator: string): readonly LightSource[] {
    const prefixes = folders
      .map((folder) => (folder.endsWith(separator) ? folder : folder + separator))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const found: LightSource[] = [];
    let from = '';
    for (const prefix of [...prefixes, undefined]) {
      if (prefix !== undefined && Buffer.compare(Buffer.from(prefix), Buffer.from(from)) < 0) continue;
      const rows = this.#range.iterate(from, prefix ?? '\u{10ffff}') as IterableIterator<LightSource>;
      for (const row of rows) if (row.status !== 'gone') found.push(row);
      if (prefix !== undefined) from = behind(prefix);
    }
    return found;
  }
}

type StoredSource = SourceRow & StoredState;

/** Most who look at a source do not look at its reader's state: it is unpacked for those who do. */
function rowOf({ packed, state, ...row }: StoredSource): SourceRow {
  if (packed === null) return { ...row, state };
  return {
    ...row,
    get state() {
      return storedState({ state, packed });
    },
  };
}

/** A reader beside an older Loom finds a table without the newest columns. */
function columnsOf(db: Database): string {
  const present = new Set(db.prepare("SELECT name FROM pragma_table_info('sources')").pluck().all());
  const later = Object.entries({ generation: '0', packed: 'NULL' });
  return [firstColumns, ...later.map(([name, absent]) => (present.has(name) ? name : `${absent} AS ${name}`))].join(', ');
}

/** The first text behind all that begin with `prefix`, whose last character is ASCII. */
function behind(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

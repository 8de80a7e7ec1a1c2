/** The `threads` table: one row a thread, derived from its natives and entries. Statements only; no policy. */
import type { Database, Statement } from 'better-sqlite3';
import { text } from '../engine/sqlite/parameter.ts';
import type { HarnessId, Surface } from '../../shuttles/contract/harness.ts';

export interface ThreadRow {
  readonly number: number;
  readonly id: string;
  /** Name of the engine session that holds its conversations. */
  readonly session: string;
  /** 1: a subagent without its parent; listed only on request. */
  readonly child: number;
  readonly current_native: number | null;
  readonly current_conversation: number;
  /** The head record stands before the conversation's end. */
  readonly current_entry: number | null;
  readonly title: string;
  readonly harness: HarnessId;
  readonly surface: Surface;
  readonly cwd: string;
  readonly repo: string | null;
  readonly branch: string | null;
  readonly model: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly turns: number;
  readonly entries: number;
  readonly automation: number;
  readonly archived: number;
  readonly source_gone: number;
  readonly imported_from: string | null;
  readonly parent_thread: string | null;
  readonly parent_entry: number | null;
  readonly usage_input: number;
  readonly usage_output: number;
  readonly usage_cache_read: number;
  readonly usage_cache_write: number;
  /** Phase of the newest turn boundary, or null. */
  readonly last_turn: string | null;
  readonly lease_epoch: number;
  readonly lease_harness: HarnessId | null;
}

/** What a hit of a search tells of its thread, and where its entries are. */
export type FoundThread = Pick<ThreadRow, 'id' | 'session' | 'title' | 'harness'>;

const columns =
  'number, id, session, child, current_native, current_conversation, current_entry, title, harness, surface, cwd, repo, branch, model, created_at, updated_at, turns, entries, automation, archived, source_gone, imported_from, parent_thread, parent_entry, usage_input, usage_output, usage_cache_read, usage_cache_write, last_turn, lease_epoch, lease_harness';
const settable = columns.split(', ').filter((column) => column !== 'number' && column !== 'id');

export class ThreadsTable {
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #byNumber: Statement;
  readonly #found: Statement;
  readonly #byId: Statement;
  readonly #byPrefix: Statement;
  readonly #bySession: Statement;
  readonly #newest: Statement;
  readonly #ofLength: Statement;
  readonly #updatedIn: Statement;
  readonly #count: Statement;
  readonly #folders: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO threads (id, session, harness, child) VALUES (?, ?, ?, ?)');
    this.#update = db.prepare(
      `UPDATE threads SET ${settable.map((column) => `${column} = @${column}`).join(', ')} WHERE number = @number`,
    );
    this.#byNumber = db.prepare(`SELECT ${columns} FROM threads WHERE number = ?`);
    this.#found = db.prepare('SELECT id, session, title, harness FROM threads WHERE number = ?');
    this.#byId = db.prepare(`SELECT ${columns} FROM threads WHERE id = ?`);
    this.#byPrefix = db.prepare(`SELECT ${columns} FROM threads WHERE id >= ? AND id < ? LIMIT 2`);
    this.#bySession = db.prepare(`SELECT ${columns} FROM threads WHERE session = ${text} ORDER BY number`);
    this.#updatedIn = db.prepare(`SELECT max(updated_at) FROM threads WHERE session = ${text}`).pluck();
    this.#newest = db.prepare(`SELECT ${columns} FROM threads ORDER BY updated_at DESC, id LIMIT ?`);
    this.#ofLength = db.prepare(`SELECT ${columns} FROM threads WHERE entries >= ? ORDER BY updated_at DESC, id LIMIT ?`);
    this.#count = db.prepare('SELECT count(*) AS n FROM threads WHERE child = 0');
    this.#folders = db.prepare('SELECT DISTINCT cwd FROM threads').pluck();
  }

  insert(id: string, session: string, harness: HarnessId, child: boolean): number {
    return Number(this.#insert.run(id, session, harness, child ? 1 : 0).lastInsertRowid);
  }
  update(row: ThreadRow): void {
    this.#update.run(row);
  }
  byNumber(number: number): ThreadRow | undefined {
    return this.#byNumber.get(number) as ThreadRow | undefined;
  }
  /** For a search, which meets dozens of threads: a whole row costs several times as much. */
  foundByNumber(number: number): FoundThread | undefined {
    return this.#found.get(number) as FoundThread | undefined;
  }
  byId(id: string): ThreadRow | undefined {
    return this.#byId.get(id) as ThreadRow | undefined;
  }
  /** At most two rows: more than one means that the prefix is not unique. */
  byPrefix(prefix: string): readonly ThreadRow[] {
    return this.#byPrefix.all(prefix, `${prefix}\uffff`) as ThreadRow[];
  }
  bySession(session: string): readonly ThreadRow[] {
    return this.#bySession.all(session) as ThreadRow[];
  }
  /** When something was said last in a thread of that engine session; milliseconds since 1970. */
  updatedIn(session: string): number {
    return (this.#updatedIn.get(session) as number | null) ?? 0;
  }
  newest(limit: number): readonly ThreadRow[] {
    return this.#newest.all(limit) as ThreadRow[];
  }
  /** Of at least so many entries; newest first. */
  ofLength(entries: number, limit: number): readonly ThreadRow[] {
    return this.#ofLength.all(entries, limit) as ThreadRow[];
  }
  /** Every folder that a thread began in, as its record spells it. */
  folders(): readonly string[] {
    return this.#folders.all() as string[];
  }
  count(): number {
    return (this.#count.get() as { n: number }).n;
  }
}

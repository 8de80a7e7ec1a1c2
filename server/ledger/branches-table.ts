/** The `branches` table: which native session writes which conversation, and where that conversation ends. */
import type { Database, Statement } from 'better-sqlite3';
import { integer, text } from '../engine/sqlite/parameter.ts';

export interface BranchRow {
  readonly session: string;
  readonly conversation: number;
  readonly native: number;
  readonly parent_conversation: number | null;
  readonly parent_entry: number | null;
  /** Id of its newest own entry that is part of the talk; 0: none. */
  readonly last_content: number;
  readonly last_entry: number;
  /** Own entries, without what it inherits. */
  readonly entries: number;
  readonly title: string;
}

const columns = 'session, conversation, native, parent_conversation, parent_entry, last_content, last_entry, entries, title';

export class BranchesTable {
  readonly #put: Statement;
  readonly #get: Statement;
  readonly #byNative: Statement;
  readonly #bySession: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    this.#put = db.prepare(
      `INSERT INTO branches (${columns}) VALUES (@session, @conversation, @native, @parent_conversation, @parent_entry, @last_content, @last_entry, @entries, @title)
       ON CONFLICT (session, conversation) DO UPDATE SET last_content = @last_content, last_entry = @last_entry, entries = @entries, title = @title`,
    );
    this.#get = db.prepare(`SELECT ${columns} FROM branches WHERE session = ? AND conversation = ?`);
    this.#byNative = db.prepare(`SELECT ${columns} FROM branches WHERE native = ${integer} ORDER BY conversation`);
    this.#bySession = db.prepare(`SELECT ${columns} FROM branches WHERE session = ${text} ORDER BY conversation`);
    this.#remove = db.prepare('DELETE FROM branches WHERE session = ? AND conversation = ?');
  }

  put(row: BranchRow): void {
    this.#put.run(row);
  }
  get(session: string, conversation: number): BranchRow | undefined {
    return this.#get.get(session, conversation) as BranchRow | undefined;
  }
  byNative(native: number): readonly BranchRow[] {
    return this.#byNative.all(native) as BranchRow[];
  }
  bySession(session: string): readonly BranchRow[] {
    return this.#bySession.all(session) as BranchRow[];
  }
  /** The conversation is no longer shown; its entries stay in the engine. */
  remove(session: string, conversation: number): void {
    this.#remove.run(session, conversation);
  }
}

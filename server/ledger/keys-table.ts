/**
 * Where records stand: `record_keys` by identity over all files (copies of a record share its key), `aliases` by names that
 * only mean something within one native session (a call id, a message id). A key is never moved once it is placed; those of a
 * conversation that is withdrawn are forgotten.
 */
import type { Database, Statement } from 'better-sqlite3';

/** At or behind `entry` of that conversation; entry 0 is its very beginning. */
export interface Position {
  readonly conversation: number;
  readonly entry: number;
}
export interface KeyPosition extends Position {
  readonly session: string;
}

export class KeysTable {
  readonly #put: Statement;
  readonly #get: Statement;
  readonly #floor: Statement;
  readonly #putAlias: Statement;
  readonly #getAlias: Statement;
  readonly #forget: Statement;
  readonly #forgetAliases: Statement;

  constructor(db: Database) {
    this.#put = db.prepare('INSERT OR IGNORE INTO record_keys (key, session, conversation, entry) VALUES (?, ?, ?, ?)');
    this.#get = db.prepare('SELECT session, conversation, entry FROM record_keys WHERE key = ?');
    this.#floor = db.prepare(
      'SELECT session, conversation, entry FROM record_keys WHERE key <= ? AND key >= ? ORDER BY key DESC LIMIT 1',
    );
    this.#putAlias = db.prepare('INSERT OR REPLACE INTO aliases (native, alias, conversation, entry) VALUES (?, ?, ?, ?)');
    this.#getAlias = db.prepare('SELECT conversation, entry FROM aliases WHERE native = ? AND alias = ?');
    this.#forget = db.prepare('DELETE FROM record_keys WHERE session = ? AND conversation = ?');
    this.#forgetAliases = db.prepare('DELETE FROM aliases WHERE native = ?');
  }

  put(key: string, position: KeyPosition): void {
    this.#put.run(key, position.session, position.conversation, position.entry);
  }
  get(key: string): KeyPosition | undefined {
    return this.#get.get(key) as KeyPosition | undefined;
  }
  /** The greatest key that is <= `key` and begins with `floor`. */
  floor(key: string, floor: string): KeyPosition | undefined {
    return this.#floor.get(key, floor) as KeyPosition | undefined;
  }
  putAlias(native: number, alias: string, position: Position): void {
    this.#putAlias.run(native, alias, position.conversation, position.entry);
  }
  getAlias(native: number, alias: string): Position | undefined {
    return this.#getAlias.get(native, alias) as Position | undefined;
  }
  /** Everything that stands in the conversation; reads the whole table. */
  forget(session: string, conversation: number): void {
    this.#forget.run(session, conversation);
  }
  forgetAliases(native: number): void {
    this.#forgetAliases.run(native);
  }
}

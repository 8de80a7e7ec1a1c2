/**
 * The engine's side of a SQLite file: many sessions on one connection, which its opener made (WAL mode, its pragmas) and
 * will close. Opening a session reads its number and nothing else.
 */
import type { Database } from 'better-sqlite3';
import { Rejected } from '../errors.ts';
import { migrateEngine, storageVersion } from './schema.ts';
import { SqliteStorage } from './storage.ts';
import { prepareTables } from './tables.ts';
import type { Tables } from './tables.ts';
import { Transaction } from './transaction.ts';

export class SqliteStore {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #transaction: Transaction;

  /** Brings the engine's tables up to date. Throws Rejected `storageVersion` for a file that this program cannot use. */
  constructor(db: Database) {
    migrateEngine(db);
    this.#db = db;
    this.#tables = prepareTables(db);
    this.#transaction = new Transaction(db);
  }

  /** The session of that name, created when absent. */
  session(name: string): SqliteStorage {
    const { sessions } = this.#tables;
    const known = sessions.find(name);
    if (known !== undefined) return this.#open(known);
    // Inside a caller's own transaction the new session is part of it.
    if (this.#db.inTransaction) return this.#open(sessions.create(name));
    return this.#open(this.#transaction.run(() => sessions.find(name) ?? sessions.create(name)));
  }

  find(name: string): SqliteStorage | undefined {
    const known = this.#tables.sessions.find(name);
    return known === undefined ? undefined : this.#open(known);
  }

  /** The session's number in the file, by which its rows are found. */
  sessionNumber(name: string): number | undefined {
    return this.#tables.sessions.find(name);
  }

  #open(session: number): SqliteStorage {
    const found = this.#tables.sessions.version(session);
    if (found !== storageVersion)
      throw new Rejected(
        'storageVersion',
        `the session has storage version ${found ?? 'none'}, this program knows ${storageVersion}`,
      );
    return new SqliteStorage(this.#tables, this.#transaction, session);
  }
}

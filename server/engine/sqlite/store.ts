/**
 * The engine's side of a SQLite file: many sessions on one connection, which its opener made (WAL mode, its pragmas) and
 * will close. Opening a session reads its number and nothing else.
 */
import type { Database } from 'better-sqlite3';
import { checkVersion, currentVersion, MigrationPath } from '../migration.ts';
import type { Migration } from '../migration.ts';
import { migrateSession } from './migrate.ts';
import { migrateEngine } from './schema.ts';
import { SqliteStorage } from './storage.ts';
import { prepareTables } from './tables.ts';
import type { Tables } from './tables.ts';
import { Transaction } from './transaction.ts';

export interface StoreOptions {
  /** The storage version that the program knows. */
  readonly version?: string;
}

export class SqliteStore {
  readonly #db: Database;
  readonly #version: string;
  readonly #tables: Tables;
  readonly #transaction: Transaction;

  /** Brings the engine's tables up to date. Throws Rejected `storageVersion` for a file that this program cannot use. */
  constructor(db: Database, { version = currentVersion }: StoreOptions = {}) {
    migrateEngine(db);
    this.#db = db;
    this.#version = version;
    this.#tables = prepareTables(db);
    this.#transaction = new Transaction(db);
  }

  /** The session of that name, created when absent. */
  session(name: string): SqliteStorage {
    const { sessions } = this.#tables;
    const known = sessions.find(name);
    if (known !== undefined) return this.#open(known);
    // Inside a caller's own transaction the new session is part of it.
    if (this.#db.inTransaction) return this.#open(sessions.create(name, this.#version));
    return this.#open(this.#transaction.run(() => sessions.find(name) ?? sessions.create(name, this.#version)));
  }

  find(name: string): SqliteStorage | undefined {
    const known = this.#tables.sessions.find(name);
    return known === undefined ? undefined : this.#open(known);
  }

  /** Names of the sessions that have live tasks: one query over the index of those tasks, whatever the number of sessions. */
  liveSessions(): readonly string[] {
    return this.#tables.sessions.live();
  }

  /** The session's number in the file, by which its rows are found. */
  sessionNumber(name: string): number | undefined {
    return this.#tables.sessions.find(name);
  }

  /**
   * Brings a session, which nobody may have open, to another storage version, in one transaction. Throws Rejected `storageVersion` for a
   * session of another version than `from` and for a step that is missing; then nothing is changed.
   */
  migrate(name: string, from: string, to: string, migrations: readonly Migration[]): void {
    const { sessions } = this.#tables;
    this.#transaction.run(() => {
      const session = sessions.find(name);
      if (session === undefined) return;
      migrateSession(this.#db, session, new MigrationPath(migrations, from, to, sessions.version(session)));
      sessions.setVersion(session, to);
    });
  }

  #open(session: number): SqliteStorage {
    checkVersion(this.#tables.sessions.version(session), this.#version);
    return new SqliteStorage(this.#tables, this.#transaction, session);
  }
}

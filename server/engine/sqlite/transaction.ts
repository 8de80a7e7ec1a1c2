/**
 * One write transaction on a connection. The order of durability: everything that `work` writes is in one transaction, and
 * COMMIT is its last statement. A failure before COMMIT, or a COMMIT after which the connection still shows the old state for want
 * of space, rolled everything back and is passed on as it came. A COMMIT that failed in the file system may have left a
 * complete transaction in the log, which a later opener would find: that alone is `UncertainPersistence`.
 */
import type { Database } from 'better-sqlite3';
import { UncertainPersistence } from '../errors.ts';

export class Transaction {
  readonly #db: Database;
  readonly #begin;
  readonly #commit;
  readonly #rollback;

  constructor(db: Database) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  /** Not within another transaction: what is committed here must be durable when this returns. */
  run<T>(work: () => T): T {
    if (this.#db.inTransaction) throw new Error('an engine commit must not run inside another transaction of its connection');
    this.#begin.run();
    let result: T;
    try {
      result = work();
    } catch (error) {
      // Some failures (a full disk among them) have rolled back already.
      if (this.#db.inTransaction) this.#rollback.run();
      throw error;
    }
    try {
      this.#commit.run();
    } catch (error) {
      if (this.#db.inTransaction) this.#rollback.run();
      throw isUncertain(error) ? new UncertainPersistence(error) : error;
    }
    return result;
  }
}

function isUncertain(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

/**
 * One write transaction on a connection. The order of durability: everything that `work` writes is in one transaction, and
 * COMMIT is its last statement. A failure before COMMIT, or a COMMIT after which the connection still shows the old state for want
 * of space, rolled everything back and is passed on as it came. A COMMIT that failed in the file system may have left a
 * complete transaction in the log, which a later opener would find: that alone is `UncertainPersistence`.
 *
 * A *group* is one transaction around many commits, for bulk work: they are durable when the group is, and one that fails half-way
 * fails all of them. Its caller tells nobody of them before, and lets no one else onto the connection meanwhile.
 */
import type { Database } from 'better-sqlite3';
import { UncertainPersistence } from '../errors.ts';
import type { LogSync } from './log-sync.ts';

export class Transaction {
  readonly #db: Database;
  readonly #log: LogSync;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #grouped = false;
  #groupFailed = false;
  /** Of the group. */
  #writes = 0;

  constructor(db: Database, log: LogSync) {
    this.#db = db;
    this.#log = log;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  get isGrouped(): boolean {
    return this.#grouped;
  }

  beginGroup(): void {
    if (this.#db.inTransaction) throw new Error('a group of commits must not begin inside another transaction of its connection');
    this.#begin.run();
    this.#grouped = true;
    this.#groupFailed = false;
    this.#writes = 0;
  }

  /** Throws as `run` does; nothing of the group is kept then, or that is uncertain. */
  endGroup(): void {
    this.#grouped = false;
    if (this.#groupFailed) {
      this.abandonGroup();
      throw new Error('a commit of the group has failed');
    }
    this.#durable(this.#writes);
  }

  /** Nothing of the group is kept. */
  abandonGroup(): void {
    this.#grouped = false;
    if (this.#db.inTransaction) this.#rollback.run();
  }

  /** Not within another transaction, other than a group: what is committed here must be durable when this returns. `writes`: about how many there are. */
  run<T>(work: () => T, writes = 1): T {
    if (this.#grouped) return this.#inGroup(work, writes);
    this.#start();
    let result: T;
    try {
      result = work();
    } catch (error) {
      // Some failures (a full disk among them) have rolled back already.
      if (this.#db.inTransaction) this.#rollback.run();
      throw error;
    }
    this.#durable(writes);
    return result;
  }

  /**
   * Without a savepoint: the full-text index writes out what it holds at each of them, which is what a group is there to avoid. So a commit
   * that fails half-way fails the group.
   */
  #inGroup<T>(work: () => T, writes: number): T {
    if (this.#groupFailed || !this.#db.inTransaction) throw new Error('an earlier commit of the group has failed');
    this.#groupFailed = true;
    const result = work();
    this.#groupFailed = false;
    this.#writes += writes;
    return result;
  }

  /** Whether there is a transaction already is asked when beginning one fails: asking costs as much as a lookup. */
  #start(): void {
    try {
      this.#begin.run();
    } catch (error) {
      if (!this.#db.inTransaction) throw error;
      throw new Error('an engine commit must not run inside another transaction of its connection', { cause: error });
    }
  }

  #durable(writes: number): void {
    try {
      this.#commit.run();
    } catch (error) {
      if (this.#db.inTransaction) this.#rollback.run();
      throw isUncertain(error) ? new UncertainPersistence(error) : error;
    }
    this.#log.committed(writes);
  }
}

function isUncertain(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

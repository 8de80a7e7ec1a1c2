/**
 * Brings the write-ahead log to the disk while commits go on. A checkpoint waits until the whole log is there, a fifth of a second for
 * 64 MB, and it runs on the thread that commits; so the log is synced piece by piece in the background, and the checkpoint is made when
 * a piece has just been, with little left to wait for. Changes nothing of what is durable when: that is the connection's `synchronous`,
 * and its own automatic checkpoint still bounds the log when nobody comes here.
 *
 * The log is the only file of a database that may be opened beside SQLite: its locks are on the others, and closing any handle of
 * those would let go of them.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Database } from 'better-sqlite3';

/** Resolves when what was written to the file before is on the disk. */
export type SyncFile = (file: string) => Promise<void>;

interface LogState {
  /** Pages in the log; -1 for a database that has none. */
  readonly log: number;
}

/** Asking costs as much as a small commit. */
const writesBetweenLooks = 128;
/** Below this many pages an automatic checkpoint has nothing to wait for. */
const smallestBound = 8192;

export class LogSync {
  readonly #db: Database;
  readonly #file: string;
  readonly #syncFile: SyncFile;
  readonly #state;
  /** Pages at which the connection checkpoints by itself. */
  readonly #bound: number;
  #writes = 0;
  /** Pages of the log that are on the disk or on their way. */
  #synced = 0;
  #pending: Promise<void> | undefined;

  /** The connection has its pragmas. */
  constructor(db: Database, syncFile: SyncFile = syncToDisk) {
    this.#db = db;
    this.#file = `${path.resolve(db.name)}-wal`;
    this.#syncFile = syncFile;
    const bound = db.pragma('wal_autocheckpoint', { simple: true });
    this.#bound = typeof bound === 'number' && bound >= smallestBound && !db.memory && !db.readonly ? bound : Infinity;
    this.#state = db.prepare<[], LogState>('PRAGMA wal_checkpoint(NOOP)');
  }

  /** What is under way. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  /** To be told of every commit, outside its transaction; costs nothing most of the time. */
  committed(writes: number): void {
    this.#writes += writes + 1;
    if (this.#writes < writesBetweenLooks || this.#bound === Infinity || this.#pending !== undefined) return;
    this.#writes = 0;
    const log = this.#state.get()?.log ?? -1;
    // It began anew.
    if (log < this.#synced) this.#synced = 0;
    if (log - this.#synced < this.#bound / 8) return;
    this.#synced = log;
    this.#pending = this.#sync(log).finally(() => (this.#pending = undefined));
  }

  async #sync(log: number): Promise<void> {
    try {
      await this.#syncFile(this.#file);
      if (log < (3 / 4) * this.#bound || !this.#db.open || this.#db.inTransaction) return;
      this.#db.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // Nothing depends on it, and the connection's own checkpoint meets the same fault.
    }
  }
}

export async function syncToDisk(file: string): Promise<void> {
  const log = await fs.open(file, 'r+');
  try {
    await log.datasync();
  } finally {
    await log.close();
  }
}

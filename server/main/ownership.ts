/**
 * Exactly one process owns a ledger: it alone writes, ingests and runs tasks. Ownership is a lock of the operating system
 * on a small file beside the ledger, so it ends with the process, however that ends: there is no stale state, and nobody
 * guesses by pids. The lock is an open write transaction of SQLite (rollback journal), since that is the one portable lock
 * Node reaches: POSIX record locks, or LockFileEx on Windows. Nothing is written in it, so a kill leaves no journal.
 *
 * POSIX drops a process's locks on a file when it closes *any* descriptor of it: nothing else may ever open `owner.db`.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import Database from 'better-sqlite3';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { folderFault } from './folder-fault.ts';
import { privateFile, privateFolder } from './platform.ts';

/** Proof of ownership: functions that only the owner may run take one. */
export class Owned {
  readonly folder: string;
  readonly #database: Database.Database;
  readonly #file: string;

  constructor(folder: string, database: Database.Database, file: string) {
    this.folder = folder;
    this.#database = database;
    this.#file = file;
    locks.add(database);
  }

  /** False once the folder was deleted or replaced below us: then another process may own what stands there now. */
  get stands(): boolean {
    if (!this.#database.open) return false;
    try {
      return fileNumber(this.folder) === this.#file;
    } catch (error) {
      // Not to be seen is not to be gone.
      if (errorCode(error) === undefined) throw error;
      return true;
    }
  }

  /** Idempotent. Another process may own the ledger before this returns. */
  release(): void {
    if (!locks.delete(this.#database)) return;
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** A database that is collected as garbage is closed, and its lock with it: whoever forgets an `Owned` still owns. */
const locks = new Set<Database.Database>();

/**
 * undefined: not now, another process owns the ledger in `folder`. Makes the folder if there is none. Never waits.
 * Throws `Fault` L004 or L005 when the folder cannot be used.
 */
export function tryOwn(folder: string): Owned | undefined {
  const database = open(folder);
  try {
    const before = fileNumber(folder);
    fill(database, folder);
    // IMMEDIATE takes the one RESERVED lock: of several that try at the same moment one always wins. EXCLUSIVE would also
    // wait for those who only look, and two could make each other fail.
    database.exec('BEGIN IMMEDIATE');
    if (before !== undefined && fileNumber(folder) === before) return new Owned(folder, database, before);
    // The folder was replaced between opening and locking: the lock is on a file that nobody else will find.
    database.close();
    return undefined;
  } catch (error) {
    database.close();
    if (isSqlite(error, 'SQLITE_BUSY')) return undefined;
    throw folderFault(error, folder);
  }
}

/** Milliseconds between two attempts: a takeover must be done within two seconds of the owner's end. */
const between = 300;

/** Waits until the ledger is free and owns it. undefined: `signal` was aborted first. `pause` waits for so many milliseconds. */
export async function ownWhenFree(
  folder: string,
  signal: AbortSignal,
  pause: (ms: number) => Promise<unknown>,
): Promise<Owned | undefined> {
  while (!signal.aborted) {
    const owned = tryOwn(folder);
    if (owned !== undefined) return owned;
    await pause(between);
  }
  return undefined;
}

const lockName = 'owner.db';

function open(folder: string): Database.Database {
  const file = path.join(folder, lockName);
  try {
    fs.mkdirSync(folder, { recursive: true, mode: privateFolder });
    makePrivate(file);
    return new Database(file, { timeout: 0 });
  } catch (error) {
    throw folderFault(error, folder);
  }
}

/**
 * In a file without a page SQLite begins every write transaction by making one, in a journal: ownership would need room on
 * the disk. Failing here costs nothing, be it that the disk is full or that another process does the same.
 */
function fill(database: Database.Database, folder: string): void {
  if (fs.statSync(path.join(folder, lockName)).size > 0) return;
  try {
    database.pragma('user_version = 1');
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
  }
}

/** Made here, and only if it is not there: closing a descriptor of it later would drop the lock. */
function makePrivate(file: string): void {
  if (fs.existsSync(file)) return;
  try {
    fs.closeSync(fs.openSync(file, 'wx', privateFile));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Names the lock's file without opening it. */
function fileNumber(folder: string): string | undefined {
  const stats = fs.statSync(path.join(folder, lockName), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

function isSqlite(error: unknown, code: string): boolean {
  return error instanceof Database.SqliteError && (error.code === code || error.code.startsWith(`${code}_`));
}

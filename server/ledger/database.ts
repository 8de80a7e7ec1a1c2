/**
 * Opens the ledger's SQLite file. A file that is no database, or a corrupt one, is set aside under a new name and never
 * overwritten; one written by a newer Loom is opened for reading only. WAL, so that readers never wait for the owner.
 */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import { Fault } from '../protocol/faults.ts';
import { ledgerVersion, migrateLedger } from './schema.ts';

export interface OpenDatabase {
  readonly db: Database;
  readonly readonly: boolean;
  /** Path to which a damaged ledger was moved, if that was needed. */
  readonly setAside: string | null;
}

export interface DatabaseOptions {
  readonly readonly: boolean;
  /** For the name of a damaged file that is set aside. */
  readonly now: number;
  /** Only the ledger's owner may move a damaged file away. */
  readonly maySetAside: boolean;
  /** Damage was met in the file while it was in use, which opening alone may not see: it is set aside. */
  readonly damaged?: boolean;
}

export function ledgerFile(folder: string): string {
  return path.join(folder, 'ledger.db');
}

/** Throws `Fault` L001 (locked), L003 is not thrown: `readonly` tells, L004 (disk full), L005 (folder not writable). */
export function openDatabase(folder: string, options: DatabaseOptions): OpenDatabase {
  const file = ledgerFile(folder);
  try {
    if (!options.readonly) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (options.damaged === true && fs.existsSync(file)) throw new Damaged(`damage was met in ${file}`);
    return { ...openOnce(file, options), setAside: null };
  } catch (error) {
    const code = errorCode(error);
    if ((code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) && options.maySetAside && !options.readonly) {
      const aside = freeName(`${file}.damaged-${options.now}`);
      for (const suffix of ['', '-wal', '-shm']) if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix);
      return { ...openOnce(file, options), setAside: aside };
    }
    throw asFault(error, folder);
  }
}

/** Milliseconds to wait for another program's lock. Nobody is answered meanwhile. */
const busyMs = 2000;

class Damaged extends Error {
  readonly code = 'SQLITE_CORRUPT';
}

/** The clock may have been set back to a moment at which one was set aside already. */
function freeName(wanted: string): string {
  for (let n = 1, name = wanted; ; name = `${wanted}-${++n}`) if (!fs.existsSync(name)) return name;
}

function openOnce(file: string, options: DatabaseOptions): { db: Database; readonly: boolean } {
  const db = new Sqlite(file, { readonly: options.readonly, fileMustExist: options.readonly, timeout: busyMs });
  try {
    const version = db.pragma('user_version', { simple: true });
    if (typeof version === 'number' && version > ledgerVersion && !options.readonly) {
      db.close();
      return { db: new Sqlite(file, { readonly: true, timeout: busyMs }), readonly: true };
    }
    db.pragma('temp_store = MEMORY');
    db.pragma('cache_size = -8000');
    if (!options.readonly) {
      // Only a file without tables takes it: pages that become free can then be given back bit by bit.
      db.pragma('auto_vacuum = INCREMENTAL');
      db.pragma('journal_mode = WAL');
      // NORMAL under WAL: a power cut may lose the newest commits, together with their cursors; they are read again.
      db.pragma('synchronous = NORMAL');
      db.pragma('foreign_keys = ON');
      // Copying the log back costs an fsync each time: an import would wait for hundreds of them at the default of 4 MB.
      db.pragma('wal_autocheckpoint = 16384');
      db.pragma('journal_size_limit = 67108864');
      if (process.platform !== 'win32') fs.chmodSync(file, 0o600);
      migrateLedger(db);
      db.prepare('SELECT count(*) FROM threads').get();
    }
    return { db, readonly: options.readonly };
  } catch (error) {
    db.close();
    throw error;
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** A limit on the size of files ends a write like a full disk does. */
const full: ReadonlySet<string> = new Set([
  'SQLITE_FULL',
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_SHMSIZE',
]);
const unusable: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT', 'SQLITE_CANTOPEN']);

/** Names the faults that a person can act on; anything else is returned as it came, and so is a damaged pack: the file itself is whole. */
export function asFault(error: unknown, folder: string): unknown {
  if (error instanceof DamagedPack) return error;
  const code = errorCode(error);
  if (full.has(code)) return new Fault('L004', folder);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return new Fault('L001', folder);
  if (unusable.has(code) || code.startsWith('SQLITE_READONLY')) return new Fault('L005', `${folder} (${code})`);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) return new Fault('L002', folder);
  return error;
}

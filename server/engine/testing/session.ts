/** A session in a real SQLite file in a temporary folder, which goes when the test is over. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Engine } from '../engine.ts';
import { SqliteStore } from '../sqlite/store.ts';
import type { Storage } from '../storage.ts';
import { entryKinds, taskKinds } from './kinds.ts';

export function tempFolder(onFinished: (dispose: () => void) => void): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'engine-'));
  onFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openFile(file: string): Database {
  const db = new Sqlite(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  return db;
}

export class TempSession {
  readonly #file: string;
  #db: Database;
  #store: SqliteStore;

  constructor(onFinished: (dispose: () => void) => void) {
    const folder = tempFolder(onFinished);
    this.#file = path.join(folder, 'engine.db');
    this.#db = openFile(this.#file);
    this.#store = new SqliteStore(this.#db);
    onFinished(() => this.#db.close());
  }

  get db(): Database {
    return this.#db;
  }

  get store(): SqliteStore {
    return this.#store;
  }

  get file(): string {
    return this.#file;
  }

  /** As after the end of the process: another connection, other statements. */
  reopenFile(): void {
    this.#db.close();
    this.#db = openFile(this.#file);
    this.#store = new SqliteStore(this.#db);
  }

  async engine(storage: Storage = this.#store.session('session')): Promise<Engine<string>> {
    return Engine.open(storage, { entryKinds, taskKinds });
  }
}

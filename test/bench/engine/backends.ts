/** The backends as the benchmark opens them, sessions in one folder. SQLite with the pragmas of the ledger's file. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { JsonlStorage } from '../../../server/engine/jsonl/storage.ts';
import { MemoryStorage } from '../../../server/engine/memory/storage.ts';
import { SqliteStore } from '../../../server/engine/sqlite/store.ts';
import type { Storage } from '../../../server/engine/storage.ts';
import type { Counter } from './counting.ts';

export const backendNames = ['sqlite', 'jsonl', 'memory'] as const;
export type BackendName = (typeof backendNames)[number];

export interface Store {
  /** The session of that name; made when there is none. A storage that it gave before is of no use any more. */
  session(name: string): Storage;
  /** Ends what the storages do not end themselves. */
  close(): void;
}

export class Backends {
  readonly #backend: BackendName;
  readonly #folder: string;
  readonly #counter: Counter | undefined;
  /** The memory backend's sessions live as long as this. */
  readonly #memory = new Map<string, MemoryStorage>();

  constructor(backend: BackendName, folder: string, counter: Counter | undefined) {
    this.#backend = backend;
    this.#folder = folder;
    this.#counter = counter;
  }

  /** A new connection. */
  open(): Store {
    const counter = this.#counter;
    const counted = (storage: Storage): Storage => counter?.storage(storage) ?? storage;
    switch (this.#backend) {
      case 'sqlite': {
        const db = openDatabase(path.join(this.#folder, 'sessions.db'));
        counter?.connection(db);
        const store = new SqliteStore(db);
        return { session: (name) => counted(store.session(name)), close: () => void db.close() };
      }
      case 'jsonl':
        return {
          session: (name) => counted(JsonlStorage.open(path.join(this.#folder, `${name}.jsonl`))),
          close: () => undefined,
        };
      case 'memory':
        return {
          session: (name) => {
            const storage = this.#memory.get(name)?.reopen() ?? new MemoryStorage();
            this.#memory.set(name, storage);
            return counted(storage);
          },
          close: () => undefined,
        };
    }
  }
}

export function openDatabase(file: string): Database {
  const db = new Sqlite(file);
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -8000');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('wal_autocheckpoint = 16384');
  db.pragma('journal_size_limit = 67108864');
  return db;
}

/** Bytes of all files below the folder: log, scratch and all. */
export function bytesOf(folder: string): number {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .reduce((sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0), 0);
}

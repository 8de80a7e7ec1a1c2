/**
 * The registry of storage backends, for suites that hold for every one of them: each gives a session of its own in a temporary folder.
 * Memory has nothing to read again: opening it again gives another handle on what is there, as a new owner in the process has it. `packed` is
 * SQLite whose entries go into packs all the time.
 */
import path from 'node:path';
import { JsonlStorage } from '../jsonl/storage.ts';
import type { JsonlOptions } from '../jsonl/storage.ts';
import { MemoryStorage } from '../memory/storage.ts';
import type { Migration } from '../migration.ts';
import { SqliteStore } from '../sqlite/store.ts';
import type { Storage } from '../storage.ts';
import { packing } from './packing.ts';
import { openFile, tempFolder } from './session.ts';

type OnFinished = (dispose: () => void) => void;

/** One session of a backend. */
export interface TestSession {
  readonly storage: Storage;
  /** Lets go of everything, as at the end of the process, and opens what is stored; `version`: what the program then knows. */
  reopen(version?: string): Promise<Storage>;
  /** Before it is opened again with the new version. */
  migrate(from: string, to: string, migrations: readonly Migration[]): Promise<void>;
}
export interface Backend {
  readonly name: 'memory' | 'jsonl' | 'sqlite' | 'packed';
  open(onFinished: OnFinished): TestSession;
}

export const backends: readonly Backend[] = [
  { name: 'memory', open: () => new MemorySession() },
  { name: 'jsonl', open: (onFinished) => new JsonlSession(onFinished) },
  { name: 'sqlite', open: (onFinished) => new SqliteSession(onFinished, (store) => store.session('session')) },
  { name: 'packed', open: (onFinished) => new SqliteSession(onFinished, (store) => packing(store, 'session')) },
];

class MemorySession implements TestSession {
  #storage = new MemoryStorage();

  get storage(): Storage {
    return this.#storage;
  }

  async reopen(version?: string): Promise<Storage> {
    this.#storage = this.#storage.reopen(version === undefined ? {} : { version });
    return this.#storage;
  }

  async migrate(from: string, to: string, migrations: readonly Migration[]): Promise<void> {
    this.#storage.migrate(from, to, migrations);
  }
}

export class JsonlSession implements TestSession {
  readonly file: string;
  readonly #options: JsonlOptions;
  #storage: JsonlStorage;

  constructor(onFinished: OnFinished, options: JsonlOptions = {}) {
    this.file = path.join(tempFolder(onFinished), 'session.jsonl');
    this.#options = options;
    this.#storage = JsonlStorage.open(this.file, options);
    onFinished(() => void this.#storage.close());
  }

  get storage(): JsonlStorage {
    return this.#storage;
  }

  async reopen(version?: string): Promise<JsonlStorage> {
    await this.#storage.close();
    this.#storage = JsonlStorage.open(this.file, { ...this.#options, ...(version === undefined ? {} : { version }) });
    return this.#storage;
  }

  async migrate(from: string, to: string, migrations: readonly Migration[]): Promise<void> {
    await this.#storage.close();
    await JsonlStorage.migrate(this.file, from, to, migrations, this.#options);
  }
}

class SqliteSession implements TestSession {
  readonly #file: string;
  readonly #open: (store: SqliteStore) => Storage;
  #db;
  #storage: Storage;

  constructor(onFinished: OnFinished, open: (store: SqliteStore) => Storage) {
    this.#open = open;
    this.#file = path.join(tempFolder(onFinished), 'engine.db');
    this.#db = openFile(this.#file);
    this.#storage = open(new SqliteStore(this.#db));
    onFinished(() => this.#db.close());
  }

  get storage(): Storage {
    return this.#storage;
  }

  async reopen(version?: string): Promise<Storage> {
    this.#db.close();
    this.#db = openFile(this.#file);
    this.#storage = this.#open(new SqliteStore(this.#db, version === undefined ? {} : { version }));
    return this.#storage;
  }

  async migrate(from: string, to: string, migrations: readonly Migration[]): Promise<void> {
    new SqliteStore(this.#db, { version: to }).migrate('session', from, to, migrations);
  }
}

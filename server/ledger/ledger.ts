/**
 * The ledger: one SQLite file with every thread of every harness. Guards one invariant: entries are written only through an
 * engine commit, and whatever the ledger derives from them is written inside the same transaction (`within`).
 * Several processes may read; only the owner (server/main/ownership.ts) may hold a writable one.
 */
import type { Database } from 'better-sqlite3';
import type { Engine } from '../engine/engine.ts';
import type { TaskKind } from '../engine/kinds.ts';
import { SqliteStore } from '../engine/sqlite/store.ts';
import { Fault } from '../protocol/faults.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { asFault, openDatabase } from './database.ts';
import type { DatabaseOptions } from './database.ts';
import { BranchesTable } from './branches-table.ts';
import { DocumentsTable } from './documents-table.ts';
import { Engines } from './engines.ts';
import type { HeldEngine } from './engines.ts';
import { HandoffsTable } from './handoffs-table.ts';
import { KeysTable } from './keys-table.ts';
import { NativesTable } from './natives-table.ts';
import { SourcesTable } from './sources-table.ts';
import { ThreadsTable } from './threads-table.ts';
import { WarningsTable } from './warnings-table.ts';

export class Ledger {
  readonly folder: string;
  readonly readonly: boolean;
  readonly setAside: string | null;
  readonly threads: ThreadsTable;
  readonly natives: NativesTable;
  readonly branches: BranchesTable;
  readonly sources: SourcesTable;
  readonly keys: KeysTable;
  readonly documents: DocumentsTable;
  readonly warnings: WarningsTable;
  readonly handoffs: HandoffsTable;
  readonly #db: Database;
  readonly #store: SqliteStore;
  readonly #engines: Engines;

  static open(folder: string, options: DatabaseOptions): Ledger {
    const { db, readonly, setAside } = openDatabase(folder, options);
    try {
      return new Ledger(folder, db, readonly, setAside);
    } catch (error) {
      db.close();
      // A newer Loom may have changed a table so that it cannot even be read.
      throw readonly && !options.readonly ? new Fault('L003', folder) : asFault(error, folder);
    }
  }

  private constructor(folder: string, db: Database, readonly: boolean, setAside: string | null) {
    this.folder = folder;
    this.readonly = readonly;
    this.setAside = setAside;
    this.#db = db;
    this.#store = new SqliteStore(db);
    this.#engines = new Engines(this.#store);
    this.threads = new ThreadsTable(db);
    this.natives = new NativesTable(db);
    this.branches = new BranchesTable(db);
    this.sources = new SourcesTable(db);
    this.keys = new KeysTable(db);
    this.documents = new DocumentsTable(db);
    this.warnings = new WarningsTable(db);
    this.handoffs = new HandoffsTable(db);
  }

  /** The engine session of that name. Creates it when `create`; otherwise a missing one is a bug. */
  async engine(session: string, create = false): Promise<Engine<Message>> {
    return this.#engines.get(session, create);
  }

  /** As `engine`, and nobody opens another one on that session until it is disposed of: for whoever drives work, or watches. */
  async hold(session: string): Promise<HeldEngine> {
    return this.#engines.hold(session);
  }

  /** Tasks of that kind are executed by this process, whenever one is driven. To be said before the first session is opened. */
  executes(kind: TaskKind): void {
    this.#engines.executes(kind);
  }

  /** Names of the engine sessions that have live tasks; costs what is live. */
  liveSessions(): readonly string[] {
    return this.#store.liveSessions();
  }

  /** After a commit of which it is not known whether it lasts: the next call opens the session anew and reads what is there. */
  forget(session: string): void {
    this.#engines.forget(session);
  }

  /** One transaction over the ledger's own tables, for changes that go with no entries (a file that vanished). */
  transact<T>(change: () => T): T {
    return this.#db.transaction(change).immediate();
  }

  /** A consistent read over several statements. */
  snapshot<T>(read: () => T): T {
    return this.#db.transaction(read).deferred();
  }

  audit(at: number, action: string, thread: string, detail: string): void {
    this.#db.prepare('INSERT INTO audit (at, action, thread, detail) VALUES (?, ?, ?, ?)').run(at, action, thread, detail);
  }

  integrity(): string {
    const answer = this.#db.pragma('quick_check(1)', { simple: true });
    return typeof answer === 'string' ? answer : 'unknown';
  }

  /** Ends what the engines execute, then lets go of the file. */
  async close(): Promise<void> {
    await this.#engines.close();
    if (!this.readonly) {
      try {
        this.#db.pragma('wal_checkpoint(TRUNCATE)');
      } catch {
        // A reader is still open: the next owner checkpoints.
      }
    }
    this.#db.close();
  }
}

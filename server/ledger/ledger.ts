/**
 * The ledger: one SQLite file with every thread of every harness. Guards one invariant: entries are written only through an
 * engine commit, and whatever the ledger derives from them is written inside the same transaction (`within`).
 * Several processes may read; only the owner (server/main/ownership.ts) may hold a writable one.
 */
import type { Database } from 'better-sqlite3';
import { Engine } from '../engine/engine.ts';
import type { TaskKindRoles } from '../engine/kinds.ts';
import { SqliteStore } from '../engine/sqlite/store.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { asFault, openDatabase } from './database.ts';
import type { DatabaseOptions } from './database.ts';
import { BranchesTable } from './branches-table.ts';
import { DocumentsTable } from './documents-table.ts';
import { registeredKinds, subagentTask } from './kinds.ts';
import { HandoffsTable } from './handoffs-table.ts';
import { KeysTable } from './keys-table.ts';
import { NativesTable } from './natives-table.ts';
import { SourcesTable } from './sources-table.ts';
import { ThreadsTable } from './threads-table.ts';
import { WarningsTable } from './warnings-table.ts';

/** Open engine handles are kept for as many sessions as are busy at once; a handle holds no history. */
const keptEngines = 48;

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
  readonly #engines = new Map<string, Promise<Engine<Message>>>();

  static open(folder: string, options: DatabaseOptions): Ledger {
    const { db, readonly, setAside } = openDatabase(folder, options);
    try {
      return new Ledger(folder, db, readonly, setAside);
    } catch (error) {
      db.close();
      throw asFault(error, folder);
    }
  }

  private constructor(folder: string, db: Database, readonly: boolean, setAside: string | null) {
    this.folder = folder;
    this.readonly = readonly;
    this.setAside = setAside;
    this.#db = db;
    this.#store = new SqliteStore(db);
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
    const open = this.#engines.get(session);
    if (open !== undefined) {
      this.#engines.delete(session);
      this.#engines.set(session, open);
      return open;
    }
    const storage = create ? this.#store.session(session) : this.#store.find(session);
    if (storage === undefined) throw new Error(`the ledger names an engine session that it does not have: ${session}`);
    const opening = Engine.open(storage, { entryKinds: registeredKinds, taskKinds: [subagentTask as TaskKindRoles<never>] });
    this.#engines.set(session, opening);
    if (this.#engines.size > keptEngines) {
      const oldest = this.#engines.keys().next().value;
      if (oldest !== undefined) this.#engines.delete(oldest);
    }
    return opening;
  }

  /** After a commit of which it is not known whether it lasts: the next call opens the session anew and reads what is there. */
  forget(session: string): void {
    this.#engines.delete(session);
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

  async close(): Promise<void> {
    this.#engines.clear();
    if (!this.readonly) {
      try {
        this.#db.pragma('wal_checkpoint(TRUNCATE)');
      } catch {
        // A reader is still open: the next owner checkpoints.
      }
    }
    this.#db.close();
    await Promise.resolve();
  }
}

/**
 * The ledger: one SQLite file with every thread of every harness. Guards one invariant: entries are written only through an
 * engine commit, and whatever the ledger derives from them is written inside the same transaction (`within`).
 * Several processes may read; only the owner (server/main/ownership.ts) may hold a writable one.
 */
import type { Database } from 'better-sqlite3';
import type { Engine } from '../engine/engine.ts';
import type { TaskKind } from '../engine/kinds.ts';
import type { Entry, Json } from '../engine/records.ts';
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import type { PackPlace } from '../engine/sqlite/open-pack.ts';
import type { DamagedPlace, PackLook } from '../engine/sqlite/pack-look.ts';
import { SqliteStore } from '../engine/sqlite/store.ts';
import { Fault } from '../protocol/faults.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { asFault, errorCode, openDatabase } from './database.ts';
import type { DatabaseOptions } from './database.ts';
import { Archive } from './archive.ts';
import { BatonStatesTable } from './baton-states-table.ts';
import { BranchesTable } from './branches-table.ts';
import { ConflictsTable } from './conflicts-table.ts';
import { ConsentsTable } from './consents-table.ts';
import { standInContent } from './damage.ts';
import { DocumentsTable } from './documents-table.ts';
import type { NewDocument } from './documents-table.ts';
import { Engines } from './engines.ts';
import type { HeldEngine } from './engines.ts';
import { ExpectedTable } from './expected-table.ts';
import { HandoffsTable } from './handoffs-table.ts';
import { KeysTable } from './keys-table.ts';
import { LeasesTable } from './leases-table.ts';
import { NativesTable } from './natives-table.ts';
import { SnapshotsTable } from './snapshots-table.ts';
import { SourcesTable } from './sources-table.ts';
import { StopsTable } from './stops-table.ts';
import { ThreadsTable } from './threads-table.ts';
import { WarningsTable } from './warnings-table.ts';

/** Sessions that are looked at for one that is idle: more are never written to at once. */
const mostPackable = 10_000;
/** Pages of the search index that are joined between two transactions of bulk work. */
const piledPages = 500;

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
  readonly consents: ConsentsTable;
  readonly expected: ExpectedTable;
  /** These five are undefined only in a file of an older Loom, which this one may only read. */
  readonly batonStates: BatonStatesTable | undefined;
  readonly leases: LeasesTable | undefined;
  readonly conflicts: ConflictsTable | undefined;
  readonly stops: StopsTable | undefined;
  readonly snapshots: SnapshotsTable | undefined;
  readonly #db: Database;
  readonly #store: SqliteStore;
  readonly #engines: Engines;
  #waiting: NewDocument[] = [];
  #archive: Archive | undefined;
  /** Names of sessions that cannot be packed. */
  readonly #unpackable = new Set<string>();
  /** Hears of a session in which something was damaged, by name, whenever that is met. */
  onDamaged: (session: string) => void = () => undefined;

  static open(folder: string, options: DatabaseOptions): Ledger {
    const { db, readonly, setAside } = openDatabase(folder, options);
    try {
      return new Ledger(folder, db, readonly, setAside);
    } catch (error) {
      db.close();
      // Damage that is met only where the tables are asked: set aside like damage that is met before.
      const mayBeAnew = !readonly && options.maySetAside && options.damaged !== true;
      if (mayBeAnew && errorCode(error).startsWith('SQLITE_CORRUPT')) return Ledger.open(folder, { ...options, damaged: true });
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
    this.consents = new ConsentsTable(db);
    this.expected = new ExpectedTable(db);
    this.batonStates = BatonStatesTable.open(db);
    this.leases = LeasesTable.open(db);
    this.conflicts = ConflictsTable.open(db);
    this.stops = StopsTable.open(db);
    this.snapshots = SnapshotsTable.open(db);
  }

  /** Made when it is asked for: a file of an older Loom, which this one may only read, has no tables for it. */
  get archive(): Archive {
    return (this.#archive ??= new Archive(this.#db));
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

  /** Of a session that need not be open. */
  entry(session: string, id: number): Entry | undefined {
    return this.#store.entry(session, id);
  }

  /**
   * `read`, which waits for nothing, of the session's entries; for showing them. What is damaged has an `opaque` entry in its place that says
   * so: one for each entry, or one for all of a pack whose headers are damaged too.
   */
  readable<T>(session: string, read: () => T): T {
    let isHurt = false;
    const content = ({ conversation, first, last, count }: PackPlace): Json => {
      isHurt = true;
      const native = this.branches.get(session, conversation)?.native;
      const harness = (native === undefined ? undefined : this.natives.byNumber(native)?.harness) ?? 'claude';
      const provenance = { harness, source: 0, offset: 0, length: 0, translator: 0, trust: 'loom' };
      return { ...standInContent(first, last, count), at: null, provenance };
    };
    const found = this.#store.standingIn({ kind: 'opaque', content }, read);
    if (isHurt) this.onDamaged(session);
    return found;
  }

  /** The name of the session in which that is. */
  sessionOf({ place }: DamagedPack): string | undefined {
    return place === undefined ? undefined : this.#store.sessionName(place.session);
  }

  /** The session's packs that cannot be read; looks at all of them. */
  damagedPacks(session: string): readonly DamagedPlace[] {
    return this.#store.damagedPacks(session);
  }

  /** Their entries again, all of each: see `SqliteStore.mendPacks`. */
  mendPacks(mended: readonly { readonly place: PackPlace; readonly entries: readonly Entry[] }[]): void {
    this.#store.mendPacks(mended);
  }

  hasSession(session: string): boolean {
    return this.#store.sessionNumber(session) !== undefined;
  }

  /** Names of the engine sessions that have live tasks; costs what is live. */
  liveSessions(): readonly string[] {
    return this.#store.liveSessions();
  }

  /** After a commit of which it is not known whether it lasts: the next call opens the session anew and reads what is there. */
  forget(session: string): void {
    this.#engines.forget(session);
  }

  /** Everything that is written until `endGroup` is one transaction: see `SqliteStore.beginGroup`. */
  beginGroup(): void {
    this.#store.beginGroup();
  }
  endGroup(): void {
    // A full disk has rolled it back already: what follows would not be within it.
    if (!this.#db.inTransaction) {
      this.abandonGroup();
      throw new Error('a statement of the group of commits has failed and has taken it back');
    }
    try {
      this.indexWaiting();
    } catch (error) {
      this.#store.abandonGroup();
      throw error;
    }
    this.#store.endGroup();
  }
  abandonGroup(): void {
    this.#waiting = [];
    this.#store.abandonGroup();
  }

  /**
   * Puts documents into the search index, within the transaction. In a group they wait for its end: the index writes out what it holds
   * whenever a statement of another table needs a savepoint of its own, and takes many at once best.
   */
  index(documents: readonly NewDocument[]): void {
    if (!this.#store.isGrouped) this.documents.add(documents);
    else for (const document of documents) this.#waiting.push(document);
  }
  /** Before documents are taken out, those that wait go in. */
  indexWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.documents.add(waiting);
  }

  /**
   * Merges a part of the keys that came lately into those that stand in order, when at least `fewest` commits brought some or memory is full
   * of them. Not within a group. false: there is nothing to merge.
   */
  mergeKeys(fewest: number): boolean {
    return this.keys.mergeSome((change) => this.transact(change), fewest);
  }
  /**
   * To be called now and then during bulk work: a step of merging keys when memory is full of them, and one of joining the segments of the search
   * index when they are very many. Not within a group. Throws the `Fault` of the ledger.
   */
  relieve(): void {
    if (this.keys.isFull) this.#faulting(() => this.mergeKeys(Infinity));
    if (this.documents.arePiled) this.#faulting(() => this.transact(() => this.documents.joinPiled(piledPages)));
  }

  /** How the search index keeps its segments, during bulk work and otherwise: `DocumentsTable.pileUp`. Throws the `Fault` of the ledger. */
  pileUp(isBulk: boolean): void {
    this.#faulting(() => this.transact(() => this.documents.pileUp(isBulk)));
  }

  #faulting(change: () => void): void {
    try {
      change();
    } catch (error) {
      throw asFault(error, this.folder);
    }
  }

  /**
   * Packs a part, at most so many entries, of what stands in rows in a session in whose threads nothing was said since `before`. false:
   * there is nothing to pack. A session in which a damaged pack is to be filled up is left as it is.
   */
  packIdle(before: number, most: number): boolean {
    for (const session of this.#store.packable(mostPackable)) {
      if (this.threads.updatedIn(session) >= before || this.#unpackable.has(session)) continue;
      try {
        if (this.#store.pack(session, { most }).packed > 0) return true;
      } catch (error) {
        if (!(error instanceof DamagedPack)) throw error;
        this.#unpackable.add(session);
        this.onDamaged(session);
      }
    }
    return false;
  }

  /** Gives back to the file system a part of the pages that became free. false: there are none, or the file is an older one, which keeps them. */
  shrinkSome(pages: number): boolean {
    const before = this.#freePages();
    if (before === 0 || this.#db.pragma('auto_vacuum', { simple: true }) !== 2) return false;
    this.#db.pragma(`incremental_vacuum(${pages})`);
    return this.#freePages() < before;
  }

  #freePages(): number {
    return this.#db.pragma('freelist_count', { simple: true }) as number;
  }

  /** One transaction over the ledger's own tables, for changes that go with no entries (a file that vanished). */
  transact<T>(change: () => T): T {
    return this.#db.transaction(change).immediate();
  }

  /** A consistent read over several statements. */
  snapshot<T>(read: () => T): T {
    return this.#db.transaction(read).deferred();
  }

  /** Lets go of pages and packs that are kept for the next read. */
  releaseMemory(): void {
    this.#store.forgetPacks();
    this.#db.pragma('shrink_memory');
  }

  audit(at: number, action: string, thread: string, detail: string): void {
    this.#db.prepare('INSERT INTO audit (at, action, thread, detail) VALUES (?, ?, ?, ?)').run(at, action, thread, detail);
  }

  /** Looks at every `step`th pack of entries: see `SqliteStore.lookAtPacks`. */
  lookAtPacks(step: number): PackLook {
    return this.#store.lookAtPacks(step);
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

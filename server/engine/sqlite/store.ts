/**
 * The engine's side of a SQLite file: many sessions on one connection, which its opener made (WAL mode, its pragmas) and
 * will close. Opening a session reads its number and nothing else.
 */
import type { Database } from 'better-sqlite3';
import { checkVersion, currentVersion, MigrationPath } from '../migration.ts';
import type { Migration } from '../migration.ts';
import type { Entry, Id } from '../records.ts';
import { LogSync } from './log-sync.ts';
import type { SyncFile } from './log-sync.ts';
import { migrateSession } from './migrate.ts';
import type { PackPlace } from './open-pack.ts';
import { compress } from './pack-codec.ts';
import { damagedPlaces, lookAtPacks } from './pack-look.ts';
import type { DamagedPlace, PackLook } from './pack-look.ts';
import type { StandIn } from './packed-entries.ts';
import { Packing } from './packing.ts';
import type { PackedSome, PackOptions } from './packing.ts';
import { migrateEngine } from './schema.ts';
import { SqliteStorage } from './storage.ts';
import { prepareTables } from './tables.ts';
import type { Tables } from './tables.ts';
import { Transaction } from './transaction.ts';

export interface StoreOptions {
  /** The storage version that the program knows. */
  readonly version?: string;
  /** Absent: the system's. */
  readonly syncFile?: SyncFile;
}

export class SqliteStore {
  readonly #db: Database;
  readonly #version: string;
  readonly #tables: Tables;
  readonly #transaction: Transaction;
  readonly #packing: Packing;

  /** Brings the engine's tables up to date. Throws Rejected `storageVersion` for a file that this program cannot use. */
  constructor(db: Database, { version = currentVersion, syncFile }: StoreOptions = {}) {
    migrateEngine(db);
    this.#db = db;
    this.#version = version;
    this.#tables = prepareTables(db);
    this.#transaction = new Transaction(db, new LogSync(db, syncFile));
    const { entryRows, packs, packedEntries } = this.#tables;
    this.#packing = new Packing(db, entryRows, packs, packedEntries);
  }

  /** The session of that name, created when absent. */
  session(name: string): SqliteStorage {
    const { sessions } = this.#tables;
    const known = sessions.find(name);
    if (known !== undefined) return this.#open(known);
    // Inside a caller's own transaction, or a group, the new session is part of it.
    if (this.#db.inTransaction) return this.#open(sessions.create(name, this.#version));
    return this.#open(this.#transaction.run(() => sessions.find(name) ?? sessions.create(name, this.#version)));
  }

  find(name: string): SqliteStorage | undefined {
    const known = this.#tables.sessions.find(name);
    return known === undefined ? undefined : this.#open(known);
  }

  /**
   * Commits of any of the file's sessions until `endGroup` are one transaction, for bulk work without live tasks. They become durable
   * together, or not at all: then whoever has one of these sessions open must open it anew. Nobody else may use the connection meanwhile,
   * so between the two nothing is waited for.
   */
  beginGroup(): void {
    this.#transaction.beginGroup();
  }
  /** Throws what SQLite answered, nothing being kept; `UncertainPersistence` when it cannot know that. */
  endGroup(): void {
    this.#undoing(() => this.#transaction.endGroup());
  }
  get isGrouped(): boolean {
    return this.#transaction.isGrouped;
  }
  abandonGroup(): void {
    this.#tables.packCache.clear();
    this.#transaction.abandonGroup();
  }

  /**
   * Entries of the session that are rows become packs, at most about `most` of them and 8 MB in one transaction; all reads stay as they are, and
   * an open engine notices nothing. For the session's one writer, as a commit is, and for when it is idle. `within` as in a commit.
   */
  pack(name: string, { within, ...options }: PackOptions & { readonly within?: () => void }): PackedSome {
    const { sessions, packed } = this.#tables;
    const session = sessions.find(name);
    if (session === undefined) return { packed: 0, more: false };
    const work = (): PackedSome => {
      const done = this.#packing.pack(session, sessions.lastSeq(session), options);
      if (done.packed > 0) packed.add(session);
      within?.();
      return done;
    };
    return this.#undoing(() => this.#transaction.run(work, options.most));
  }

  /** Names of sessions for which `pack` has something to do; costs what the file has sessions. */
  packable(limit: number): readonly string[] {
    return this.#packing.packable(limit);
  }

  /** Looks at every `step`th pack of the file, whether all of it can be read; 1: costs what the file has. */
  lookAtPacks(step: number): PackLook {
    return lookAtPacks(this.#db, this.#tables.packs, step);
  }

  /** Reads that wait for nothing, and have stand-ins for what is damaged: see `PackedEntries.standingIn`. */
  standingIn<T>(standIn: StandIn, read: () => T): T {
    return this.#tables.packedEntries.standingIn(standIn, read);
  }

  /** The packs of a session that cannot be read; looks at all of them. */
  damagedPacks(name: string): readonly DamagedPlace[] {
    const { sessions, packs } = this.#tables;
    const session = sessions.find(name);
    return session === undefined ? [] : damagedPlaces(this.#db, packs, session);
  }

  /**
   * Writes the entries of damaged packs, all that each had, in its place again, in one transaction. For the session's one writer; an open
   * engine that could not read them reads them from then on.
   */
  mendPacks(mended: readonly { readonly place: PackPlace; readonly entries: readonly Entry[] }[]): void {
    const { packs, packCache } = this.#tables;
    this.#transaction.run(() => {
      for (const { place, entries } of mended) {
        const plain = Buffer.from(entries.map(({ content }) => JSON.stringify(content)).join('\n'));
        const { codec, bytes: contents } = compress(plain);
        packs.replace(place, entries, { codec, size: plain.length, contents });
      }
    }, mended.length);
    packCache.clear();
  }

  /** Of a session's number in the file. */
  sessionName(session: number): string | undefined {
    return this.#tables.sessions.name(session);
  }

  /** Names of the sessions that have live tasks: one query over the index of those tasks, whatever the number of sessions. */
  liveSessions(): readonly string[] {
    return this.#tables.sessions.live();
  }

  /** An entry of the session of that name, for readers of many sessions, who want no handle on each. Throws Rejected `storageVersion`. */
  entry(name: string, id: Id): Entry | undefined {
    const { sessions, entries } = this.#tables;
    const known = sessions.known(name);
    if (known === undefined) return undefined;
    checkVersion(known.version ?? undefined, this.#version);
    return entries.entryAlone(known.session, id);
  }

  /** The session's number in the file, by which its rows are found. */
  sessionNumber(name: string): number | undefined {
    return this.#tables.sessions.find(name);
  }

  /**
   * Brings a session, which nobody may have open, to another storage version, in one transaction. Throws Rejected `storageVersion` for a
   * session of another version than `from` and for a step that is missing; then nothing is changed.
   */
  migrate(name: string, from: string, to: string, migrations: readonly Migration[]): void {
    const { sessions } = this.#tables;
    this.#transaction.run(() => {
      const session = sessions.find(name);
      if (session === undefined) return;
      migrateSession(this.#db, session, new MigrationPath(migrations, from, to, sessions.version(session)));
      sessions.setVersion(session, to);
    });
    this.#tables.packCache.clear();
  }

  /** What was read of packs, and kept for the next read, is read again when it is asked for. */
  forgetPacks(): void {
    this.#tables.packCache.clear();
  }

  /** What was read of packs that are not kept must not be taken for those that get their numbers. */
  #undoing<T>(change: () => T): T {
    try {
      return change();
    } catch (error) {
      this.#tables.packCache.clear();
      throw error;
    }
  }

  #open(session: number): SqliteStorage {
    checkVersion(this.#tables.sessions.version(session), this.#version);
    return new SqliteStorage(this.#tables, this.#transaction, session);
  }
}

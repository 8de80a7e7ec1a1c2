/**
 * One session in memory, by the storage port (engine specification 7.4). A batch is prepared whole, `within` runs, and only then is it
 * published. Nothing outlives the process, but a closed session can be opened again in it, over the same records.
 */
import { Rejected } from '../errors.ts';
import { checkVersion, currentVersion, MigrationPath } from '../migration.ts';
import type { Migration } from '../migration.ts';
import type { CommitBatch, Id } from '../records.ts';
import { RowReads } from '../row-reads.ts';
import type { Storage } from '../storage.ts';
import { migrateRecords } from './migrate.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { MemoryRecords } from './records.ts';

export interface MemoryOptions {
  /** The storage version that the program knows. */
  readonly version?: string;
}

export class MemoryStorage extends RowReads implements Storage {
  readonly #records: MemoryRecords;
  #closed = false;

  constructor({ version = currentVersion }: MemoryOptions = {}, records = new MemoryRecords(version)) {
    checkVersion(records.version, version);
    super(records);
    this.#records = records;
  }

  async commit(batch: CommitBatch, within?: () => void): Promise<{ readonly first: Id; readonly last: Id }> {
    if (this.#closed) throw new Rejected('closed', 'the session is closed');
    if (batch.writes.length === 0 && within === undefined) return { first: this.lastSeq + 1, last: this.lastSeq };
    const prepared = prepare(this.#records, batch);
    within?.();
    publish(this.#records, prepared);
    return { first: prepared.first, last: prepared.last };
  }

  /** Another handle on the session, as a new owner has it; this one admits nothing more. */
  reopen(options: MemoryOptions = {}): MemoryStorage {
    this.#closed = true;
    return new MemoryStorage(options, this.#records);
  }

  /** Brings the session, which nobody else may have open, to another storage version. Throws Rejected `storageVersion`; then nothing is changed. */
  migrate(from: string, to: string, migrations: readonly Migration[]): void {
    migrateRecords(this.#records, new MigrationPath(migrations, from, to, this.#records.version));
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

/**
 * One session in a file of lines, by the storage port (engine specification 7.4): everything in memory, one line a batch. All bytes of a line are
 * written before its batch is published. A commit is one file: main batches go to `<file>`, a task's scratch to `<file>.scratch/<task id>`.
 * It is the session's owner's duty that no other process writes the file (section 1): there is no lock here that would die with its process,
 * because Node has none, and one that outlives it would keep out the next owner. What a second writer did is noticed before the next append.
 */
import { Rejected, UncertainPersistence } from '../errors.ts';
import { prepare } from '../memory/prepare.ts';
import type { PreparedBatch } from '../memory/prepare.ts';
import { publish } from '../memory/publish.ts';
import { MemoryRecords } from '../memory/records.ts';
import { checkVersion, currentVersion } from '../migration.ts';
import type { Migration } from '../migration.ts';
import type { CommitBatch, Id } from '../records.ts';
import { RowReads } from '../row-reads.ts';
import type { Storage } from '../storage.ts';
import { batchLine, headerLine } from './encode.ts';
import { nodeFiles } from './files.ts';
import type { Files } from './files.ts';
import { LogFile } from './log-file.ts';
import type { SyncPolicy } from './log-file.ts';
import { finishMigration, migrateFile } from './migrate.ts';
import { previousIn, readVersion, replayMain, replayScratch } from './replay.ts';
import { scratchFolder, ScratchFiles } from './scratch-files.ts';

export interface JsonlOptions {
  /** The storage version that the program knows. */
  readonly version?: string;
  /** 'never' by default. */
  readonly sync?: SyncPolicy;
  readonly files?: Files;
}

export class JsonlStorage extends RowReads implements Storage {
  readonly #records: MemoryRecords;
  readonly #main: LogFile;
  readonly #scratch: ScratchFiles;
  #writing: Promise<void> | undefined;
  #failure: UncertainPersistence | undefined;
  #closed = false;

  /**
   * Reads the session; a file that is not there is an empty one. Removes scratch files of tasks that are not live, and changes nothing else: a torn
   * line goes with the first commit. Throws Rejected `malformed` or `storageVersion`.
   */
  static open(file: string, { version = currentVersion, sync = 'never', files = nodeFiles }: JsonlOptions = {}): JsonlStorage {
    const found = readVersion(files, file);
    if (found !== undefined) checkVersion(found, version);
    finishMigration(files, file, version);
    const records = new MemoryRecords(version);
    const main = new LogFile(files, file, replayMain(records, files, file), sync);
    const scratch = new ScratchFiles(files, scratchFolder(file), sync);
    for (const task of scratch.stored) {
      if (records.tasks.isLive(task)) scratch.adopt(task, replayScratch(records, files, scratch.fileOf(task), task));
      else scratch.discard(task, records.tasks.conversationOf(task) !== undefined);
    }
    return new JsonlStorage(records, main, scratch);
  }

  /**
   * Brings a session that is not open to another storage version; the old file stays beside it as `<file>.bak`. Rejects with Rejected
   * `storageVersion` or `malformed`; then nothing is changed.
   */
  static async migrate(
    file: string,
    from: string,
    to: string,
    migrations: readonly Migration[],
    { files = nodeFiles }: Pick<JsonlOptions, 'files'> = {},
  ): Promise<void> {
    await migrateFile(files, file, from, to, migrations);
  }

  private constructor(records: MemoryRecords, main: LogFile, scratch: ScratchFiles) {
    super(records);
    this.#records = records;
    this.#main = main;
    this.#scratch = scratch;
  }

  async commit(batch: CommitBatch, within?: () => void): Promise<{ readonly first: Id; readonly last: Id }> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#closed) throw new Rejected('closed', 'the session is closed');
    if (this.#failure !== undefined) throw this.#failure;
    if (batch.writes.length === 0 && within === undefined) return { first: this.lastSeq + 1, last: this.lastSeq };
    const prepared = prepare(this.#records, batch);
    within?.();
    const { first, last } = prepared;
    if (prepared.writes.length > 0) await this.#persist(prepared);
    return { first, last };
  }

  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#closed) return;
    this.#closed = true;
    this.#main.close();
    this.#scratch.close();
  }

  async #persist(batch: PreparedBatch): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#writing = turn.promise;
    try {
      await this.#write(batch);
      publish(this.#records, batch);
    } catch (error) {
      if (error instanceof UncertainPersistence) this.#failure = error;
      throw error;
    } finally {
      this.#writing = undefined;
      turn.resolve();
    }
    if (batch.kind === 'main')
      for (const write of batch.writes)
        if (write.type === 'change' && write.change.role === 'terminal') this.#scratch.retire(write.id);
  }

  async #write(batch: PreparedBatch): Promise<void> {
    const line = batchLine(batch, previousIn(this.#records, batch.kind === 'scratch'));
    if (batch.kind === 'scratch') return this.#scratch.append(batch.task, line);
    return this.#main.append(this.#main.isEmpty ? `${headerLine(this.version)}${line}` : line);
  }
}

/**
 * One append-only file of batches. The order of durability: all bytes of a line are written (and synced, where the policy says so) before
 * `append` resolves, and only then may its batch be published. When a write fails, the file is cut back to its last complete line; where
 * that fails too, nobody knows what stands there, which is `UncertainPersistence`. The file must be this handle's alone: that it has another
 * length than this handle left it with, or lines that this handle did not read, is noticed before the next append.
 */
import path from 'node:path';
import { UncertainPersistence } from '../errors.ts';
import type { Files } from './files.ts';
import { hasLine } from './lines.ts';

/** 'never': survives the end of the process. 'commit': also that of the machine. */
export type SyncPolicy = 'never' | 'commit';

export class LogFile {
  readonly file: string;
  readonly #files: Files;
  readonly #sync: SyncPolicy;
  /** Bytes of complete lines. */
  #length: number;
  /** Behind the complete lines a torn one may stand, until the first append. */
  #mayBeTorn = true;
  readonly #isDiscarded: boolean;
  #handle: number | undefined;

  /** `length`: bytes of the complete lines that were read; 'discarded' for a file whose contents, if any, do not count. */
  constructor(files: Files, file: string, length: number | 'discarded', sync: SyncPolicy) {
    this.file = file;
    this.#files = files;
    this.#length = length === 'discarded' ? 0 : length;
    this.#isDiscarded = length === 'discarded';
    this.#sync = sync;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  async append(line: string): Promise<void> {
    const handle = this.#open();
    const bytes = Buffer.from(line);
    try {
      for (let written = 0; written < bytes.length;) {
        const count = this.#files.write(handle, bytes.subarray(written));
        const done = typeof count === 'number' ? count : await count;
        if (done < 1) throw new Error(`${this.file} takes no more bytes`);
        written += done;
      }
      if (this.#sync === 'commit') await this.#synced(handle);
    } catch (error) {
      await this.#undo(handle, error);
      throw error;
    }
    this.#length += bytes.length;
  }

  /** For a file that was appended to without syncing. */
  async sync(): Promise<void> {
    if (this.#handle !== undefined) await this.#synced(this.#handle);
  }

  close(): void {
    if (this.#handle !== undefined) this.#files.close(this.#handle);
    this.#handle = undefined;
  }

  #open(): number {
    const isNew = this.#handle === undefined && this.#files.size(this.file) === undefined;
    this.#handle ??= this.#files.openToAppend(this.file);
    if (this.#mayBeTorn && this.#files.length(this.#handle) > this.#length) this.#cut(this.#handle);
    this.#mayBeTorn = false;
    // By its name: a file that was removed or replaced is not the one that is open.
    const found = this.#files.size(this.file) ?? 0;
    if (found !== this.#length) throw this.#notAlone(`has ${found} bytes where ${this.#length} were left`);
    if (isNew && this.#sync === 'commit') this.#files.syncFolder(path.dirname(this.file));
    return this.#handle;
  }

  /** Takes away what stands behind the lines that were read, if that is no line. */
  #cut(handle: number): void {
    if (!this.#isDiscarded && hasLine(this.#files, this.file, this.#length))
      throw this.#notAlone('has lines that were not there when it was read');
    this.#files.truncate(handle, this.#length);
  }

  #notAlone(what: string): UncertainPersistence {
    return new UncertainPersistence(new Error(`${this.file} ${what}: something else wrote to it`));
  }

  async #synced(handle: number): Promise<void> {
    await this.#files.sync(handle);
  }

  async #undo(handle: number, cause: unknown): Promise<void> {
    try {
      this.#files.truncate(handle, this.#length);
      if (this.#sync === 'commit') await this.#synced(handle);
    } catch {
      // Of the two failures the first says why; that the second happened is what the error's kind says.
      throw new UncertainPersistence(cause);
    }
  }
}

/**
 * One append-only file of batches. The order of durability: all bytes of a line are written (and synced, where the policy says so) before
 * `append` resolves, and only then may its batch be published. When a write fails, the file is cut back to its last complete line; where
 * that fails too, nobody knows what stands there, which is `UncertainPersistence`. The file must be this handle's alone: that it has another
 * length than this handle left it with is noticed before the next append.
 */
import path from 'node:path';
import { UncertainPersistence } from '../errors.ts';
import type { Files } from './files.ts';

/** 'never': survives the end of the process. 'commit': also that of the machine. */
export type SyncPolicy = 'never' | 'commit';

export class LogFile {
  readonly file: string;
  readonly #files: Files;
  readonly #sync: SyncPolicy;
  /** Bytes of complete lines. */
  #length: number;
  /** Behind the complete lines a torn one may stand, until the first append. */
  #mayBeTorn: boolean;
  #handle: number | undefined;

  /** `length`: bytes of the complete lines that were read; 0 for a file whose contents, if any, do not count. */
  constructor(files: Files, file: string, length: number, sync: SyncPolicy) {
    this.file = file;
    this.#files = files;
    this.#length = length;
    this.#mayBeTorn = true;
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
    if (this.#mayBeTorn && this.#files.length(this.#handle) > this.#length) this.#files.truncate(this.#handle, this.#length);
    this.#mayBeTorn = false;
    const found = this.#files.length(this.#handle);
    if (found !== this.#length)
      throw new UncertainPersistence(
        new Error(`${this.file} has ${found} bytes where ${this.#length} were left: something else wrote to it`),
      );
    if (isNew && this.#sync === 'commit') this.#files.syncFolder(path.dirname(this.file));
    return this.#handle;
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

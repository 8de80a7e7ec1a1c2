/**
 * What the JSONL backend asks of a file system, so that a test can pause it, fill its disk and cut its writes short. Everything is
 * synchronous, as in the other backends; a `write` or `sync` that answers with a promise is waited for.
 */
import fs from 'node:fs';
import path from 'node:path';

type Handle = number;

export interface Files {
  /** Bytes that the file has; undefined when there is none. */
  size(file: string): number | undefined;
  /** Up to `buffer.length` bytes from `position` on; returns how many there were. */
  read(handle: Handle, buffer: Uint8Array, position: number): number;
  openToRead(file: string): Handle;
  /** Creates the file, with its folder, when there is none. Every write goes to its end. */
  openToAppend(file: string): Handle;
  length(handle: Handle): number;
  /** Returns how many of the bytes were written, which may be fewer. */
  write(handle: Handle, bytes: Uint8Array): number | Promise<number>;
  truncate(handle: Handle, length: number): void;
  sync(handle: Handle): void | Promise<void>;
  close(handle: Handle): void;
  /** Names in a folder; none when there is no folder. */
  names(folder: string): readonly string[];
  remove(file: string): void;
  removeFolder(folder: string): void;
  rename(from: string, to: string): void;
  copy(from: string, to: string): void;
  /** Makes names that were created, renamed or removed in the folder durable. */
  syncFolder(folder: string): void;
}

export const nodeFiles: Files = {
  size: (file) => fs.statSync(file, { throwIfNoEntry: false })?.size,
  read: (handle, buffer, position) => fs.readSync(handle, buffer, 0, buffer.length, position),
  openToRead: (file) => fs.openSync(file, 'r'),
  openToAppend(file) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    return fs.openSync(file, 'a', 0o600);
  },
  length: (handle) => fs.fstatSync(handle).size,
  write: (handle, bytes) => fs.writeSync(handle, bytes),
  truncate: (handle, length) => fs.ftruncateSync(handle, length),
  sync: (handle) => fs.fsyncSync(handle),
  close: (handle) => fs.closeSync(handle),
  names: (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []),
  remove(file) {
    try {
      fs.unlinkSync(file);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  },
  removeFolder: (folder) => fs.rmSync(folder, { recursive: true, force: true }),
  rename: (from, to) => fs.renameSync(from, to),
  copy: (from, to) => fs.copyFileSync(from, to),
  syncFolder(folder) {
    // A folder cannot be opened on Windows, whose file system orders these changes by itself.
    if (process.platform === 'win32') return;
    const handle = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  },
};

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

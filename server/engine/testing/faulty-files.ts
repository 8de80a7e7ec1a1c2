/** A file system that can be made to fail, to pause and to be full, over the real one. Counts what is asked of it. */
import { nodeFiles } from '../jsonl/files.ts';
import type { Files } from '../jsonl/files.ts';

export interface FaultyFiles extends Files {
  /** How many more bytes the disk takes; then a write is cut short, and the next one fails with ENOSPC. */
  space: number;
  /** Operations that fail, with EIO. */
  readonly failing: Set<keyof Files>;
  /** Writes wait for it. */
  gate: Promise<void> | undefined;
  /** At most so many bytes go with one write. */
  chunk: number;
  /** Handles that were not closed. */
  readonly open: Set<number>;
  readonly counts: Map<keyof Files, number>;
}

export function faultyFiles(): FaultyFiles {
  const counts = new Map<keyof Files, number>();
  const failing = new Set<keyof Files>();
  const checked =
    <Arguments extends unknown[], Result>(name: keyof Files, run: (...args: Arguments) => Result) =>
    (...args: Arguments): Result => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (failing.has(name)) throw Object.assign(new Error(`EIO: ${name}`), { code: 'EIO' });
      return run(...args);
    };
  const open = new Set<number>();
  const opened = (handle: number): number => {
    open.add(handle);
    return handle;
  };
  const put = (handle: number, bytes: Uint8Array): number => {
    if (files.space <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const taken = Math.min(bytes.length, files.space, files.chunk);
    files.space -= taken;
    return nodeFiles.write(handle, bytes.subarray(0, taken)) as number;
  };
  const files: FaultyFiles = {
    ...nodeFiles,
    space: Infinity,
    chunk: Infinity,
    gate: undefined,
    failing,
    counts,
    open,
    openToRead: (file) => opened(nodeFiles.openToRead(file)),
    openToAppend: (file) => opened(nodeFiles.openToAppend(file)),
    close(handle) {
      open.delete(handle);
      nodeFiles.close(handle);
    },
    write: checked('write', (handle: number, bytes: Uint8Array) =>
      files.gate === undefined ? put(handle, bytes) : files.gate.then(() => put(handle, bytes)),
    ),
    truncate: checked('truncate', (handle: number, length: number) => nodeFiles.truncate(handle, length)),
    sync: checked('sync', (handle: number) => nodeFiles.sync(handle)),
    syncFolder: checked('syncFolder', (folder: string) => nodeFiles.syncFolder(folder)),
    remove: checked('remove', (file: string) => nodeFiles.remove(file)),
    rename: checked('rename', (from: string, to: string) => nodeFiles.rename(from, to)),
    copy: checked('copy', (from: string, to: string) => nodeFiles.copy(from, to)),
  };
  return files;
}

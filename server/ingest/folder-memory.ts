/**
 * What a sweep remembers of the folders it has looked into, so that the next one looks only where something can be new: a folder whose
 * own times and number are the same holds the same names. Files that grow in it leave no trace in the folder, so every folder gets its
 * turn: none waits for longer than `round` sweeps. Nothing here is needed to be right, only to be cheap.
 */
import type { BigIntStats } from 'node:fs';
import type { FolderPlace } from '../../shuttles/kit/folder-level.ts';

interface Remembered {
  readonly stamp: string;
  readonly folders: readonly FolderPlace[];
  readonly files: number;
  /** It has files whose changes are not told by their own facts alone: it is looked into every time. */
  readonly always: boolean;
}

/** Sweeps in which every folder is looked into at least once. */
const round = 30;
/** Milliseconds. A folder that changed later than this before it was listed may change again without another time (FAT counts in two seconds). */
const settling = 3000;

export class FolderMemory {
  readonly #leastFiles: number;
  /** Those that were looked into longest ago come first. */
  readonly #folders = new Map<string, Remembered>();
  #files = 0;

  /** `leastFiles`: so many are looked at by a sweep in any case. */
  constructor(leastFiles: number) {
    this.#leastFiles = leastFiles;
  }

  has(folder: string): boolean {
    return this.#folders.has(folder);
  }

  /** The folders below one that need not be looked into; undefined: look. */
  settled(folder: string, stamp: string): readonly FolderPlace[] | undefined {
    const known = this.#folders.get(folder);
    return known !== undefined && !known.always && known.stamp === stamp ? known.folders : undefined;
  }

  /** `now`: before it was listed, by the clock that also gives files their times. */
  looked(folder: string, stats: BigIntStats, now: number, folders: readonly FolderPlace[], files: number, always: boolean): void {
    this.forget(folder);
    this.#files += files;
    // Also when the folder's time is of the future: a clock was set back, and its times cannot be trusted to differ.
    const isSettled = Number(stats.mtimeNs / 1_000_000n) < now - settling;
    this.#folders.set(folder, { stamp: isSettled ? stampOf(stats) : '', folders, files, always });
  }

  forget(folder: string): void {
    const known = this.#folders.get(folder);
    if (known === undefined) return;
    this.#files -= known.files;
    this.#folders.delete(folder);
  }

  /** Whose turn it is. */
  due(): ReadonlySet<string> {
    const due = new Set<string>();
    let files = Math.max(this.#leastFiles, Math.ceil(this.#files / round));
    let folders = Math.ceil(this.#folders.size / round);
    for (const [folder, known] of this.#folders) {
      if (files <= 0 && folders <= 0) break;
      files -= known.files;
      folders--;
      due.add(folder);
    }
    return due;
  }
}

export function stampOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

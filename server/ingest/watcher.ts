/**
 * Notices what changes: file events for the folders where sessions are being written now, and a sweep over all roots for the rest
 * (network and WSL mounts that give no events, folders that appear later, old sessions that go on). The sweep's pace follows its own
 * cost. One watch a folder and a few hundred in all, however many sessions there are; none for a file.
 */
import path from 'node:path';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { FolderWatches } from './folder-watches.ts';
import type { Refused, WatchFolder } from './folder-watches.ts';
import { HotFolders } from './hot-folders.ts';
import type { Ingest } from './ingest.ts';

export interface WatcherOptions {
  readonly ingest: Ingest;
  /** The root below which a path lies, and whose it is. */
  readonly placeOf: (path: string) => { readonly root: string; readonly shuttle: Shuttle } | undefined;
  /** Folders that hold sessions of all harnesses, there or not. */
  readonly roots: readonly string[];
  /** The session files written last; asked for once. */
  readonly newest: (limit: number) => readonly { readonly path: string; readonly mtime: number }[];
  readonly onError: (error: unknown) => void;
  /** Folders that the system does not let us watch; undefined: it does. */
  readonly onRefused: (refused: Refused | undefined) => void;
  readonly now: () => number;
  /** Milliseconds from any start. */
  readonly elapsed: () => number;
  readonly watch?: WatchFolder;
}

const hotFolders = 64;
const hotFiles = 200;
const quietMs = 40;
const sweepAtLeastMs = 2000;
const sweepAtMostMs = 60_000;
/** Most of what it cost was waiting for a lock, which says nothing of the next one. */
const afterFaultMs = 4000;

/** Milliseconds until the next sweep: a twentieth of a processor at most, and never longer than a minute. */
export function pauseAfter(cost: number): number {
  return Math.min(Math.max(cost * 20, sweepAtLeastMs), sweepAtMostMs);
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #watches: FolderWatches;
  readonly #hot = new HotFolders(hotFolders);
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  #flush: NodeJS.Timeout | null = null;
  #sweep: NodeJS.Timeout | null = null;
  #closed = false;
  #first = true;

  constructor(options: WatcherOptions) {
    this.#options = options;
    const { watch } = options;
    this.#watches = new FolderWatches({
      onEvent: (folder, file) => this.#changed(folder, file),
      ...(watch === undefined ? {} : { watch }),
    });
  }

  start(): void {
    void this.#runSweep();
  }

  /** A session went on: its folder is where more will come. */
  grown(file: string, mtimeMs: number): void {
    this.#hot.written(path.dirname(file), mtimeMs, this.#options.now());
  }

  #changed(folder: string, file: string | null): void {
    if (file?.endsWith('.jsonl') === true) this.#files.add(file);
    else this.#folders.add(folder);
    if (this.#closed || this.#flush !== null) return;
    this.#flush = setTimeout(() => {
      this.#flush = null;
      void this.#drain();
    }, quietMs);
  }

  async #drain(): Promise<void> {
    const files = [...this.#files];
    this.#files.clear();
    const folders = new Set(this.#folders);
    this.#folders.clear();
    const { ingest, placeOf, onError } = this.#options;
    try {
      for (const file of files) {
        const place = placeOf(file);
        if (place === undefined || !(await ingest.touch(file, place.root, place.shuttle))) folders.add(path.dirname(file));
      }
      if (folders.size === 0 || this.#closed) return;
      await ingest.sweep({ at: 'only', folders });
      this.#follow();
    } catch (error) {
      onError(error);
    }
  }

  async #runSweep(): Promise<void> {
    const { ingest, newest, elapsed, now, onError } = this.#options;
    let started = elapsed();
    let isDone = true;
    try {
      if (this.#first) {
        await ingest.pass();
        // It looked at everything, and the sweeps that follow do not.
        started = elapsed();
      } else await ingest.sweep({ at: 'turns', folders: new Set(this.#hot.all()) });
      if (this.#first) for (const { path: file, mtime } of newest(hotFiles)) this.#hot.written(path.dirname(file), mtime, now());
      this.#first = false;
    } catch (error) {
      onError(error);
      isDone = false;
    }
    if (this.#closed) return;
    this.#follow();
    this.#sweep = setTimeout(() => void this.#runSweep(), isDone ? pauseAfter(elapsed() - started) : afterFaultMs);
  }

  /** The roots and the hot folders, and what these lie in: a new folder beside them is seen at once. */
  #follow(): void {
    if (this.#closed) return;
    const { roots, placeOf, onRefused } = this.#options;
    const hot = this.#hot.all();
    const above = hot.map((folder) => path.dirname(folder)).filter((folder) => placeOf(folder) !== undefined);
    onRefused(this.#watches.follow([...hot, ...roots, ...above]));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#flush !== null) clearTimeout(this.#flush);
    if (this.#sweep !== null) clearTimeout(this.#sweep);
    this.#watches.close();
  }
}

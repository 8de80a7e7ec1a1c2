/**
 * Notices what changes: file events for the folders where sessions are being written now, and a sweep over all roots for the rest
 * (new folders, network and WSL mounts that give no events, folders that appear later). The sweep's pace follows its own cost.
 * Few watches however many old sessions there are: only the folders of the newest files are watched.
 */
import path from 'node:path';
import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { Ingest } from './ingest.ts';

export interface WatcherOptions {
  readonly ingest: Ingest;
  /** The root below which a path lies, and whose it is. */
  readonly placeOf: (path: string) => { readonly root: string; readonly shuttle: Shuttle } | undefined;
  /** Paths of the newest session files, newest first. */
  readonly newest: (limit: number) => readonly string[];
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
}

const hotFiles = 200;
const quietMs = 40;
const sweepAtLeastMs = 2000;
const sweepAtMostMs = 60_000;

export class Watcher {
  readonly #options: WatcherOptions;
  #watcher: FSWatcher | null = null;
  #watched = new Set<string>();
  #pending = new Set<string>();
  #flush: NodeJS.Timeout | null = null;
  #sweep: NodeJS.Timeout | null = null;
  #closed = false;
  #passWanted = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#watcher = watch([], {
      ignoreInitial: true,
      depth: 0,
      persistent: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
    });
    this.#watcher.on('add', (file) => this.#changed(file));
    this.#watcher.on('change', (file) => this.#changed(file));
    this.#watcher.on('unlink', () => this.#wantPass());
    this.#watcher.on('addDir', () => this.#wantPass());
    // Too many watches on the system: the sweep still sees everything, only later.
    this.#watcher.on('error', (error) => this.#options.onError(error));
    void this.#runSweep();
  }

  /** A file is known to have changed (a hook said so): read it now. */
  #changed(file: string): void {
    if (file.endsWith('.jsonl')) this.#pending.add(file);
    else this.#passWanted = true;
    this.#schedule();
  }

  #wantPass(): void {
    this.#passWanted = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#closed || this.#flush !== null) return;
    this.#flush = setTimeout(() => {
      this.#flush = null;
      void this.#drain();
    }, quietMs);
  }

  async #drain(): Promise<void> {
    const files = [...this.#pending];
    this.#pending.clear();
    let pass = this.#passWanted;
    this.#passWanted = false;
    try {
      for (const file of files) {
        const place = this.#options.placeOf(file);
        if (place === undefined || !(await this.#options.ingest.touch(file, place.root, place.shuttle))) pass = true;
      }
      if (pass && !this.#closed) {
        await this.#options.ingest.pass();
        this.#follow();
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #runSweep(): Promise<void> {
    const started = this.#options.now();
    try {
      await this.#options.ingest.pass();
      this.#follow();
    } catch (error) {
      this.#options.onError(error);
    }
    if (this.#closed) return;
    const cost = this.#options.now() - started;
    this.#sweep = setTimeout(() => void this.#runSweep(), Math.min(Math.max(cost * 20, sweepAtLeastMs), sweepAtMostMs));
  }

  /** Watches the folders of the newest files, and no others. */
  #follow(): void {
    if (this.#closed || this.#watcher === null) return;
    const folders = new Set(this.#options.newest(hotFiles).map((file) => path.dirname(file)));
    const fresh = [...folders].filter((folder) => !this.#watched.has(folder));
    const stale = [...this.#watched].filter((folder) => !folders.has(folder));
    if (fresh.length > 0) this.#watcher.add(fresh);
    if (stale.length > 0) this.#watcher.unwatch(stale);
    this.#watched = folders;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#flush !== null) clearTimeout(this.#flush);
    if (this.#sweep !== null) clearTimeout(this.#sweep);
    await this.#watcher?.close();
  }
}

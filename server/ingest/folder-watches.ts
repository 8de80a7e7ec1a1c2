/**
 * Watches of single folders, one of the system's each: no list of what is in them is kept, since what an event names is compared with
 * the ledger anyhow. That a system gives no more watches is no failure: the sweep sees everything, only later.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../shuttles/kit/error-code.ts';

export type WatchFolder = (folder: string, heard: (event: string, name: string | null) => void) => fs.FSWatcher;

export interface FolderWatchesOptions {
  /** `file`: what was written to; null: something came or went. */
  readonly onEvent: (folder: string, file: string | null) => void;
  readonly watch?: WatchFolder;
}
export interface Refused {
  readonly code: string;
  /** Folders that are wanted and not watched. */
  readonly folders: number;
}

/** Codes of a system that has no more watches to give, or no more descriptors. */
const exhausted: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

export class FolderWatches {
  readonly #options: FolderWatchesOptions;
  readonly #watches = new Map<string, fs.FSWatcher>();
  readonly #watch: WatchFolder;

  constructor(options: FolderWatchesOptions) {
    this.#options = options;
    this.#watch = options.watch ?? ((folder, heard) => fs.watch(folder, { persistent: false }, heard));
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Watches these and no others, the first ones first. undefined: all that are there; else why the rest is not watched. */
  follow(folders: readonly string[]): Refused | undefined {
    const wanted = new Set(folders);
    for (const folder of this.#watches.keys()) if (!wanted.has(folder)) this.#end(folder);
    let refused: string | undefined;
    let missing = 0;
    for (const folder of wanted) {
      if (this.#watches.has(folder)) continue;
      const code = refused ?? this.#begin(folder);
      if (code === undefined || !exhausted.has(code)) continue;
      refused = code;
      missing++;
    }
    return refused === undefined ? undefined : { code: refused, folders: missing };
  }

  close(): void {
    for (const folder of this.#watches.keys()) this.#end(folder);
  }

  /** The system's code when it refuses. */
  #begin(folder: string): string | undefined {
    try {
      const watcher = this.#watch(folder, (event, name) => {
        // On Linux a folder that was removed says so in its own name; a new one of that name is another folder.
        if (event === 'rename' && name === path.basename(folder)) this.#end(folder);
        this.#options.onEvent(folder, name === null || event === 'rename' ? null : path.join(folder, name));
      });
      // Windows: the folder is gone. It is watched again when a sweep finds it.
      watcher.on('error', () => {
        this.#end(folder);
        this.#options.onEvent(folder, null);
      });
      this.#watches.set(folder, watcher);
      return undefined;
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      return code;
    }
  }

  #end(folder: string): void {
    this.#watches.get(folder)?.close();
    this.#watches.delete(folder);
  }
}

/**
 * The scratch of live tasks: `<file>.scratch/<task id>`, one file a scope. A settlement in the main file is what retires a scope; its file
 * is removed afterwards, and one that could not be removed is not looked at again, since a settled task is never live again. Only files of
 * settled and of unknown tasks are ever removed. A bounded number of files is kept open.
 */
import path from 'node:path';
import type { Id } from '../records.ts';
import type { Files } from './files.ts';
import { LogFile } from './log-file.ts';
import type { SyncPolicy } from './log-file.ts';

const mostOpen = 64;

export function scratchFolder(file: string): string {
  return `${file}.scratch`;
}

export class ScratchFiles {
  readonly #files: Files;
  readonly #folder: string;
  readonly #sync: SyncPolicy;
  /** Files of live scopes that exist. */
  readonly #known = new Map<Id, LogFile>();
  /** Those that may be open, the one that was used longest ago first. */
  readonly #open = new Set<LogFile>();
  /** Retired, and still on disk. */
  readonly #leftover = new Set<Id>();

  constructor(files: Files, folder: string, sync: SyncPolicy) {
    this.#files = files;
    this.#folder = folder;
    this.#sync = sync;
  }

  /** Tasks for which there is a file. */
  get stored(): readonly Id[] {
    return this.#files
      .names(this.#folder)
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number)
      .filter(Number.isSafeInteger);
  }

  fileOf(task: Id): string {
    return path.join(this.#folder, String(task));
  }

  /** The file of a live task was read; `length`: bytes of its complete lines. */
  adopt(task: Id, length: number): void {
    this.#known.set(task, new LogFile(this.#files, this.fileOf(task), length, this.#sync));
  }

  /** A scope that no file was read for begins with an empty one, whatever stands under its name. */
  async append(task: Id, line: string): Promise<void> {
    const log = this.#known.get(task) ?? new LogFile(this.#files, this.fileOf(task), 'discarded', this.#sync);
    this.#known.set(task, log);
    this.#open.delete(log);
    this.#open.add(log);
    const [oldest] = this.#open;
    if (this.#open.size > mostOpen && oldest !== undefined) this.#shut(oldest);
    await log.append(line);
  }

  /** Behind the commit that settled the task. Does not fail: what cannot be removed now is left for later. */
  retire(task: Id): void {
    const log = this.#known.get(task);
    if (log === undefined) return;
    this.#shut(log);
    this.#known.delete(task);
    if (!this.#remove(task)) this.#leftover.add(task);
  }

  /** Of a task that is not live. A settled task's file may stay; one of an unknown task must not, since its number will be given again. */
  discard(task: Id, isSettled: boolean): void {
    if (!isSettled) this.#files.remove(this.fileOf(task));
    else if (!this.#remove(task)) this.#leftover.add(task);
  }

  /** Closes all files and tries once more to remove what was left. */
  close(): void {
    for (const log of this.#open) log.close();
    this.#open.clear();
    for (const task of this.#leftover) this.#remove(task);
  }

  #shut(log: LogFile): void {
    log.close();
    this.#open.delete(log);
  }

  #remove(task: Id): boolean {
    try {
      this.#files.remove(this.fileOf(task));
      return true;
    } catch {
      // Another program may hold the file open, or the folder may be read-only; the scope is retired all the same.
      return false;
    }
  }
}

/**
 * Keeps the stores of snapshots within bounds while nothing else is in a hurry: packs what a first snapshot left loose, lets go of what is
 * old or too much, and drops the store of a worktree that has been gone for a month.
 */
import fs from 'node:fs';
import type { Ledger } from '../ledger/ledger.ts';
import { keepBounds } from '../world/tidy.ts';
import type { Snapshots } from '../world/snapshots.ts';

export interface SnapshotKeeperOptions {
  readonly ledger: Ledger;
  readonly snapshots: Snapshots;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const everyMs = 30 * 60_000;
/** After a snapshot was taken. */
const soonMs = 60_000;
const goneMs = 30 * 24 * 60 * 60_000;

export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  readonly #end = new AbortController();

  constructor(options: SnapshotKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#begin(), everyMs);
    this.#timer.unref();
    this.soon();
  }

  /** Something was kept: there may be something to pack. */
  soon(): void {
    if (this.#timer === undefined || this.#soon !== undefined || this.#end.signal.aborted) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#begin();
    }, soonMs);
    this.#soon.unref();
  }

  /** Packing that is under way is broken off: nothing is lost by that. */
  async stop(): Promise<void> {
    this.#end.abort();
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#working;
  }

  async tidy(): Promise<void> {
    const { ledger, snapshots, now } = this.#options;
    for (const worktree of ledger.snapshots?.worktrees() ?? []) {
      if (this.#end.signal.aborted) return;
      if (fs.existsSync(worktree.root)) await snapshots.tidy(worktree, keepBounds, this.#end.signal);
      else if ((ledger.snapshots?.newestOf(worktree.number)?.at ?? now()) < now() - goneMs) await snapshots.forget(worktree);
    }
  }

  #begin(): void {
    if (this.#working !== undefined || this.#end.signal.aborted) return;
    this.#working = this.tidy()
      .catch(this.#options.onError)
      .finally(() => (this.#working = undefined));
  }
}

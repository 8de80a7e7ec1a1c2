/**
 * The owner's work in the background, which keeps the ledger small and whole: archives what waits for it, makes long chunks of the many
 * small ones that live sessions leave, and packs the entries of threads that nobody goes on with. Bounded steps between readings;
 * nothing is ever in a hurry.
 */
import type { Ingest } from '../ingest/ingest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { collectGarbage } from './memory.ts';

export interface LedgerKeeperOptions {
  readonly ledger: Ledger;
  readonly ingest: Ingest;
  /** What others do once much was read: memory is given back behind it. */
  readonly others: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** Hears how many rows of keys had lost something, when more were met. */
  readonly onLostKeys: (rows: number) => void;
}

/** A file or a thread in which nothing was said for so long is idle. Milliseconds. */
const idleMs = 10 * 60_000;
const everyMs = 60_000;
/** Native bytes a step. */
const stepBytes = 4 * 1024 * 1024;
/** Of keys: fewer are left as they came. */
const manyCommits = 256;
/** Entries a step. */
const stepEntries = 2000;
/** Pages of the search index, or free ones, a step. */
const stepPages = 500;
/** After a reading it waits for the next one, which may follow at once. Milliseconds. */
const soonMs = 1000;
/** After so much was read the process holds memory that it no longer needs. */
const muchBytes = 16 * 1024 * 1024;

export class LedgerKeeper {
  readonly #options: LedgerKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #stopped = false;
  #busy = false;
  /** Bytes since memory was given back. */
  #read = 0;
  /** Rows of keys that were told of. */
  #lostKeys = 0;

  constructor(options: LedgerKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#turn(), everyMs);
    this.#timer.unref();
    void this.#turn();
  }

  /** Ends after the step that is under way. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
  }

  /** Something was read: there may be work before the next turn. `bytes`: how much. */
  soon(bytes: number): void {
    this.#read += bytes;
    if (this.#timer === undefined || this.#stopped) return;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.#turn(), soonMs);
    this.#soon.unref();
  }

  /** Everything that can be archived now. */
  async archive(): Promise<void> {
    while (!this.#stopped && (await this.#options.ingest.archiveSome()));
  }

  async compact(): Promise<void> {
    const { ledger, ingest, now } = this.#options;
    const step = (): boolean => ledger.transact(() => ledger.archive.chunks.compactSome(stepBytes, now() - idleMs));
    while (!this.#stopped && (await ingest.quietly(() => Promise.resolve(step()))));
  }

  async pack(): Promise<void> {
    const { ledger, ingest, now } = this.#options;
    const step = (): boolean => ledger.packIdle(now() - idleMs, stepEntries);
    while (!this.#stopped && (await ingest.quietly(() => Promise.resolve(step()))));
  }

  /** Keys that came lately, when at least so many commits brought some. */
  async mergeKeys(fewest = manyCommits): Promise<void> {
    const { ledger, ingest } = this.#options;
    while (!this.#stopped && (await ingest.quietly(() => Promise.resolve(ledger.mergeKeys(fewest)))));
    const { lost } = ledger.keys;
    if (lost > this.#lostKeys) this.#options.onLostKeys(lost);
    this.#lostKeys = lost;
  }

  /** After bulk work: the search index becomes one segment, and what all of this freed goes back to the file system. */
  async tidy(): Promise<void> {
    const { ledger, ingest } = this.#options;
    await this.mergeKeys(1);
    let first = true;
    const join = (): boolean => ledger.transact(() => ledger.documents.joinSome(stepPages, first));
    for (let more = true; more && !this.#stopped; first = false) more = await ingest.quietly(() => Promise.resolve(join()));
    while (!this.#stopped && (await ingest.quietly(() => Promise.resolve(ledger.shrinkSome(stepPages)))));
  }

  /** What bulk work needed of memory, and nobody needs any more. */
  giveBack(): void {
    if (this.#stopped) return;
    this.#options.ledger.releaseMemory();
    collectGarbage();
  }

  async #turn(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    let hasFailed = false;
    try {
      await this.archive();
      // Asked behind what is being read, which it has waited for.
      const isMuch = this.#read >= muchBytes;
      if (isMuch) this.#read = 0;
      // Nothing of that is needed for what follows, which takes memory itself.
      if (isMuch) this.giveBack();
      await this.compact();
      await this.pack();
      await this.mergeKeys();
      if (!isMuch) return;
      await this.tidy();
      await this.#options.others();
      this.giveBack();
    } catch (error) {
      hasFailed = true;
      this.#options.onError(error);
    } finally {
      this.#busy = false;
      // What failed would fail again: it waits for the next turn.
      if (this.#read >= muchBytes && !hasFailed) this.soon(0);
    }
  }
}

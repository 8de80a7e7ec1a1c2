/**
 * Keeps the batons of threads that are worked on ready while entries arrive, so that a crash or a quota that ends never finds one
 * missing. Debounced, a bounded number of entries a step, only while nothing is being read; a thread in which nothing was said for
 * hours is left to whoever asks for its baton. Long threads are never left: those that were read without a keeper, and those whose state
 * another version made, are brought up once a server begins.
 */
import { grownBaton, isGrown } from '../drive/kept-baton.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';

export interface BatonKeeperOptions {
  readonly ledger: Ledger;
  /** Secret of this ledger, for the fingerprints of masked values. */
  readonly salt: string;
  /** Runs it while nothing is being read. */
  readonly quietly: <T>(work: () => Promise<T>) => Promise<T>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** How long a thread must be still before its baton is brought up. Milliseconds; absent: two seconds. */
  readonly pauseMs?: number;
  /** A thread of so many entries is brought up however old it is, since making its baton anew takes seconds; absent: 10,000. */
  readonly longEntries?: number;
}

/** A thread in which nothing was said for so long is not worked on. Milliseconds. */
const workedOnMs = 6 * 3_600_000;
const longEntries = 10_000;
/** An entry that comes while a thread never rests does not put its baton off for longer. Milliseconds. */
const latestMs = 15_000;
/** Entries a step. */
const stepEntries = 1000;
/** Threads that wait; those that wait longest are forgotten. */
const mostThreads = 200;
/** Long threads that are looked at when a server begins, newest first. */
const mostLong = 50;

export class BatonKeeper {
  readonly #options: BatonKeeperOptions;
  /** Numbers of threads, and since when they wait. */
  readonly #waiting = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #importing = false;
  #stopped = false;
  /** Nobody has looked for long threads yet. */
  #isNew = false;

  constructor(options: BatonKeeperOptions) {
    this.#options = options;
  }

  /** Plans to look for long threads that were not brought up. */
  start(): void {
    if (this.#stopped || this.#options.ledger.readonly) return;
    this.#isNew = true;
    this.#plan();
  }

  /** Entries of that thread were committed. */
  committed(thread: ThreadRow): void {
    const { ledger, now } = this.#options;
    if (this.#stopped || ledger.readonly || thread.current_conversation === 0 || thread.child === 1) return;
    const isLong = thread.entries >= this.#longEntries;
    if (thread.updated_at < now() - workedOnMs && !isLong) return;
    if (!this.#waiting.has(thread.number)) this.#waiting.set(thread.number, now());
    if (this.#waiting.size > mostThreads) for (const oldest of this.#waiting.keys()) if (this.#waiting.delete(oldest)) break;
    this.#plan();
  }

  /** Much is being read: it comes first. */
  importing(isImporting: boolean): void {
    this.#importing = isImporting;
    if (isImporting) clearTimeout(this.#timer);
    else this.#plan();
  }

  /** Everything that waits, now. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await (this.#working ??= this.#work().finally(() => (this.#working = undefined)));
  }

  /** Ends after the step that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  get #longEntries(): number {
    return this.#options.longEntries ?? longEntries;
  }

  #plan(): void {
    if (this.#stopped || this.#importing || (this.#waiting.size === 0 && !this.#isNew)) return;
    const [first] = this.#waiting.values();
    const { now } = this.#options;
    const left = (first ?? now()) + latestMs - now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), Math.max(0, Math.min(this.#options.pauseMs ?? 2000, left)));
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    const { quietly, onError } = this.#options;
    if (this.#isNew && !this.#stopped && !this.#importing) {
      this.#isNew = false;
      for (const thread of this.#options.ledger.threads.ofLength(this.#longEntries, mostLong)) this.committed(thread);
    }
    while (!this.#stopped && !this.#importing) {
      const [number] = this.#waiting.keys();
      if (number === undefined) return;
      try {
        if (!(await quietly(() => this.#step(number)))) this.#waiting.delete(number);
      } catch (error) {
        this.#waiting.delete(number);
        onError(error);
      }
    }
  }

  /** Is there more of that thread? */
  async #step(number: number): Promise<boolean> {
    const { ledger, salt } = this.#options;
    const thread = ledger.threads.byNumber(number);
    if (this.#stopped || thread === undefined || thread.current_conversation === 0) return false;
    if (await isGrown(ledger, thread)) return false;
    const { more } = await grownBaton(ledger, thread, { salt, most: stepEntries, keep: true });
    return more;
  }
}

/**
 * Keeps the batons of threads that are worked on ready while entries arrive, so that a crash or a quota that ends never finds one
 * missing. Debounced, a bounded number of entries a step, only while nothing is being read. A thread in which nothing was said for
 * hours is left to whoever asks for its baton. Long ones are never left, and are in no hurry: those that were read, and once a server begins
 * those that no keeper has brought up, or another version has, are brought up when the process has rested.
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
  /** Long threads that were in no hurry are brought up. */
  readonly onRested?: () => void;
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
/** After the last of them came, and after an import: old threads that are long are in no hurry. Milliseconds. */
const restMs = 60_000;
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
  /** Numbers of old threads that are long: they have their turn while no other one waits, once the process has rested. */
  readonly #later = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #laterTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #importing = false;
  /** Those that are in no hurry may have their turn. */
  #hasRested = false;
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
    const isOld = thread.updated_at < now() - workedOnMs;
    if (isOld && !isLong) return;
    if (isOld) this.#later.add(thread.number);
    else if (!this.#waiting.has(thread.number)) this.#waiting.set(thread.number, now());
    for (const some of [this.#waiting, this.#later])
      if (some.size > mostThreads) for (const oldest of some.keys()) if (some.delete(oldest)) break;
    if (isOld) this.#planLater();
    else this.#plan();
  }

  /** Much is being read: it comes first. */
  importing(isImporting: boolean): void {
    this.#importing = isImporting;
    if (isImporting) {
      clearTimeout(this.#timer);
      clearTimeout(this.#laterTimer);
      return;
    }
    this.#plan();
    this.#planLater();
  }

  /** What waits and is in a hurry, now. */
  async settle(): Promise<void> {
    await this.#run();
  }

  /** Everything that waits, now. */
  async flush(): Promise<void> {
    this.#look();
    clearTimeout(this.#laterTimer);
    this.#hasRested = true;
    await this.#run();
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    await (this.#working ??= this.#work().finally(() => (this.#working = undefined)));
  }

  /** Ends after the step that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#laterTimer);
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
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, Math.min(this.#options.pauseMs ?? 2000, left)));
    this.#timer.unref();
  }

  #planLater(): void {
    if (this.#stopped || this.#importing || this.#later.size === 0) return;
    clearTimeout(this.#laterTimer);
    this.#laterTimer = setTimeout(() => void this.flush().then(this.#options.onRested), restMs);
    this.#laterTimer.unref();
  }

  /** Once, for long threads that were not brought up. */
  #look(): void {
    if (!this.#isNew || this.#stopped || this.#importing) return;
    this.#isNew = false;
    try {
      for (const thread of this.#options.ledger.threads.ofLength(this.#longEntries, mostLong)) this.committed(thread);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #work(): Promise<void> {
    const { quietly, onError } = this.#options;
    this.#look();
    while (!this.#stopped && !this.#importing) {
      const [number] = this.#waiting.size > 0 ? this.#waiting.keys() : this.#hasRested ? this.#later : [];
      if (number === undefined) break;
      let more = false;
      try {
        more = await quietly(() => this.#step(number));
      } catch (error) {
        onError(error);
      }
      if (more) continue;
      this.#waiting.delete(number);
      this.#later.delete(number);
    }
    this.#hasRested = false;
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

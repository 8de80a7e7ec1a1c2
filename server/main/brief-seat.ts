/**
 * A place at the ledger for a program that runs for hours and asks seldom: taken with the first request and left soon after the last, so that
 * at rest it costs nothing, and whoever follows the sources (a window) owns the ledger as soon as it wants to. Owners may end at any
 * moment: what was asked is asked anew of the next one, which may be this process.
 */
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { askedAnew } from './asked-anew.ts';
import type { Seat } from './seat.ts';

export interface BriefSeatOptions {
  readonly open: () => Seat;
  readonly log: (line: string) => void;
  /** Milliseconds after the last answer; absent: one second. */
  readonly idleMs?: number;
}

const nobody = { events: () => undefined };

export class BriefSeat {
  readonly #options: BriefSeatOptions;
  #seat: Seat | undefined;
  #leaving: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asked = 0;
  #closed = false;

  constructor(options: BriefSeatOptions) {
    this.#options = options;
  }

  /** Only what may be asked twice. Rejects with a `Fault`. */
  async request(method: string, params: JsonValue): Promise<JsonValue> {
    clearTimeout(this.#timer);
    this.#asked++;
    try {
      await this.#leaving;
      const seat = (this.#seat ??= this.#options.open());
      return await askedAnew(() => seat.request(nobody, method, params));
    } finally {
      this.#asked--;
      this.#plan();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#leaving;
    const seat = this.#seat;
    this.#seat = undefined;
    await seat?.close();
  }

  #plan(): void {
    if (this.#asked > 0 || this.#closed || this.#seat === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#leave(this.#seat), this.#options.idleMs ?? 1000);
  }

  /** What is being read is read to its end first: the next request would only begin it again. */
  async #leave(seat: Seat | undefined): Promise<void> {
    try {
      const owner = await seat?.owner();
      await owner?.ingest.quietly(() => Promise.resolve());
    } catch {
      // There was no place to be had: the next request tries for one anew.
    }
    if (this.#asked > 0 || this.#closed || seat !== this.#seat) return;
    this.#seat = undefined;
    this.#leaving = seat?.close().catch((error: unknown) => this.#options.log(String(error)));
    await this.#leaving;
    this.#leaving = undefined;
  }
}

/**
 * Many commits of a bulk import in one transaction: what they all touch (the pages of indexes, the segments of the search index) is
 * then written once. A group ends before anything is waited for, so nobody ever sees a part of it: what a commit tells is told when
 * its group is durable. A group that fails leaves nothing, and the sessions in it are forgotten (opened anew when they are asked for).
 */
import { UncertainPersistence } from '../engine/errors.ts';
import { asFault } from './database.ts';
import type { Ledger } from './ledger.ts';

export interface GroupLimits {
  /** Native bytes. */
  readonly bytes: number;
  /** For so long nobody else is answered. */
  readonly ms: number;
}

export class CommitGroup {
  readonly #ledger: Ledger;
  readonly #limits: GroupLimits;
  readonly #elapsed: () => number;
  readonly #sessions = new Set<string>();
  #told: (() => void)[] = [];
  #bytes = 0;
  #since = 0;
  #open = false;

  constructor(ledger: Ledger, limits: GroupLimits, elapsed: () => number) {
    this.#ledger = ledger;
    this.#limits = limits;
    this.#elapsed = elapsed;
  }

  /** To be called before each commit of the group; nothing is to be waited for until `flush`. */
  begin(): void {
    if (this.#open) return;
    try {
      this.#ledger.beginGroup();
    } catch (error) {
      throw asFault(error, this.#ledger.folder);
    }
    this.#open = true;
    this.#since = this.#elapsed();
  }

  /** A commit to that session went in, of so many native bytes; `tell` is called when it is durable. */
  add(session: string, bytes: number, tell: () => void): void {
    this.#sessions.add(session);
    this.#told.push(tell);
    this.#bytes += bytes;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get isFull(): boolean {
    return this.#open && (this.#bytes >= this.#limits.bytes || this.#elapsed() - this.#since >= this.#limits.ms);
  }

  /** Makes what was added durable, then tells of it. Throws the `Fault` of the ledger; then nothing of the group is kept. */
  flush(): void {
    if (!this.#open) return;
    try {
      this.#ledger.endGroup();
    } catch (error) {
      this.#forget();
      throw asFault(error instanceof UncertainPersistence ? error.cause : error, this.#ledger.folder);
    }
    const told = this.#told;
    this.#reset();
    for (const tell of told) tell();
  }

  /** After a failure: nothing of the group is kept. */
  abandon(): void {
    if (!this.#open) return;
    try {
      this.#ledger.abandonGroup();
    } finally {
      this.#forget();
    }
  }

  #forget(): void {
    for (const session of this.#sessions) this.#ledger.forget(session);
    this.#reset();
  }

  #reset(): void {
    this.#open = false;
    this.#sessions.clear();
    this.#told = [];
    this.#bytes = 0;
  }
}

/**
 * A reading as its taker sees it: what is there now, and a promise for when there is more. Whether it is made in this thread
 * (`LocalReading`) or in another one (reading-thread.ts) changes nothing of what comes.
 */
import { unpacked } from './reading-messages.ts';
import { Translation } from './translation.ts';
import type { TranslationOptions } from './translation.ts';
import type { Opening, TranslatedBatch, TranslationRequest } from './translated-batch.ts';

export interface Reading extends Disposable {
  readonly request: TranslationRequest;
  /** undefined: not yet known, see `ready`. Throws what reading threw. */
  opening(): Opening | undefined;
  /** The next batch; 'later': see `ready`; undefined: that was all. Throws what reading threw. */
  take(): TranslatedBatch | 'later' | undefined;
  /** Resolves when `opening` or `take` has something to tell. Never rejects. */
  ready(): Promise<void>;
}

export class LocalReading implements Reading {
  readonly request: TranslationRequest;
  readonly #translation: Translation;

  constructor(request: TranslationRequest, options: TranslationOptions) {
    this.request = request;
    this.#translation = new Translation(request, options);
  }

  opening(): Opening {
    return this.#translation.opening;
  }

  take(): TranslatedBatch | undefined {
    try {
      const batch = this.#translation.next();
      return batch === undefined ? undefined : unpacked(batch);
    } catch (error) {
      throw new ReadingFailed(error instanceof Error ? error.message : String(error));
    }
  }

  async ready(): Promise<void> {
    // It is made when it is taken.
  }

  [Symbol.dispose](): void {
    this.#translation[Symbol.dispose]();
  }
}

/** The shuttle could not cope with what stands in the source, which is a fault of the shuttle's: the message tells which. */
export class ReadingFailed extends Error {}

/** The thread that was reading has ended: what was not taken is to be read again, in this one. */
export class ReadingLost extends Error {}

/** The thread that was reading does not read all of this source: what was not taken is to be read in this one. */
export class ReadHere extends Error {}

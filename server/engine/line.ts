/**
 * The line of commits: one piece of work at a time, in the order of admission (engine specification 1, 3.3). A piece that throws
 * changes nothing for those behind it, except `UncertainPersistence`, after which nobody may build on what this handle thinks
 * is committed: everything behind it, admitted or not, rejects.
 */
import { Rejected, UncertainPersistence } from './errors.ts';

export class Line {
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;
  #failure: UncertainPersistence | undefined;
  readonly #onFailure: (failure: UncertainPersistence) => void;

  /** `onFailure` is called once, before the commit that failed rejects. */
  constructor(onFailure: (failure: UncertainPersistence) => void) {
    this.#onFailure = onFailure;
  }

  get failure(): UncertainPersistence | undefined {
    return this.#failure;
  }

  run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Rejected('closed', 'the session is closed'));
    const turn = this.#tail.then(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        return await work();
      } catch (error) {
        if (error instanceof UncertainPersistence && this.#failure === undefined) {
          this.#failure = error;
          this.#onFailure(error);
        }
        throw error;
      }
    });
    this.#tail = turn.then(ended, ended);
    return turn;
  }

  /** Admits nothing more; resolves when what was admitted is done. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#tail;
  }
}

const ended = (): void => undefined;

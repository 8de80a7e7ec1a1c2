/** A point in a test that somebody reaches and waits at until the test lets them on. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #open = Promise.withResolvers<void>();

  /** Resolves once somebody is here. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  /** Lets everybody on, those who come later too. */
  open(): void {
    this.#open.resolve();
  }

  /** To be awaited by whoever is to wait here. With a signal: rejects when it aborts. */
  async pass(signal?: AbortSignal): Promise<void> {
    this.#reached.resolve();
    if (signal === undefined) return this.#open.promise;
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#open.promise, promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

/** Gives way, also to timers, until that is true: what never comes ends with the test's time limit. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

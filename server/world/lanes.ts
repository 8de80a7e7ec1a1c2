/** Work that must not overlap: what is asked for under one key is done one after another; other keys go on beside it. */
export class Lanes {
  readonly #ends = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const end = mine.catch(() => undefined);
    this.#ends.set(key, end);
    try {
      return await mine;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }

  /** Waits for all that is under way. */
  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends.values());
  }
}

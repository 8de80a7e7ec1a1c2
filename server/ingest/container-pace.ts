/**
 * How often a container that is always being written is opened: a database of many megabytes costs a copy each time. The pause after
 * reading it follows its own cost, as the watcher's sweeps do; the first reading never waits.
 */
const pauseByCost = 20;
/** Milliseconds: what costs less is read whenever it changes. */
const cheap = 50;

export class ContainerPace {
  readonly #now: () => number;
  readonly #notBefore = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  mayOpen(file: string): boolean {
    return (this.#notBefore.get(file) ?? 0) <= this.#now();
  }

  /** Runs what costs the time. */
  opening<T>(file: string, open: () => T): T {
    const started = this.#now();
    const result = open();
    this.#wait(file, this.#now() - started);
    return result;
  }

  /** As `opening`, for what else a reading costs; the longer pause counts. */
  async archiving(file: string, archive: () => Promise<unknown>): Promise<void> {
    const before = this.#notBefore.get(file) ?? 0;
    const started = this.#now();
    await archive();
    this.#wait(file, this.#now() - started);
    if ((this.#notBefore.get(file) ?? 0) < before) this.#notBefore.set(file, before);
  }

  #wait(file: string, cost: number): void {
    if (cost > cheap) this.#notBefore.set(file, this.#now() + cost * pauseByCost);
    else this.#notBefore.delete(file);
  }
}

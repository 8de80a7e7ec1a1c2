/** Time that stands still until a test moves it. */
import type { Clock } from '../clock.ts';

interface Timer {
  readonly time: number;
  readonly call: () => void;
}

export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  readonly #watchers = new Set<() => void>();

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  at(time: number, call: () => void): () => void {
    const timer = { time, call };
    this.#timers.add(timer);
    for (const watcher of this.#watchers) watcher();
    return () => void this.#timers.delete(timer);
  }

  /** Times that somebody waits for, earliest first. */
  get waiting(): readonly number[] {
    return [...this.#timers].map(({ time }) => time).toSorted((a, b) => a - b);
  }

  /** Resolves when somebody waits for a time. */
  async waited(): Promise<void> {
    if (this.#timers.size > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#watchers.add(resolve);
    await promise;
    this.#watchers.delete(resolve);
  }

  /** What waits for a time that is then past is called, in the order of the times. */
  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].toSorted((a, b) => a.time - b.time);
      if (next === undefined || next.time > until) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.time);
      next.call();
    }
    this.#now = until;
  }
}

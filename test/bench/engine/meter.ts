/**
 * Measures the sections of a workload that count: clock, processor time, memory. Memory is looked at where the workload says so, because
 * work that never waits for anything outside leaves no room for a timer.
 */
import { setImmediate } from 'node:timers/promises';

export interface Measured {
  readonly wallMs: number;
  /** Of all threads. */
  readonly cpuMs: number;
  /** Before anything was opened, after a collection. */
  readonly startRssMb: number;
  readonly peakRssMb: number;
  /** When everything was done and nothing was live, after a collection. */
  readonly idleRssMb: number;
  readonly peakHeapMb: number;
  /** What executions held where most of them were live, beyond what is held without any. */
  readonly liveHeapMb: number;
  /** What the backend and the engine held when nothing was live: gone once they are closed. */
  readonly heldHeapMb: number;
}

const mb = 1_000_000;

export class Meter {
  readonly #onSection: (measuring: boolean) => void;
  readonly #startRss: number;
  #wall = 0;
  #cpu = 0;
  #peakHeap = 0;
  #fullest: number | undefined;
  #idle = { heap: 0, rss: 0 };

  /** Throws when collections cannot be asked for (`--expose-gc`). */
  constructor(onSection: (measuring: boolean) => void) {
    this.#onSection = onSection;
    collect();
    this.#startRss = process.memoryUsage.rss();
  }

  async measure<T>(work: () => Promise<T>): Promise<T> {
    this.#onSection(true);
    const started = performance.now();
    const before = process.cpuUsage();
    try {
      return await work();
    } finally {
      const used = process.cpuUsage(before);
      this.#wall += performance.now() - started;
      this.#cpu += (used.user + used.system) / 1000;
      this.#onSection(false);
      this.look();
    }
  }

  look(): void {
    this.#peakHeap = Math.max(this.#peakHeap, process.memoryUsage().heapUsed);
  }

  /** Most executions are live now. Not inside a measured section. */
  fullest(): void {
    this.#fullest = collect();
  }

  /** Everything is done; what is still open is held by the backend and the engine. */
  idle(): void {
    this.#idle = { heap: collect(), rss: process.memoryUsage.rss() };
  }

  /** Everything is closed. */
  async end(): Promise<Measured> {
    await setImmediate();
    const closed = collect();
    return {
      wallMs: this.#wall,
      cpuMs: this.#cpu,
      startRssMb: this.#startRss / mb,
      peakRssMb: (process.resourceUsage().maxRSS * 1024) / mb,
      idleRssMb: this.#idle.rss / mb,
      peakHeapMb: this.#peakHeap / mb,
      liveHeapMb: this.#fullest === undefined ? 0 : Math.max(0, this.#fullest - this.#idle.heap) / mb,
      heldHeapMb: Math.max(0, this.#idle.heap - closed) / mb,
    };
  }
}

/** Bytes of the heap that are in use after a collection. */
export function collect(): number {
  if (globalThis.gc === undefined) throw new Error('the benchmark needs --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

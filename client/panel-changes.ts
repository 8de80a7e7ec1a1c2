/**
 * Asks what a thread's turns did to files: when its timeline is shown, and again when a turn ended or the thread's total changed. One
 * question at a time, and none while nobody looks.
 */
import type { ViewEvent } from '../server/protocol/events.ts';
import type { ThreadChanges } from '../server/protocol/world.ts';

/** The snapshot at the end of a turn comes a moment after the turn's last entry. Milliseconds. */
const waitMs = 600;

export class PanelChanges {
  readonly #ask: () => Promise<ThreadChanges>;
  readonly #told: (changes: ThreadChanges) => void;
  readonly #failed: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;
  #again = false;
  #total = '';

  constructor(ask: () => Promise<ThreadChanges>, told: (changes: ThreadChanges) => void, failed: (error: unknown) => void) {
    this.#ask = ask;
    this.#told = told;
    this.#failed = failed;
  }

  take(events: readonly ViewEvent[]): void {
    let due = false;
    for (const event of events) {
      if (event.type === 'snapshot') due = true;
      else if (event.type === 'entry') due ||= event.entry.kind === 'turn' && event.entry.phase !== 'started';
      else if (event.type === 'thread') {
        const total = JSON.stringify(event.thread.changes ?? null);
        due ||= total !== this.#total;
        this.#total = total;
      }
    }
    if (due) this.soon(waitMs);
  }

  soon(ms = 0): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), ms);
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#again = false;
  }

  dispose(): void {
    this.pause();
  }

  async #run(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    try {
      this.#told(await this.#ask());
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#asking = false;
    }
    if (!this.#again) return;
    this.#again = false;
    this.soon();
  }
}

/**
 * The few folders in which sessions are being written now: those of the files written last. Bounded, however many sessions there are,
 * and kept up from what is read, so that nobody sorts all sources to find them.
 */
export class HotFolders {
  readonly #most: number;
  readonly #writtenAt = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** `now` bounds a file's time: one of the future (a clock was set back) would else be the newest for ever. */
  written(folder: string, mtimeMs: number, now: number): void {
    const at = Math.min(mtimeMs, now);
    if ((this.#writtenAt.get(folder) ?? -Infinity) >= at) return;
    this.#writtenAt.set(folder, at);
    if (this.#writtenAt.size > 2 * this.#most) this.#drop();
  }

  /** Written last first. */
  all(): readonly string[] {
    return [...this.#writtenAt]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, this.#most)
      .map(([folder]) => folder);
  }

  #drop(): void {
    const kept = new Set(this.all());
    for (const folder of this.#writtenAt.keys()) if (!kept.has(folder)) this.#writtenAt.delete(folder);
  }
}

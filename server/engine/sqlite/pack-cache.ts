/** Packs that were read lately, within a bound of memory, for all sessions of a file: a page begins in the pack in which the last one ended. */
import type { OpenPack, PackPlace } from './open-pack.ts';

const mostBytes = 4 * 1024 * 1024;

export class PackCache {
  readonly #mostBytes: number;
  /** Least recently used first. */
  readonly #packs = new Map<number, { readonly pack: OpenPack; bytes: number }>();
  #bytes = 0;

  constructor(most = mostBytes) {
    this.#mostBytes = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(place: PackPlace): OpenPack | undefined {
    const kept = this.#packs.get(place.pack);
    if (kept === undefined) return undefined;
    this.#packs.delete(place.pack);
    if (kept.pack.is(place)) {
      this.#packs.set(place.pack, kept);
      return kept.pack;
    }
    this.#bytes -= kept.bytes;
    return undefined;
  }

  /** To be called again when the pack has grown. */
  put(pack: OpenPack): void {
    const number = pack.place.pack;
    this.#bytes += pack.bytes - (this.#packs.get(number)?.bytes ?? 0);
    this.#packs.delete(number);
    this.#packs.set(number, { pack, bytes: pack.bytes });
    for (const [oldest, { bytes }] of this.#packs) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#packs.delete(oldest);
      this.#bytes -= bytes;
    }
  }

  clear(): void {
    this.#packs.clear();
    this.#bytes = 0;
  }
}

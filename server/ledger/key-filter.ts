/**
 * Tells of most keys that the ledger does not have them, without asking it: nearly every record of a first import is new. Complete
 * only for a ledger that had no keys when it was opened by the one process that writes it. Bits are never taken back, so that what was
 * rolled back or forgotten is asked for in vain, no more. 1 MB; above 5 million keys it tells little and costs nothing.
 */
import type { KeyHash } from './key-hash.ts';

const bits = 2 ** 23;

export class KeyFilter {
  #bits: Uint32Array | undefined;

  add({ words }: KeyHash): void {
    this.#bits ??= new Uint32Array(bits / 32);
    set(this.#bits, words[0] ?? 0);
    set(this.#bits, words[1] ?? 0);
  }

  /** false: it has surely never been added. */
  mayHave({ words }: KeyHash): boolean {
    return this.#bits !== undefined && isSet(this.#bits, words[0] ?? 0) && isSet(this.#bits, words[1] ?? 0);
  }
}

function set(words: Uint32Array, hash: number): void {
  const bit = hash & (bits - 1);
  words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

function isSet(words: Uint32Array, hash: number): boolean {
  const bit = hash & (bits - 1);
  return ((words[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
}

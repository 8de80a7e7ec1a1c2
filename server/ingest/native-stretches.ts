/**
 * Cuts the bytes that are read into the stretches that belong to batches, none longer than 1 MB. What is read goes beyond a batch's end by
 * up to a record that is not whole yet: that is held for the next batch, compressed as soon as it fills a stretch.
 */
import { createHash } from 'node:crypto';
import { compress } from '../engine/sqlite/pack-codec.ts';
import type { NativeBytes } from './translated-batch.ts';

/** Bytes a stretch: one is compressed, and read again, as a whole. */
const longest = 1024 * 1024;

export class NativeStretches {
  /** Position of the first byte of `#held`. */
  #start: number;
  #held: Uint8Array = new Uint8Array(0);
  /** Of a long record that has not ended yet. */
  #made: NativeBytes[] = [];

  constructor(start: number) {
    this.#start = start;
  }

  /** Those that follow; valid until `keep`. */
  add(bytes: Uint8Array): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
  }

  /** The caller's bytes are about to change. */
  keep(): void {
    while (this.#held.length >= longest) this.#cut(longest);
    // A `Buffer`'s own `slice` would not copy.
    this.#held = new Uint8Array(this.#held);
  }

  /** Up to that position. */
  through(end: number): readonly NativeBytes[] {
    while (this.#start < end && this.#held.length > 0) this.#cut(Math.min(longest, end - this.#start, this.#held.length));
    const made = this.#made;
    this.#made = [];
    return made;
  }

  rest(): readonly NativeBytes[] {
    return this.through(this.#start + this.#held.length);
  }

  #cut(length: number): void {
    const bytes = this.#held.subarray(0, length);
    const packed = compress(bytes);
    this.#made.push({
      start: this.#start,
      length,
      codec: packed.codec,
      // What compressing does not make shorter comes back as it is: still the caller's own.
      bytes: packed.bytes === bytes ? new Uint8Array(bytes) : packed.bytes,
      sha256: createHash('sha256').update(bytes).digest(),
    });
    this.#held = this.#held.subarray(length);
    this.#start += length;
  }
}

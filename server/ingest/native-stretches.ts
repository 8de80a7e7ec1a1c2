/**
 * Cuts the bytes that are read into the stretches that belong to batches, none longer than 1 MB. What is read goes beyond a batch's end by
 * up to a record that is not whole yet: that is held for the next batch, compressed as soon as it fills a stretch.
 */
import { createHash } from 'node:crypto';
import type { Compress } from '../engine/sqlite/pack-codec.ts';
import { grown } from './spare-memory.ts';
import type { SpareMemory } from './spare-memory.ts';
import type { NativeBytes } from './translated-batch.ts';

/** Bytes a stretch: one is compressed, and read again, as a whole. */
const longest = 1024 * 1024;
const none = Buffer.allocUnsafeSlow(0);

export class NativeStretches implements Disposable {
  readonly #compress: Compress;
  readonly #spare: SpareMemory | undefined;
  /** Position of the first byte that is held. */
  #start: number;
  /** What is held stands in its beginning. */
  #memory: Buffer = none;
  #held = 0;
  /** Of a long record that has not ended yet. */
  #made: NativeBytes[] = [];

  constructor(start: number, compress: Compress, spare?: SpareMemory) {
    this.#start = start;
    this.#spare = spare;
    this.#compress = compress;
  }

  /** Bytes that wait for the end of their batch. */
  get held(): number {
    return this.#held;
  }

  /** Those that follow: a copy of them. */
  add(bytes: Uint8Array): void {
    const least = this.#held + bytes.length;
    if (least > this.#memory.length) this.#memory = grown(this.#memory, this.#held, least, this.#spare);
    this.#memory.set(bytes, this.#held);
    this.#held = least;
  }

  /** What is held is of a record that has not ended: it shall not all be held. */
  keep(): void {
    while (this.#held >= longest) this.#cut(longest);
  }

  /** Up to that position. */
  through(end: number): readonly NativeBytes[] {
    while (this.#start < end && this.#held > 0) this.#cut(Math.min(longest, end - this.#start, this.#held));
    const made = this.#made;
    this.#made = [];
    return made;
  }

  rest(): readonly NativeBytes[] {
    return this.through(this.#start + this.#held);
  }

  /** Nothing is held any more. */
  [Symbol.dispose](): void {
    this.#spare?.give(this.#memory);
    this.#memory = none;
    this.#held = 0;
  }

  #cut(length: number): void {
    const bytes = this.#memory.subarray(0, length);
    const packed = this.#compress(bytes);
    this.#made.push({
      start: this.#start,
      length,
      codec: packed.codec,
      // What compressing does not make shorter comes back as it is, and is written over.
      bytes: packed.bytes === bytes ? new Uint8Array(bytes) : packed.bytes,
      sha256: createHash('sha256').update(bytes).digest(),
    });
    this.#memory.copyWithin(0, length, this.#held);
    this.#held -= length;
    this.#start += length;
  }
}

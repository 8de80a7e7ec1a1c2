/** Texts in one piece of memory, as UTF-8: on the way between threads, and where garbage collection does not copy them. */

import { grown } from './spare-memory.ts';
import type { SpareMemory } from './spare-memory.ts';

/** Characters from which on a text's bytes are counted before they are written, instead of taking three for each. */
const longText = 64 * 1024;
const none = Buffer.allocUnsafeSlow(0);

/** Grows; its memory is used again for the next texts, or for others' where it is a spare one. */
export class TextBytes {
  readonly #memory: SpareMemory | undefined;
  #bytes: Buffer = none;
  #size = 0;

  constructor(memory?: SpareMemory) {
    this.#memory = memory;
  }

  /** Bytes that were written. */
  get size(): number {
    return this.#size;
  }

  /** How many bytes it takes: as many as it has units only when it is ASCII. */
  write(text: string): number {
    this.#reserve(text.length < longText ? text.length * 3 : Buffer.byteLength(text));
    const written = this.#bytes.write(text, this.#size);
    this.#size += written;
    return written;
  }

  writeByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = byte;
  }

  /** The newest so many bytes, valid until more is written. */
  newest(bytes: number): Uint8Array {
    return this.#bytes.subarray(this.#size - bytes, this.#size);
  }

  /** What is written next begins so many bytes earlier. */
  back(bytes: number): void {
    this.#size -= bytes;
  }

  /** All of them, in memory of their own; then there are none. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#bytes.subarray(0, this.#size));
    this.#size = 0;
    if (this.#memory === undefined) return taken;
    this.#memory.give(this.#bytes);
    this.#bytes = none;
    return taken;
  }

  #reserve(more: number): void {
    const least = this.#size + more;
    if (least <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, this.#size, Math.max(least, 4096), this.#memory);
  }
}

/** The text from byte `start` up to byte `end`. */
export function textBetween({ buffer, byteOffset, byteLength }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8', start, end);
}

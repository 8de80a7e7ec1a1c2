/** Bytes at rising places of a stream that can only be read from its beginning (compressed data), without beginning anew for each. */
export class ForwardBytes {
  readonly #begin: () => Iterator<Uint8Array>;
  #parts: Iterator<Uint8Array> | undefined;
  /** The part that was read last, and where it begins. */
  #part: Uint8Array = new Uint8Array(0);
  #start = 0;

  /** `begin`: the whole stream; a part is valid until the next one is asked for. */
  constructor(begin: () => Iterator<Uint8Array>) {
    this.#begin = begin;
  }

  /** Undefined: the stream ends before that. */
  read(offset: number, length: number): Uint8Array | undefined {
    if (this.#parts === undefined || offset < this.#start) {
      this.#parts = this.#begin();
      this.#part = new Uint8Array(0);
      this.#start = 0;
    }
    const found: Uint8Array[] = [];
    let at = offset;
    while (at < offset + length) {
      const end = this.#start + this.#part.length;
      if (at < end) {
        // A part may change when the next one is asked for.
        // Nor would a `Buffer`'s own `slice` copy it.
        found.push(new Uint8Array(this.#part.subarray(at - this.#start, Math.min(offset + length, end) - this.#start)));
        at += found.at(-1)?.length ?? 0;
        continue;
      }
      const next = this.#parts.next();
      if (next.done === true) return undefined;
      this.#start = end;
      this.#part = next.value;
    }
    return Buffer.concat(found, length);
  }
}

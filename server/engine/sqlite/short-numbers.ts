/** Whole numbers in steps of seven bits, the lowest first: the form of packs' headers and of the ledger's blocks. Any bytes can be read. */

/** `value`: from 0 to the largest whole number that is exact. */
export function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** The same into memory that has room for it; returns the place behind it. */
export function putNumber(bytes: Uint8Array, at: number, value: number): number {
  let place = at;
  let rest = value;
  while (rest >= 128) {
    bytes[place++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  bytes[place++] = rest;
  return place;
}

/** Bytes that it takes. */
export function numberLength(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) count++;
  return count;
}

/** Small ones of both signs are short. */
export function writeStep(bytes: number[], step: number): void {
  writeNumber(bytes, step < 0 ? -2 * step - 1 : 2 * step);
}

export class NumberReader {
  readonly #bytes: Uint8Array;
  #place = 0;
  /** A number ended with the bytes, or was one that nobody wrote; what was read since means nothing. */
  isCut = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isEnd(): boolean {
    return this.#place >= this.#bytes.length;
  }

  number(): number {
    // Nearly all take one to three bytes.
    const bytes = this.#bytes;
    const place = this.#place;
    const first = bytes[place] ?? 128;
    if (first < 128) {
      this.#place = place + 1;
      return first;
    }
    const second = bytes[place + 1] ?? 128;
    if (second < 128) {
      this.#place = place + 2;
      return (second << 7) | (first & 127);
    }
    const third = bytes[place + 2] ?? 128;
    if (third >= 128) return this.#longNumber();
    this.#place = place + 3;
    return (third << 14) | ((second & 127) << 7) | (first & 127);
  }

  step(): number {
    const value = this.number();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  #longNumber(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#place++];
      if (byte === undefined || scale > Number.MAX_SAFE_INTEGER) {
        this.isCut = true;
        return 0;
      }
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }
}

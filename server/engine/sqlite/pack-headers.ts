/**
 * The headers of a pack's entries as bytes: numbers of variable length, then every text of them as one, so that decoding makes one string
 * and cuts it. Kinds stand by name in each pack: nothing else has to be read to know what it holds. Total: bytes that are no headers
 * throw `DamagedPack`.
 */
import type { EntryHeader, Id } from '../records.ts';
import { DamagedPack } from './damaged-pack.ts';
import { packText } from './pack-text.ts';
import { writeNumber } from './short-numbers.ts';

export interface PackHeaders {
  readonly ids: readonly Id[];
  readonly kinds: readonly string[];
  readonly keys: readonly (string | undefined)[];
  readonly byTasks: readonly (Id | undefined)[];
}

const hasKey = 1;
const hasTask = 2;

/** In the order of their ids; none of them is a head. */
export function encodeHeaders(entries: readonly EntryHeader[]): Uint8Array {
  const kinds = [...new Set(entries.map(({ kind }) => kind.toWellFormed()))];
  const numbers: number[] = [];
  let text = '';
  const putText = (part: string): void => {
    writeNumber(numbers, part.length);
    text += part;
  };
  writeNumber(numbers, kinds.length);
  kinds.forEach(putText);
  writeNumber(numbers, entries.length);
  let before = 0;
  for (const { id, kind, key, byTaskId } of entries) {
    writeNumber(numbers, id - before);
    before = id;
    const flags = (key === undefined ? 0 : hasKey) | (byTaskId === undefined ? 0 : hasTask);
    writeNumber(numbers, kinds.indexOf(kind.toWellFormed()) * 4 + flags);
    if (key !== undefined) putText(key.toWellFormed());
    if (byTaskId !== undefined) writeNumber(numbers, byTaskId);
  }
  return Buffer.concat([Uint8Array.from(numbers), Buffer.from(text)]);
}

export function decodeHeaders(bytes: Uint8Array): PackHeaders {
  const numbers = new Numbers(bytes);
  const lengths = Array.from({ length: numbers.count() }, () => numbers.next());
  const count = numbers.count();
  const ids: Id[] = [];
  const kindNumbers: number[] = [];
  const keyLengths: (number | undefined)[] = [];
  const byTasks: (Id | undefined)[] = [];
  let id = 0;
  for (let i = 0; i < count; i++) {
    const delta = numbers.next();
    if (delta < 1) throw new DamagedPack('an entry has no number of its own');
    ids.push((id += delta));
    const mark = numbers.next();
    kindNumbers.push(Math.floor(mark / 4));
    keyLengths.push((mark & hasKey) === 0 ? undefined : numbers.next());
    byTasks.push((mark & hasTask) === 0 ? undefined : numbers.next());
  }
  const texts = new Texts(numbers.rest());
  const names = lengths.map((length) => texts.next(length));
  const kinds = kindNumbers.map((number) => {
    const name = names[number];
    if (name === undefined) throw new DamagedPack('an entry has no kind');
    return name;
  });
  const keys = keyLengths.map((length) => (length === undefined ? undefined : texts.next(length)));
  texts.end();
  return { ids, kinds, keys, byTasks };
}

class Numbers {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    // Most take one byte.
    const first = this.#bytes[this.#at];
    if (first === undefined || first >= 128) return this.#longer();
    this.#at++;
    return first;
  }

  #longer(): number {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new DamagedPack('its headers are cut off');
      number += (byte & 127) * factor;
      if (!Number.isSafeInteger(number)) throw new DamagedPack('its headers have a number that is none');
      if (byte < 128) return number;
    }
  }

  /** Of things that take a byte each at least. */
  count(): number {
    const count = this.next();
    if (count > this.#bytes.length) throw new DamagedPack('its headers are cut off');
    return count;
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}

class Texts {
  readonly #text: string;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#text = packText(bytes);
  }

  next(length: number): string {
    const text = this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    return text;
  }

  end(): void {
    if (this.#at !== this.#text.length) throw new DamagedPack('its headers do not fit their texts');
  }
}

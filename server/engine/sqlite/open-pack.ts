/**
 * A pack's entries, decoded: headers at once, contents when they are asked for, and their JSON anew for each reader, to whom it belongs.
 * Which entries a pack has never changes under one place (session, conversation, first, last, count), so an open pack is never stale, unless
 * its transaction was undone: whoever undoes one clears the cache.
 */
import { isAscii } from 'node:buffer';
import type { Entry, EntryHeader, Id, Json } from '../records.ts';
import { DamagedPack } from './damaged-pack.ts';
import { DamagedBytes, decompress, release } from './pack-codec.ts';
import { decodeHeaders } from './pack-headers.ts';
import type { PackHeaders } from './pack-headers.ts';
import { packText } from './pack-text.ts';

/** Where a pack lies. */
export interface PackPlace {
  readonly session: number;
  readonly conversation: Id;
  readonly first: Id;
  readonly last: Id;
  readonly count: number;
  /** Its number in the file; may be another pack's once this one is gone. */
  readonly pack: number;
}
export interface PackContents {
  readonly codec: number;
  readonly size: number;
  readonly contents: Uint8Array;
}

/** Of objects and arrays, roughly. */
const bytesOfHeader = 100;

export class OpenPack {
  readonly place: PackPlace;
  readonly #headers: PackHeaders;
  /** The contents' JSON, one a line, and where each ends; undefined until `load`. */
  #plain: Buffer | undefined;
  /** Its text needs no decoder. */
  #isAscii = false;
  #ends: readonly number[] = [];
  #bytes: number;

  /** Throws `DamagedPack`. */
  constructor(place: PackPlace, headers: Uint8Array) {
    this.place = place;
    this.#headers = decodeHeaders(headers);
    const { ids } = this.#headers;
    if (ids.length !== place.count || ids[0] !== place.first || ids.at(-1) !== place.last)
      throw new DamagedPack('it has other entries than its place says');
    this.#bytes = bytesOfHeader * place.count;
  }

  get ids(): readonly Id[] {
    return this.#headers.ids;
  }
  get kinds(): readonly string[] {
    return this.#headers.kinds;
  }
  get keys(): readonly (string | undefined)[] {
    return this.#headers.keys;
  }
  /** Of memory, roughly. */
  get bytes(): number {
    return this.#bytes;
  }
  get isLoaded(): boolean {
    return this.#plain !== undefined;
  }

  /** Only what is asked for becomes text: most reads want few of its entries. Throws `DamagedPack`. */
  load({ codec, size, contents }: PackContents): void {
    const { buffer, byteOffset, length } = decoded(codec, contents, size);
    const plain = Buffer.from(buffer, byteOffset, length);
    const ends = endsOf(plain);
    if (ends.length !== this.ids.length) throw new DamagedPack(`it has ${ends.length} contents of ${this.ids.length} entries`);
    this.#bytes += size;
    this.#plain = plain;
    this.#isAscii = isAscii(plain);
    this.#ends = ends;
  }

  /** Gives back the contents' memory: nobody else has the pack. */
  unload(): void {
    if (this.#plain !== undefined) release(this.#plain);
    this.#plain = undefined;
  }

  /** JSON of a content, of a pack that is loaded. Throws `DamagedPack` for bytes that are no text. */
  line(at: number): string {
    const end = this.#ends[at];
    if (this.#plain === undefined || end === undefined) throw new RangeError(`the pack has no content at ${at}`);
    const from = at === 0 ? 0 : (this.#ends[at - 1] ?? 0) + 1;
    return this.#isAscii ? this.#plain.toString('latin1', from, end) : packText(this.#plain.subarray(from, end));
  }

  is({ session, conversation, first, last, count }: PackPlace): boolean {
    const { place } = this;
    return (
      place.session === session &&
      place.conversation === conversation &&
      place.first === first &&
      place.last === last &&
      place.count === count
    );
  }

  header(at: number): EntryHeader {
    const { ids, kinds, keys, byTasks } = this.#headers;
    const [id, kind, key, byTaskId] = [ids[at], kinds[at], keys[at], byTasks[at]];
    if (id === undefined || kind === undefined) throw new RangeError(`the pack has no entry at ${at}`);
    return {
      id,
      conversationId: this.place.conversation,
      kind,
      ...(key === undefined ? {} : { key }),
      ...(byTaskId === undefined ? {} : { byTaskId }),
    };
  }

  /** Of a pack that is loaded. */
  entry(at: number): Entry {
    return { ...this.header(at), content: parsed(this.line(at)) };
  }

  /** Where the first entry stands that has that id or a greater one. */
  placeOf(id: Id): number {
    const { ids } = this;
    let low = 0;
    for (let high = ids.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? id) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const newline = 10;

/** By a Buffer's own search: that of other byte arrays takes twice as long, and a text of the bytes is one more copy of them. */
function endsOf(plain: Buffer): readonly number[] {
  const ends: number[] = [];
  for (let at = plain.indexOf(newline); at >= 0; at = plain.indexOf(newline, at + 1)) ends.push(at);
  ends.push(plain.length);
  return ends;
}

function decoded(codec: number, contents: Uint8Array, size: number): Uint8Array {
  try {
    return decompress(codec, contents, size);
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    throw new DamagedPack(error.message, error);
  }
}

function parsed(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch (error) {
    throw new DamagedPack('a content is not JSON', error);
  }
}

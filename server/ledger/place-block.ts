/**
 * Places known by 64 bits of a name (key-hash.ts), as the bytes of one row: a row for each would cost twice as much. The hashes stand first,
 * each as wide as the block needs, and can be searched as they are; numbers follow in steps of seven bits. Any bytes can be read: what is
 * cut off gives the places before the cut, and what nobody can have written is left out.
 */
import { numberLength, NumberReader, putNumber } from '../engine/sqlite/short-numbers.ts';

/** The halves of a hash, as `KeyHash.words` has them. */
export interface Hash {
  readonly low: number;
  readonly high: number;
}
export interface HashedPlace extends Hash {
  /** Number of whom it belongs to: a session's first thread, a native session. */
  readonly owner: number;
  readonly conversation: number;
  readonly entry: number;
}
export interface PlaceBlock {
  /** The hash of its first place. */
  readonly first: bigint;
  readonly packed: Uint8Array;
}
export interface ReadPlaces {
  readonly places: readonly HashedPlace[];
  /** Bytes that nobody wrote so: there were other places, or more of them. */
  readonly isDamaged: boolean;
}

/** Two rows of so many bytes fill a page of 4 KB. */
const mostBytes = 2020;
const hashBytes = 8;
/** Behind the number of bytes of each hash and how many there are. */
const headBytes = 3;
const mostPlaces = 0xffff;

/** In the order of SQLite's integers. */
export function compareHashes(a: Hash, b: Hash): number {
  return a.high - b.high || (a.low >>> 0) - (b.low >>> 0);
}

export function hashValue({ low, high }: Hash): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

export function hashOf(value: bigint): Hash {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(value >> 32n) };
}

/** Places in the order of their hashes, no two of one hash, as blocks that are as full as they can be. */
export function placeBlocks(places: readonly HashedPlace[]): readonly PlaceBlock[] {
  const starts = [0];
  let first = places[0];
  let numbers = 0;
  for (let at = 0; at < places.length; at++) {
    const place = places[at];
    if (first === undefined || place === undefined) break;
    const from = starts.at(-1) ?? 0;
    const its = numberBytes(place);
    const width = hashBytes - sharedBytes(first, place);
    if (at > from && headBytes + width * (at + 1 - from) + numbers + its > mostBytes) {
      starts.push(at);
      first = place;
      numbers = 0;
    }
    numbers += its;
  }
  const last = starts.at(-1) ?? 0;
  const before = starts.at(-2);
  // A short one at the end, as what is put into a full block leaves, shares with the one before.
  if (before !== undefined && places.length - last < (last - before) / 2)
    starts[starts.length - 1] = before + Math.ceil((places.length - before) / 2);
  return starts.flatMap((from, i) => {
    const some = places.slice(from, starts[i + 1]);
    const [start, end] = [some[0], some.at(-1)];
    if (start === undefined || end === undefined) return [];
    return [{ first: hashValue(start), packed: packed(some, hashBytes - sharedBytes(start, end)) }];
  });
}

/** In whatever order, at most 65,535. `placesIn` gives them back with any first hash. */
export function packPlaces(places: readonly HashedPlace[]): Uint8Array {
  if (places.length > mostPlaces) throw new RangeError(`${places.length} places are too many for one row`);
  return packed(places, hashBytes);
}

/** Of a row of places in whatever order. Owners are counted from 1. */
export function placesIn(first: bigint, bytes: Uint8Array): ReadPlaces {
  const head = headOf(first, bytes);
  const numbers = numbersOf(bytes, head);
  const places: HashedPlace[] = [];
  for (let at = 0; at < head.count; at++) {
    const owner = numbers.number();
    const conversation = numbers.number();
    const entry = numbers.number();
    if (numbers.isCut) break;
    if (owner === 0) continue;
    const { low, high } = hashAt(head, bytes, at);
    places.push({ low, high, owner, conversation, entry });
  }
  return {
    places,
    isDamaged: places.length < head.count || !numbers.isEnd || bytes.length < headBytes || (bytes[0] ?? 0) > hashBytes,
  };
}

/** Of a block: in the order of their hashes, from its first one on and before `behind`, the first one of the next block. */
export function placesInBlock({ first, packed: bytes }: PlaceBlock, behind: bigint | undefined): ReadPlaces {
  const { places, isDamaged } = placesIn(first, bytes);
  const [least, end] = [hashOf(first), behind === undefined ? undefined : hashOf(behind)];
  const sound: HashedPlace[] = [];
  for (const place of places) {
    const last = sound.at(-1);
    const isBehind = last === undefined ? compareHashes(place, least) >= 0 : compareHashes(place, last) > 0;
    if (isBehind && (end === undefined || compareHashes(place, end) < 0)) sound.push(place);
  }
  const isWhole = sound.length === places.length && sound[0] !== undefined && compareHashes(sound[0], least) === 0;
  return { places: sound, isDamaged: isDamaged || !isWhole };
}

/** The place of that hash in a block; undefined: it has none. */
export function placeIn(first: bigint, bytes: Uint8Array, hash: Hash): HashedPlace | undefined {
  const head = headOf(first, bytes);
  let low = 0;
  for (let high = head.count; low < high;) {
    const middle = (low + high) >>> 1;
    if (compareHashes(hashAt(head, bytes, middle), hash) < 0) low = middle + 1;
    else high = middle;
  }
  if (low >= head.count || compareHashes(hashAt(head, bytes, low), hash) !== 0) return undefined;
  const numbers = numbersOf(bytes, head);
  for (let skipped = 0; skipped < low * 3; skipped++) numbers.number();
  const owner = numbers.number();
  const conversation = numbers.number();
  const entry = numbers.number();
  return numbers.isCut || owner === 0 ? undefined : { low: hash.low, high: hash.high, owner, conversation, entry };
}

function packed(places: readonly HashedPlace[], width: number): Uint8Array {
  let size = headBytes + width * places.length;
  for (const place of places) size += numberBytes(place);
  const bytes = new Uint8Array(size);
  bytes[0] = width;
  bytes[1] = places.length & 0xff;
  bytes[2] = places.length >>> 8;
  let to = headBytes;
  for (const hash of places) for (let at = hashBytes - width; at < hashBytes; at++) bytes[to++] = byteAt(hash, at);
  for (const { owner, conversation, entry } of places) {
    to = putNumber(bytes, to, owner);
    to = putNumber(bytes, to, conversation);
    to = putNumber(bytes, to, entry);
  }
  return bytes;
}

interface Head extends Hash {
  /** Bytes of each hash that are written; what is not is as in the block's first hash, whose halves these are. */
  readonly width: number;
  readonly count: number;
}

/** Of damaged bytes there may be fewer than this says. */
function headOf(first: bigint, bytes: Uint8Array): Head {
  return {
    width: Math.min(bytes[0] ?? 0, hashBytes),
    count: (bytes[1] ?? 0) | ((bytes[2] ?? 0) << 8),
    ...hashOf(first),
  };
}

function numbersOf(bytes: Uint8Array, { width, count }: Head): NumberReader {
  return new NumberReader(bytes.subarray(headBytes + width * count));
}

function hashAt({ width, low: firstLow, high: firstHigh }: Head, bytes: Uint8Array, at: number): Hash {
  let low = firstLow;
  let high = firstHigh;
  const start = headBytes + at * width;
  for (let place = 0; place < width; place++) {
    const byte = bytes[start + width - 1 - place] ?? 0;
    if (place < 4) low = (low & ~(0xff << (place * 8))) | (byte << (place * 8));
    else high = (high & ~(0xff << (place * 8 - 32))) | (byte << (place * 8 - 32));
  }
  return { low, high };
}

/** From the highest (0) to the lowest (7). */
function byteAt({ low, high }: Hash, at: number): number {
  return at < 4 ? (high >>> (24 - at * 8)) & 0xff : (low >>> (56 - at * 8)) & 0xff;
}

/** How many of their highest bytes are the same. */
function sharedBytes(a: Hash, b: Hash): number {
  if (a.high !== b.high) return Math.clz32(a.high ^ b.high) >>> 3;
  return a.low === b.low ? hashBytes : 4 + (Math.clz32(a.low ^ b.low) >>> 3);
}

function numberBytes({ owner, conversation, entry }: HashedPlace): number {
  return numberLength(owner) + numberLength(conversation) + numberLength(entry);
}

/**
 * The list that git keeps of each pack, version 2 (gitformat-pack): a magic number, the version, for each first byte how many ids begin with
 * it or a lower one, the ids in order, checksums of the entries, where they stand in the pack, then the pack's own sum and the list's.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Of SHA-1, by which the objects of a plain store are named. */
export const idBytes = 20;
const magic = 0xff744f63;
const version = 2;
/** Where the numbers by first bytes stand, and the ids behind them. */
const numbersAt = 8;
const idsAt = numbersAt + 256 * 4;

/** As it is looked into. */
export interface PackList {
  readonly bytes: Buffer;
  readonly numbers: DataView;
  /** How many ids it has. */
  readonly count: number;
}

/** undefined: it is not whole, or none of version 2. */
export function packList(bytes: Buffer): PackList | undefined {
  if (bytes.length < idsAt || bytes.readUInt32BE(0) !== magic || bytes.readUInt32BE(4) !== version) return undefined;
  const count = bytes.readUInt32BE(idsAt - 4);
  if (bytes.length < idsAt + idBytes * count) return undefined;
  return { bytes, numbers: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), count };
}

/** Ids of all objects of a pack, as digits; none if its list is not whole. */
export function idsOf(bytes: Buffer): readonly string[] {
  const count = packList(bytes)?.count ?? 0;
  return Array.from({ length: count }, (_, n) => bytes.toString('hex', idsAt + idBytes * n, idsAt + idBytes * (n + 1)));
}

/** `id`: its bytes. */
export function isListed({ bytes, numbers, count }: PackList, id: Buffer): boolean {
  const first = id[0] ?? 0;
  const start = id.readUInt32BE(0);
  let low = first === 0 ? 0 : numbers.getUint32(numbersAt + 4 * (first - 1));
  let high = Math.min(count, numbers.getUint32(numbersAt + 4 * first));
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = idsAt + idBytes * middle;
    // Few ids begin with the same four bytes.
    const order = start - numbers.getUint32(at) || id.compare(bytes, at, at + idBytes);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}

/** The sum of the pack itself, as the list says it. */
export function packSumOf({ bytes }: PackList): Buffer {
  return bytes.subarray(-2 * idBytes, -idBytes);
}

/** The list of a pack of these entries, which stand there one behind the other from `start` on; `sum`: the pack's. */
export function listOf(
  entries: readonly { readonly id: string; readonly bytes: Uint8Array }[],
  start: number,
  sum: Uint8Array,
): Buffer {
  let at = start;
  const placed = entries.map(({ id, bytes }) => {
    const one = { id, sum: crc32(bytes), at };
    at += bytes.length;
    return one;
  });
  placed.sort((a, b) => (a.id < b.id ? -1 : 1));
  const numbers = Buffer.alloc(idsAt);
  numbers.writeUInt32BE(magic, 0);
  numbers.writeUInt32BE(version, 4);
  for (let first = 0, upTo = 0; first < 256; first++) {
    while (upTo < placed.length && parseInt(placed[upTo]?.id.slice(0, 2) ?? '', 16) <= first) upTo++;
    numbers.writeUInt32BE(upTo, numbersAt + 4 * first);
  }
  const sums = Buffer.alloc(4 * placed.length);
  const places = Buffer.alloc(4 * placed.length);
  for (const [index, one] of placed.entries()) {
    sums.writeUInt32BE(one.sum, 4 * index);
    places.writeUInt32BE(one.at, 4 * index);
  }
  const list = Buffer.concat([numbers, Buffer.from(placed.map(({ id }) => id).join(''), 'hex'), sums, places, sum]);
  return Buffer.concat([list, createHash('sha1').update(list).digest()]);
}

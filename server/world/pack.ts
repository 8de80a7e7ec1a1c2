/**
 * The objects of one snapshot as one pack of git's, whole objects only (gitformat-pack): two files come, however many objects there are,
 * since a file system takes its time over each new one. The list goes to its place before the pack does. A list without its pack is nothing
 * to git, so a kill leaves all of the objects or none, and such a list is known to be of no use (`clearLists`).
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { quicklyDeflated } from './loose-object.ts';
import type { ObjectKind } from './loose-object.ts';

/** An object as it stands in a pack. */
export interface PackEntry {
  /** Forty digits. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

export async function packEntry(kind: ObjectKind, id: string, content: Uint8Array): Promise<PackEntry> {
  return { id, bytes: Buffer.concat([entryHead(kind, content.length), await quicklyDeflated(content)]) };
}

/** A pack and its list, not written yet. */
export interface Pack {
  /** Without its end: `pack-` and forty digits. */
  readonly name: string;
  readonly pack: Buffer;
  readonly list: Buffer;
}

/** Each id once. */
export function packOf(entries: readonly PackEntry[]): Pack {
  const head = Buffer.alloc(headBytes);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries.map(({ bytes }) => bytes)]);
  const sum = sha1(body);
  return { name: `pack-${sum.toString('hex')}`, pack: Buffer.concat([body, sum]), list: listOf(entries, sum) };
}

/** As durable as git makes an object that stands alone. Throws what the file system throws; then none of the objects has come. */
export function writePack(store: string, { name, pack, list }: Pack): void {
  const folder = packsIn(store);
  const temporary = temporaryIn(folder);
  const put = (bytes: Uint8Array, end: string): void => {
    fs.writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o444 });
    fs.renameSync(temporary, path.join(folder, `${name}.${end}`));
  };
  try {
    put(list, 'idx');
    put(pack, 'pack');
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    // On a full disk each attempt would leave another list.
    const isThere = fs.statSync(path.join(folder, `${name}.pack`), { throwIfNoEntry: false })?.isFile() === true;
    if (!isThere) fs.rmSync(path.join(folder, `${name}.idx`), { force: true });
    throw error;
  }
}

/** Lists, and what else git keeps beside a pack, whose packs never came, or are gone. Only when nothing writes a pack there. */
export function clearLists(store: string): void {
  const folder = packsIn(store);
  const names = new Set(fs.existsSync(folder) ? fs.readdirSync(folder) : []);
  for (const name of names)
    if (/^pack-[0-9a-f]{40}\.(?:idx|rev)$/u.test(name) && !names.has(name.replace(/\w+$/u, 'pack')))
      fs.rmSync(path.join(folder, name), { force: true });
}

/** Packs that are half written. Only when nothing writes a pack there. */
export function clearHalf(store: string): void {
  const folder = packsIn(store);
  for (const name of fs.readdirSync(folder)) if (name.startsWith('tmp_')) fs.rmSync(path.join(folder, name), { force: true });
}

export function packsIn(store: string): string {
  return [store, 'objects', 'pack'].join(path.sep);
}

/** A name like git's own for what is on its way, of this process and no other: it is cleared away with those. */
function temporaryIn(folder: string): string {
  return path.join(folder, `tmp_pack_${processMark}${(++written).toString(36)}`);
}
const processMark = randomBytes(6).toString('hex');
let written = 0;

const headBytes = 12;

/** Version 2: how many ids begin with each byte or a lower one, the ids in order, checksums of the entries, where they stand. */
function listOf(entries: readonly PackEntry[], sum: Uint8Array): Buffer {
  let at = headBytes;
  const placed = entries.map(({ id, bytes }) => {
    const one = { id, sum: crc32(bytes), at };
    at += bytes.length;
    return one;
  });
  placed.sort((a, b) => (a.id < b.id ? -1 : 1));
  const numbers = Buffer.alloc(8 + 256 * 4);
  numbers.writeUInt32BE(0xff744f63, 0);
  numbers.writeUInt32BE(2, 4);
  for (let first = 0, upTo = 0; first < 256; first++) {
    while (upTo < placed.length && parseInt(placed[upTo]?.id.slice(0, 2) ?? '', 16) <= first) upTo++;
    numbers.writeUInt32BE(upTo, 8 + 4 * first);
  }
  const sums = Buffer.alloc(4 * placed.length);
  const places = Buffer.alloc(4 * placed.length);
  for (const [index, one] of placed.entries()) {
    sums.writeUInt32BE(one.sum, 4 * index);
    places.writeUInt32BE(one.at, 4 * index);
  }
  const list = Buffer.concat([numbers, Buffer.from(placed.map(({ id }) => id).join(''), 'hex'), sums, places, sum]);
  return Buffer.concat([list, sha1(list)]);
}

/** The kind and the size: four bits of it, then seven a byte, the lowest first. */
function entryHead(kind: ObjectKind, size: number): Buffer {
  const out: number[] = [];
  let byte = (kinds[kind] << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    out.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Buffer.from([...out, byte]);
}
const kinds: Readonly<Record<ObjectKind, number>> = { commit: 1, tree: 2, blob: 3 };

function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest();
}

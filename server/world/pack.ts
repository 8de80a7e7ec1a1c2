/**
 * The objects of one snapshot as one pack of git's, whole objects only (gitformat-pack): two files come, however many objects there are,
 * since a file system takes its time over each new one. The list goes to its place before the pack does. A list without its pack is nothing
 * to git, so a kill leaves all of the objects or none, and such a list is known to be of no use (`clearLists`).
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { quicklyDeflated } from './loose-object.ts';
import type { ObjectKind } from './loose-object.ts';
import { listOf } from './pack-list.ts';
import { putFile } from './store-files.ts';

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
  return { name: `pack-${sum.toString('hex')}`, pack: Buffer.concat([body, sum]), list: listOf(entries, headBytes, sum) };
}

/** As durable as git makes an object that stands alone. Throws what the file system throws; then none of the objects has come. */
export function writePack(store: string, { name, pack, list }: Pack): void {
  const folder = packsIn(store);
  const begin = path.join(folder, 'tmp_pack_');
  try {
    putFile(path.join(folder, `${name}.idx`), list, begin);
    putFile(path.join(folder, `${name}.pack`), pack, begin);
  } catch (error) {
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

export function packsIn(store: string): string {
  return [store, 'objects', 'pack'].join(path.sep);
}

const headBytes = 12;

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

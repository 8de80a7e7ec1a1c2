/** Which objects a store has, told by its files alone: those that stand alone by their names, those in packs by the packs' lists. */
import fs from 'node:fs';
import path from 'node:path';
import { isLoose } from './loose-object.ts';

/**
 * Ids, of 20 bytes each, of those of these that are not there, as digits. What is in a list that is none of version 2, or whose pack ends
 * otherwise than it says, counts as not there. `known`: lists of packs that were looked at before.
 */
export function missingIn(store: string, ids: Iterable<Buffer>, known: KnownLists = new Map()): readonly string[] {
  const lists = packLists(path.join(store, 'objects', 'pack'), known);
  const missing = new Set<string>();
  for (const id of ids) {
    // The lists are looked into first: they cost no call of the system for each id.
    if (lists.some((list) => isListed(list, id))) continue;
    const digits = id.toString('hex');
    if (!missing.has(digits) && !isLoose(store, digits)) missing.add(digits);
  }
  return [...missing];
}

/** By the names of their files, which are of what is in the packs. Of those that are there, and small. */
export type KnownLists = Map<string, PackList>;

interface PackList {
  readonly bytes: Buffer;
  readonly numbers: DataView;
  /** How many names it has. */
  readonly count: number;
}

/** Bytes of a list up to which it is remembered: there are many of those, one a snapshot. */
const smallList = 16 * 1024;

function packLists(folder: string, known: KnownLists): readonly PackList[] {
  const names = new Set(fs.existsSync(folder) ? fs.readdirSync(folder) : []);
  for (const name of known.keys()) if (!names.has(name)) known.delete(name);
  const out: PackList[] = [];
  for (const name of names) {
    const pack = name.replace(/idx$/u, 'pack');
    if (!/^pack-.*\.idx$/u.test(name) || !names.has(pack)) continue;
    const list = known.get(name) ?? listIn(path.join(folder, name), path.join(folder, pack));
    if (list === undefined) continue;
    out.push(list);
    if (list.bytes.length <= smallList) known.set(name, list);
  }
  return out;
}

function listIn(file: string, pack: string): PackList | undefined {
  const bytes = fs.readFileSync(file);
  if (!isWhole(bytes) || !isOf(bytes, pack)) return undefined;
  return {
    bytes,
    numbers: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
    count: bytes.readUInt32BE(namesAt - 4),
  };
}

/** Ids of all objects of a pack, as digits; none if its list is not whole. */
export function idsOf(list: Buffer): readonly string[] {
  const count = isWhole(list) ? list.readUInt32BE(namesAt - 4) : 0;
  return Array.from({ length: count }, (_, n) => list.toString('hex', namesAt + idBytes * n, namesAt + idBytes * (n + 1)));
}

function isWhole(list: Buffer): boolean {
  if (list.length < namesAt || list.readUInt32BE(0) !== 0xff744f63 || list.readUInt32BE(4) !== 2) return false;
  return list.length >= namesAt + idBytes * list.readUInt32BE(namesAt - 4);
}

/** Does the pack end as its list says? One that was cut short, as by a machine that went down, does not. */
function isOf(list: Buffer, pack: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(pack, 'r');
    const end = Buffer.alloc(idBytes);
    const { size } = fs.fstatSync(descriptor);
    if (size < idBytes || fs.readSync(descriptor, end, 0, idBytes, size - idBytes) < idBytes) return false;
    return end.equals(list.subarray(-2 * idBytes, -idBytes));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return false;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** gitformat-pack: a magic number, the version, for each first byte how many names go up to it, then the names in order. */
function isListed({ bytes, numbers, count }: PackList, id: Buffer): boolean {
  const first = id[0] ?? 0;
  const start = id.readUInt32BE(0);
  let low = first === 0 ? 0 : numbers.getUint32(8 + 4 * (first - 1));
  let high = Math.min(count, numbers.getUint32(8 + 4 * first));
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = namesAt + idBytes * middle;
    // Few names begin with the same four bytes.
    const order = start - numbers.getUint32(at) || id.compare(bytes, at, at + idBytes);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}
const namesAt = 8 + 256 * 4;
const idBytes = 20;

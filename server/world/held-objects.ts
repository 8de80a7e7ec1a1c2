/** Which objects a store has, told by its files alone: those that stand alone by their names, those in packs by the packs' lists. */
import fs from 'node:fs';
import path from 'node:path';
import { isLoose } from './loose-object.ts';
import { idBytes, isListed, packList, packSumOf } from './pack-list.ts';
import type { PackList } from './pack-list.ts';
import { packsIn } from './pack.ts';

/**
 * Ids, of 20 bytes each, of those of these that are not there, as digits. What is in a list that is none of version 2, or whose pack ends
 * otherwise than it says, counts as not there. `known`: lists of packs that were looked at before.
 */
export function missingIn(store: string, ids: Iterable<Buffer>, known: KnownLists = new Map()): readonly string[] {
  const lists = packLists(packsIn(store), known);
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
  const list = packList(fs.readFileSync(file));
  return list !== undefined && isOf(list, pack) ? list : undefined;
}

/** Does the pack end as its list says? One that was cut short, as by a machine that went down, does not. */
function isOf(list: PackList, pack: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(pack, 'r');
    const end = Buffer.alloc(idBytes);
    const { size } = fs.fstatSync(descriptor);
    if (size < idBytes || fs.readSync(descriptor, end, 0, idBytes, size - idBytes) < idBytes) return false;
    return end.equals(packSumOf(list));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return false;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Which objects a store has, told by its files alone: those that stand alone by their names, those in packs by the packs' lists. */
import fs from 'node:fs';
import path from 'node:path';
import { isLoose } from './loose-object.ts';

/** Those of these ids, of 40 digits, that are not there. What is in a list that is none of version 2 counts as not there. */
export function missingIn(store: string, ids: Iterable<string>): readonly string[] {
  const lists = packLists(path.join(store, 'objects', 'pack'));
  const isPacked = (id: string): boolean => {
    const bytes = Buffer.from(id, 'hex');
    return lists.some((list) => isListed(list, bytes));
  };
  // The lists are looked into first: they cost no call of the system for each id.
  return [...ids].filter((id) => !isPacked(id) && !isLoose(store, id));
}

function packLists(folder: string): readonly Buffer[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.idx') && fs.existsSync(path.join(folder, name.replace(/idx$/u, 'pack'))))
    .map((name) => fs.readFileSync(path.join(folder, name)))
    .filter((list) => isWhole(list));
}

function isWhole(list: Buffer): boolean {
  if (list.length < namesAt || list.readUInt32BE(0) !== 0xff744f63 || list.readUInt32BE(4) !== 2) return false;
  return list.length >= namesAt + idBytes * list.readUInt32BE(namesAt - 4);
}

/** gitformat-pack: a magic number, the version, for each first byte how many names go up to it, then the names in order. */
function isListed(list: Buffer, id: Buffer): boolean {
  const upTo = (byte: number): number => (byte < 0 ? 0 : list.readUInt32BE(8 + 4 * byte));
  const first = id[0] ?? 0;
  let [low, high] = [upTo(first - 1), upTo(first)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = namesAt + idBytes * middle;
    const order = id.compare(list, at, at + idBytes);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}
const namesAt = 8 + 256 * 4;
const idBytes = 20;

/**
 * The contents of a batch's entries, compressed in packs, for the engine to store as they are. Which entries end up in one
 * conversation is only known when they are placed; a pack that placing tears apart is not used.
 */
import type { Compress } from '../engine/sqlite/pack-codec.ts';
import { packLimits } from '../engine/sqlite/pack-limits.ts';
import type { StoredLines } from './stored-content.ts';
import type { PreparedPack } from './translated-batch.ts';

/** Fewer are not worth a pack. */
const fewest = 8;

/** Of more entries than one pack holds so many go into one: what is left is then never too little for another. */
const usual = packLimits.entries - fewest;

/** `lines`: what is stored of each draft; `alone`: those that no pack may hold. */
export function entryPacks(lines: StoredLines, alone: ReadonlySet<number>, compress: Compress): readonly PreparedPack[] {
  const packs: PreparedPack[] = [];
  const put = (first: number, behind: number): void => {
    const count = behind - first;
    if (count < fewest) return;
    const plain = lines.between(first, count);
    const { codec, bytes: packed } = compress(plain);
    // What compressing does not make shorter comes back as it is: a part of the lines.
    packs.push({ first, count, codec, size: plain.length, contents: packed === plain ? new Uint8Array(plain) : packed });
  };
  let start = 0;
  for (const end of [...alone, lines.ends.length].toSorted((a, b) => a - b)) {
    let first = start;
    let bytes = 0;
    for (let i = start; i < end; i++) {
      const length = lines.length(i);
      // One that is very long stands alone in a row of its own.
      const isFull = i - first >= usual && end - first > packLimits.entries;
      if (bytes > 0 && (bytes + length > packLimits.bytes || isFull)) {
        put(first, i);
        first = i;
        bytes = 0;
      }
      bytes += length;
    }
    put(first, end);
    start = end + 1;
  }
  return packs;
}

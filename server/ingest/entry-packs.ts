/**
 * The contents of a batch's entries, compressed in packs, for the engine to store as they are. Which entries end up in one
 * conversation is only known when they are placed; a pack that placing tears apart is not used.
 */
import { compress } from '../engine/sqlite/pack-codec.ts';
import { packLimits } from '../engine/sqlite/pack-limits.ts';
import type { StoredLines } from './stored-content.ts';
import type { PreparedPack } from './translated-batch.ts';

/** Fewer are not worth a pack. */
const fewest = 8;

/** `lines`: what is stored of each draft; `alone`: those that no pack may hold. */
export function entryPacks(lines: StoredLines, alone: ReadonlySet<number>): readonly PreparedPack[] {
  const packs: PreparedPack[] = [];
  let first = 0;
  let bytes = 0;
  const end = (behind: number): void => {
    const count = behind - first;
    if (count >= fewest) {
      const plain = lines.between(first, count);
      const { codec, bytes: packed } = compress(plain);
      // What compressing does not make shorter comes back as it is: a part of the lines.
      packs.push({ first, count, codec, size: plain.length, contents: packed === plain ? new Uint8Array(plain) : packed });
    }
    first = behind;
    bytes = 0;
  };
  const entries = lines.ends.length;
  for (let i = 0; i < entries; i++) {
    if (alone.has(i)) {
      end(i);
      first = i + 1;
      continue;
    }
    const length = lines.length(i);
    // One that is very long stands alone in a row of its own.
    if (bytes > 0 && bytes + length > packLimits.bytes) end(i);
    bytes += length;
    if (i + 1 - first === packLimits.entries) end(i + 1);
  }
  end(entries);
  return packs;
}

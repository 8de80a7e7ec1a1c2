/**
 * 64 bits of a name, by which the ledger knows it: MurmurHash3 (x86, 128 bits, seed 0) over its UTF-16 code units, the first half.
 * The values stand in files, so the function never changes. Names are uuids and hashes in many spellings, of which no part is surely
 * random (uuids of version 1 differ in their first half only): all of it counts. Of 10 million names the chance that any two have the
 * same 64 bits is 3 in a million; a cryptographic hash would add nothing, since who writes session files can give a record another one's
 * very name, and it would cost six times as much.
 */
const c1 = 0x239b961b;
const c2 = 0xab0e9789 | 0;
const c3 = 0x38b34ae5;
const c4 = 0xa1e38b93 | 0;

/** The last one that was taken, in the ways that it is needed; taking the next overwrites it. */
export class KeyHash {
  /** Its two halves. */
  readonly words = new Int32Array(2);
  readonly #whole = new BigInt64Array(this.words.buffer);

  /** As SQLite stores it. */
  get value(): bigint {
    return this.#whole[0] ?? 0n;
  }

  take(name: string): this {
    const length = name.length;
    let h1 = 0;
    let h2 = 0;
    let h3 = 0;
    let h4 = 0;
    let at = 0;
    for (; at + 8 <= length; at += 8) {
      h1 ^= Math.imul(turned(Math.imul(pair(name, at), c1), 15), c2);
      h1 = (Math.imul((turned(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
      h2 ^= Math.imul(turned(Math.imul(pair(name, at + 2), c2), 16), c3);
      h2 = (Math.imul((turned(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
      h3 ^= Math.imul(turned(Math.imul(pair(name, at + 4), c3), 17), c4);
      h3 = (Math.imul((turned(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
      h4 ^= Math.imul(turned(Math.imul(pair(name, at + 6), c4), 18), c1);
      h4 = (Math.imul((turned(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
    }
    if (at < length) {
      h1 ^= Math.imul(turned(Math.imul(pair(name, at), c1), 15), c2);
      h2 ^= Math.imul(turned(Math.imul(pair(name, at + 2), c2), 16), c3);
      h3 ^= Math.imul(turned(Math.imul(pair(name, at + 4), c3), 17), c4);
      h4 ^= Math.imul(turned(Math.imul(pair(name, at + 6), c4), 18), c1);
    }
    const bytes = length * 2;
    h1 ^= bytes;
    h2 ^= bytes;
    h3 ^= bytes;
    h4 ^= bytes;
    h1 = (h1 + h2 + h3 + h4) | 0;
    h2 = mixed((h2 + h1) | 0);
    h3 = mixed((h3 + h1) | 0);
    h4 = mixed((h4 + h1) | 0);
    h1 = (mixed(h1) + h2 + h3 + h4) | 0;
    this.words[0] = h1;
    this.words[1] = h2 + h1;
    return this;
  }
}

/** The same name is another one for each owner. One to one for each hash and for each owner below 2^32. */
export function ofOwner(words: Int32Array, owner: number): { readonly low: number; readonly high: number } {
  return { low: (words[0] ?? 0) ^ mixed(owner | 0), high: (words[1] ?? 0) ^ mixed(~owner) };
}

/** Two code units as one word; what lies behind the end is 0. */
function pair(name: string, at: number): number {
  return name.charCodeAt(at) | (name.charCodeAt(at + 1) << 16);
}

function turned(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixed(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

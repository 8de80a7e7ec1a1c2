import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareHashes, hashValue, packPlaces, placeBlocks, placeIn, placesIn, placesInBlock } from './place-block.ts';
import type { HashedPlace } from './place-block.ts';

const int32 = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(0, -1, 1, -(2 ** 31), 2 ** 31 - 1));
const number = fc.oneof(fc.nat(300), fc.nat(2 ** 31), fc.maxSafeNat());
const place = fc.record({
  low: int32,
  high: int32,
  owner: number.map((n) => Math.max(1, n)),
  conversation: number,
  entry: number,
});

function inOrder(places: readonly HashedPlace[]): readonly HashedPlace[] {
  const byHash = new Map(places.map((one) => [hashValue(one), one]));
  return [...byHash.values()].toSorted(compareHashes);
}

test('every place is given back, and found by its hash alone', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 400, size: 'max' }), place, (places, other) => {
      const sorted = inOrder(places);
      const blocks = placeBlocks(sorted);
      expect(blocks.flatMap(({ first, packed }) => placesIn(first, packed).places)).toEqual(sorted);
      expect(blocks.map(({ first }) => first)).toEqual(blocks.map(({ first }) => first).toSorted((a, b) => (a < b ? -1 : 1)));
      for (const one of [...sorted, other]) {
        const block = blocks.findLast(({ first }) => first <= hashValue(one));
        const wanted = sorted.find((known) => compareHashes(known, one) === 0);
        expect(block === undefined ? undefined : placeIn(block.first, block.packed, one)).toEqual(wanted);
      }
      expect(placesIn(7n, packPlaces(places))).toEqual({ places, isDamaged: false });
      for (const [at, block] of blocks.entries())
        expect(placesInBlock(block, blocks[at + 1]?.first)).toEqual({ ...placesIn(block.first, block.packed), isDamaged: false });
    }),
    { seed: 3, numRuns: 60 },
  );
});

test('blocks of many places are full, and none is larger than half a page', () => {
  const places = Array.from({ length: 20_000 }, (_, i) => ({
    high: Math.imul(i + 1, 0x9e3779b1),
    low: Math.imul(i + 7, 0x85ebca6b),
    owner: 1 + (i % 200),
    conversation: 1,
    entry: i,
  }));
  const sorted = inOrder(places);
  const sizes = placeBlocks(sorted).map(({ packed }) => packed.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2020);
  expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeGreaterThan(1980);
  // A row for each took 22 bytes and more.
  expect(sizes.reduce((sum, size) => sum + size, 0) / sorted.length).toBeLessThan(13);
});

test('one place too many makes two halves', () => {
  const places = Array.from({ length: 1000 }, (_, i) => ({ high: i * 2 ** 20, low: i, owner: 1, conversation: 1, entry: 1 }));
  const full = placesIn(0n, packPlaces(places)).places.slice(0, placeBlocks(places)[0] === undefined ? 0 : countOf(places));
  const [a, b, ...more] = placeBlocks([...full, places[full.length]].filter((one) => one !== undefined));
  expect(more).toEqual([]);
  const counts = [a, b].map((block) => (block === undefined ? 0 : placesIn(block.first, block.packed).places.length));
  expect(Math.abs((counts[0] ?? 0) - (counts[1] ?? 0))).toBeLessThanOrEqual(1);
});

function countOf(places: readonly HashedPlace[]): number {
  const [first] = placeBlocks(places);
  return first === undefined ? 0 : placesIn(first.first, first.packed).places.length;
}

test('any bytes are read, and what is cut off gives what stands before the cut', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      place,
      (bytes, first, one) => {
        const { places } = placesIn(first, bytes);
        expect(places.length).toBeLessThanOrEqual(bytes.length);
        expect(places.every(({ owner }) => owner > 0)).toBe(true);
        placeIn(first, bytes, one);
        const values = placesInBlock({ first, packed: bytes }, first + 2n ** 40n).places.map(hashValue);
        expect(values.every((value, at) => value >= (at === 0 ? first : (values[at - 1] ?? value) + 1n))).toBe(true);
        expect(values.every((value) => value < first + 2n ** 40n)).toBe(true);
      },
    ),
    { seed: 5, numRuns: 500 },
  );
  const places = [1, 2, 3].map((n) => ({ high: n, low: 0, owner: n, conversation: 1, entry: 5 }));
  expect(placesIn(0n, packPlaces(places).subarray(0, -1))).toEqual({ places: places.slice(0, 2), isDamaged: true });
});

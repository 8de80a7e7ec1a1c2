import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryKinds } from './kinds.ts';
import { packDocuments, unpackDocuments } from './document-block.ts';
import type { BlockDocument } from './document-block.ts';
import type { EntryKindName } from '../../shuttles/contract/entry.ts';

const farthest = 2e15;
const documents = fc.array(
  fc.record({
    entry: fc.nat({ max: 2 ** 50 }),
    kind: fc.constantFrom(...(Object.keys(entryKinds) as EntryKindName[])),
    at: fc.option(fc.oneof(fc.integer({ min: -farthest, max: farthest }), fc.constantFrom(-farthest, -1, 0, 127, 128, farthest))),
    length: fc.nat({ max: 200_000 }),
  }),
  { maxLength: 70 },
);

test('documents come out of a block as they went in, of every kind and time', () => {
  fc.assert(
    fc.property(documents, fc.constantFrom(0, 1_770_000_000_000), (put, origin) => {
      expect(unpackDocuments(packDocuments(put, origin), origin)).toEqual(put);
    }),
    { seed: 3 },
  );
});

test('of a block that is cut off the documents before the cut are read', () => {
  const put: readonly BlockDocument[] = [3, 400, 70_000].map((entry) => ({
    entry,
    kind: 'user',
    at: 1000 * entry,
    length: entry,
  }));
  const bytes = packDocuments(put, 0);
  for (let length = 0; length <= bytes.length; length++) {
    const read = unpackDocuments(bytes.subarray(0, length), 0);
    expect(put.slice(0, read.length)).toEqual(read);
    expect(read.length === put.length).toBe(length === bytes.length);
  }
});

test('any bytes can be read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(unpackDocuments(bytes, 0).length).toBeLessThanOrEqual(bytes.length);
    }),
    { seed: 5 },
  );
});

test('a document of an ordinary session takes about seven bytes', () => {
  const put: readonly BlockDocument[] = Array.from({ length: 64 }, (_, i) => ({
    entry: 2000 + 2 * i,
    kind: i % 2 === 0 ? 'assistant' : 'tool_result',
    at: 1_770_000_000_000 + i * 4321,
    length: 600,
  }));
  expect(packDocuments(put, 1_770_000_000_000 - 1_800_000).length).toBeLessThan(64 * 8);
});

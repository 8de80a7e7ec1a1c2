/** Versions of a list that grows: each stays what it was, whichever grows on. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingList } from './growing-list.ts';

test('every version keeps its items, whichever of them grows and in whatever order', () => {
  const append = fc.record({ from: fc.nat(), items: fc.array(fc.nat(), { maxLength: 4 }), read: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 5 }), fc.array(append, { maxLength: 40 }), (first, appends) => {
      const versions = [{ list: GrowingList.of(first), items: first }];
      for (const { from, items, read } of appends) {
        const base = versions[from % versions.length];
        if (base === undefined) return;
        const version = { list: base.list.append(items), items: [...base.items, ...items] };
        if (read) expect(version.list.items).toEqual(version.items);
        versions.push(version);
      }
      for (const { list, items } of versions) expect(list.items).toEqual(items);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('what a list was made of is its own', () => {
  const first = [1, 2];
  const list = GrowingList.of(first);
  const more = list.append([3]);
  first.push(9);
  expect([list.items, more.items]).toEqual([
    [1, 2],
    [1, 2, 3],
  ]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heights } from './heights.ts';

test('offsets, rows at a place and the total are those of plain sums, after any changes', () => {
  const change = fc.oneof(
    fc.record({ set: fc.nat({ max: 40 }), height: fc.integer({ min: 0, max: 200 }) }),
    fc.record({ push: fc.integer({ min: 0, max: 200 }) }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 40 }),
      fc.array(change, { maxLength: 200 }),
      fc.nat({ max: 9000 }),
      (start, changes, y) => {
        const plain = [...start];
        const heights = new Heights(start);
        for (const one of changes) {
          if ('push' in one) {
            plain.push(one.push);
            heights.push(one.push);
          } else if (one.set < plain.length) {
            plain[one.set] = one.height;
            heights.set(one.set, one.height);
          } else heights.set(one.set, one.height);
        }
        const offsets = plain.map((_, index) => plain.slice(0, index).reduce((sum, height) => sum + height, 0));
        expect(plain.map((_, index) => heights.offset(index))).toEqual(offsets);
        expect(heights.total).toBe(plain.reduce((sum, height) => sum + height, 0));
        const covering = offsets.findLastIndex((offset) => offset <= y);
        if (plain.length > 0) expect(heights.find(y)).toBe(Math.max(0, covering));
      },
    ),
    { seed: 7, numRuns: 500 },
  );
});

test('a place above the first row is the first row, and an empty list has row 0', () => {
  expect(new Heights([10, 20]).find(-5)).toBe(0);
  expect(new Heights([10, 20]).find(1e9)).toBe(1);
  expect(new Heights([]).find(5)).toBe(0);
});

/** Keys in order while they come and go. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareCodePoints } from '../code-points.ts';
import { OrderedMap } from './ordered-map.ts';

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 3 });

test('text is in the order of its UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 4 }), fc.string({ unit: 'binary', maxLength: 4 }), (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    {
      seed: 8,
      numRuns: 2000,
      examples: [
        ['\uffee', '😀'],
        ['a', 'a\u0000'],
        ['', ''],
      ],
    },
  );
});

test('the next key is right after any additions and removals', () => {
  const step = fc.record({ type: fc.constantFrom('set', 'delete', 'ask'), key: wellFormed });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const [map, model] = [new OrderedMap<number>(), new Map<string, number>()];
      steps.forEach(({ type, key }, i) => {
        if (type === 'set') {
          map.set(key, i);
          model.set(key, i);
        } else if (type === 'delete') {
          map.delete(key);
          model.delete(key);
        } else {
          const inOrder = [...model.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          expect(map.next(key)).toBe(inOrder.find((one) => Buffer.compare(Buffer.from(one), Buffer.from(key)) > 0));
        }
        expect([map.get(key), map.size]).toEqual([model.get(key), model.size]);
      });
    }),
    { seed: 9, numRuns: 300 },
  );
});

test('a key that is set anew between two scans is there once', () => {
  const map = new OrderedMap<number>();
  for (let n = 0; n < 100; n++) map.set(`k${n}`, n);
  expect(map.next('')).toBe('k0');
  for (let n = 0; n < 90; n++) map.delete(`k${n}`);
  map.set('k5', 5);
  const keys: string[] = [];
  for (let key = map.next(''); key !== undefined; key = map.next(key)) keys.push(key);
  expect(keys).toEqual(['k5', ...Array.from({ length: 10 }, (_, i) => `k${90 + i}`)]);
});

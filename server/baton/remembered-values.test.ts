import { expect, test } from 'vitest';
import fc from 'fast-check';
import { RememberedValues, shortestValue } from './remembered-values.ts';

const value = fc.string({ unit: fc.constantFrom('a', 'b', '1', 'é'), minLength: shortestValue, maxLength: 12 });

test('a text holds a value wherever it stands, and no longer when the value is forgotten', () => {
  let held = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(value, { minLength: 1, maxLength: 8 }),
      fc.array(fc.oneof(value, fc.string({ unit: fc.constantFrom('a', 'b', '1', ' '), maxLength: 9 })), { maxLength: 6 }),
      fc.nat(8),
      (values, parts, forgotten) => {
        const remembered = new RememberedValues();
        for (const one of values) remembered.add(one);
        for (const one of values.slice(0, forgotten)) remembered.delete(one);
        const left = values.slice(forgotten);
        const text = [...parts, ...values.slice(0, 2)].join('-').slice(forgotten);
        const isHeld = left.some((one) => text.includes(one));
        if (isHeld) held++;
        expect(remembered.isIn(text)).toBe(isHeld);
      },
    ),
    { seed: 41, numRuns: 4000 },
  );
  expect(held).toBeGreaterThan(200);
});

test('a value that is too short is refused, and nothing is in any text before one is there', () => {
  const remembered = new RememberedValues();
  expect(remembered.isIn('a1b2c3d4e5')).toBe(false);
  expect(() => remembered.add('a1b2')).toThrow('too short');
});

import { expect, test } from 'vitest';
import fc from 'fast-check';
import { literalScan } from './literal-scan.ts';

/** `place:literal` of each that ends there, in order. */
function found(literals: readonly string[], text: string): readonly string[] {
  const { classes, next, shift, firstEnd, ends } = literalScan(literals);
  const out: string[] = [];
  let state = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    state = code < 128 ? next[(state << shift) | classes[code]!]! : 0;
    if (state >= firstEnd) out.push(...ends[state - firstEnd]!.map((index) => `${at + 1}:${index}`));
  }
  return out.toSorted();
}

test('every literal is found at every place, also within another one, whatever its case', () => {
  const literal = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '-'), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'c', 'C', '-', 'x', 'é'), maxLength: 30 });
  fc.assert(
    fc.property(
      fc.uniqueArray(literal, { minLength: 1, maxLength: 6, selector: (one) => one.toLowerCase() }),
      text,
      (literals, made) => {
        const expected: string[] = [];
        for (const [index, one] of literals.entries())
          for (let at = 0; at + one.length <= made.length; at++)
            if (made.slice(at, at + one.length).toLowerCase() === one.toLowerCase()) expected.push(`${at + one.length}:${index}`);
        expect(found(literals, made)).toEqual(expected.toSorted());
      },
    ),
    { seed: 42, numRuns: 1500 },
  );
});

test('a literal in other letters is refused', () => {
  expect(() => literalScan(['é'])).toThrow('ASCII');
});

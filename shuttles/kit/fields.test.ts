import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import {
  arr,
  asObject,
  at,
  bool,
  count,
  field,
  filled,
  isoTime,
  num,
  obj,
  objects,
  oneLine,
  parseJson,
  parseObject,
  str,
  strings,
} from './fields.ts';

const row: JsonObject = {
  a: 'x',
  n: 1.5,
  c: 3,
  t: false,
  o: { p: { q: 'deep' } },
  l: [1, 'two', { three: 3 }, null],
  nil: null,
  blank: ' ',
};

test('a field of the right type is given', () => {
  expect(str(row, 'a')).toBe('x');
  expect(num(row, 'n')).toBe(1.5);
  expect(count(row, 'c')).toBe(3);
  expect(bool(row, 't')).toBe(false);
  expect(obj(row, 'o')).toEqual({ p: { q: 'deep' } });
  expect(arr(row, 'l')).toHaveLength(4);
  expect(at(row, 'o', 'p', 'q')).toBe('deep');
  expect(objects(row, 'l')).toEqual([{ three: 3 }]);
  expect(strings(row, 'l')).toEqual(['two']);
});

test('a field that is absent or of another type is undefined, and a list is no object', () => {
  expect(str(row, 'n')).toBeUndefined();
  expect(str(undefined, 'a')).toBeUndefined();
  expect(num(row, 'a')).toBeUndefined();
  expect(count(row, 'n')).toBeUndefined();
  expect(count({ c: -1 }, 'c')).toBeUndefined();
  expect(bool(row, 'nil')).toBeUndefined();
  expect(obj(row, 'l')).toBeUndefined();
  expect(arr(row, 'o')).toBeUndefined();
  expect(asObject(null)).toBeUndefined();
  expect(asObject([])).toBeUndefined();
  expect(filled(row, 'blank')).toBeUndefined();
  expect(at(row, 'a', 'p')).toBeUndefined();
  expect(objects(row, 'a')).toEqual([]);
});

test('names of the object prototype are ordinary names', () => {
  expect(field({}, 'constructor')).toBeUndefined();
  expect(obj({}, '__proto__')).toBeUndefined();
  expect(obj(parseObject('{"__proto__":{"a":1}}'), '__proto__')).toEqual({ a: 1 });
});

test('text that is no JSON is undefined', () => {
  expect(parseJson('{')).toBeUndefined();
  expect(parseObject('[1]')).toBeUndefined();
  expect(parseObject('\uFEFF{"a":1}')).toEqual({ a: 1 });
});

test.each([
  ['2026-09-10T09:00:00.000Z', Date.UTC(2026, 8, 10, 9)],
  ['2026-09-10T09:00:00.123456789Z', Date.UTC(2026, 8, 10, 9, 0, 0, 123)],
  ['2026-09-10T11:00:00+02:00', Date.UTC(2026, 8, 10, 9)],
  ['2026-09-10T04:30:00-0430', Date.UTC(2026, 8, 10, 9)],
  ['2026-09-10 09:00:00', Date.UTC(2026, 8, 10, 9)],
  ['2026-09-10', Date.UTC(2026, 8, 10)],
  [1_789_030_800, 1_789_030_800_000],
  [1_789_030_800_123, 1_789_030_800_123],
  [1_789_030_800_123_456, 1_789_030_800_123],
  ['1789030800', 1_789_030_800_000],
  [1_789_030_800.5, 1_789_030_800_500],
])('the time %s is read', (value, expected) => {
  expect(isoTime(value)).toBe(expected);
});

test.each([
  [null],
  [undefined],
  [true],
  [''],
  ['yesterday'],
  ['2026-02-31T00:00:00Z'],
  ['2026-13-01'],
  ['2026-09-10T99:00:00Z'],
  [0],
  [-5],
  [1e300],
  [{}],
  ['+275760-09-13'],
])('what is no time (%s) is null', (value) => {
  expect(isoTime(value)).toBeNull();
});

test('every time that a Date writes is read back, whatever the zone of the machine', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(Date.UTC(1971, 0, 2)), max: new Date(Date.UTC(9999, 0, 1)), noInvalidDate: true }),
      (date) => {
        expect(isoTime(date.toISOString())).toBe(date.getTime());
      },
    ),
    { seed: 11, numRuns: 300 },
  );
});

test('the usual form is read like any other, and what only looks like it is no time', () => {
  const digit = fc
    .integer({ min: 0, max: 19 })
    .map((n) => (n < 10 ? String(n) : ['-', ':', '.', 'T', 'Z', ' ', 'x', '/', ';', '0'][n - 10]));
  const digits = (length: number) => fc.array(digit, { minLength: length, maxLength: length }).map((all) => all.join(''));
  const text = fc
    .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(3))
    .map(([y, m, d, h, i, s, ms]) => `${y}-${m}-${d}T${h}:${i}:${s}.${ms}Z`);
  // With a space before it, it is taken the long way.
  fc.assert(
    fc.property(text, (written) => {
      expect(isoTime(written)).toBe(isoTime(` ${written}`));
    }),
    { seed: 12, numRuns: 2000 },
  );
  for (const edge of [
    '2024-02-29T23:59:59.999Z',
    '2023-02-29T00:00:00.000Z',
    '2026-12-31T24:00:00.000Z',
    '1970-06-01T00:00:00.000Z',
  ])
    expect(isoTime(edge)).toBe(isoTime(` ${edge}`));
});

test('a title is one line without colours, controls and direction marks', () => {
  expect(oneLine('  fix\n\tthe \u001B[31mred\u001B[0m\u0000 test\u202E ', 80)).toBe('fix the red test');
  expect(oneLine('\u001B]0;window\u0007name', 80)).toBe('name');
});

test('a long title is cut between whole characters and says so', () => {
  expect(oneLine('🚢🚢🚢🚢', 3)).toBe('🚢🚢…');
  expect(oneLine('abc', 3)).toBe('abc');
  expect(oneLine('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
});

test('a title never holds a line break, a lone surrogate or more than its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
      const line = oneLine(text, max);
      expect(Array.from(line).length).toBeLessThanOrEqual(max);
      expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(line.isWellFormed()).toBe(true);
      expect(oneLine(line, max)).toBe(line);
    }),
    { seed: 12, numRuns: 500 },
  );
});

import { expect, test } from 'vitest';
import { clock, firstDay, newDay, until } from './times.ts';

const noon = new Date(2026, 2, 5, 12).getTime();
const hour = 3_600_000;

test('a day is named where it begins, and only there', () => {
  expect(newDay(noon, noon + hour)).toBe('');
  expect(newDay(noon, noon + 24 * hour)).toMatch(/2026/u);
});

test('the first row says its day unless that is today', () => {
  expect(firstDay(noon, noon + hour)).toBe('');
  expect(firstDay(noon, noon + 96 * hour)).toBe(newDay(noon - 96 * hour, noon));
  expect(firstDay(noon, noon + 96 * hour)).toMatch(/2026/u);
});

test('a time that is none is not shown', () => {
  for (const at of [null, 0, -1, Number.NaN, 1e300]) {
    expect(clock(at)).toBe('');
    expect(firstDay(at, noon)).toBe('');
  }
});

test('an end on the same day is told by the clock, another one with its date', () => {
  expect(until(noon + hour, noon)).toBe(clock(noon + hour));
  expect(until(noon + 48 * hour, noon)).toMatch(/2026.*12/u);
  expect(until(noon, null)).toMatch(/2026/u);
  expect(until(Number.NaN, noon)).toBe('');
});

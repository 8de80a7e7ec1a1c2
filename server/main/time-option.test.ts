import { expect, test } from 'vitest';
import { timeOption } from './time-option.ts';

const now = Date.parse('2026-03-10T12:00:00Z');
function read(text: string | undefined, end = false): number | undefined | { readonly usage: string } {
  return timeOption({ command: 'search', positionals: [], options: { since: text } }, 'since', now, end);
}

test('a time is how long ago, a day of this machine, or a moment', () => {
  expect(read(undefined)).toBeUndefined();
  expect(read('30m')).toBe(now - 1_800_000);
  expect(read('12h')).toBe(now - 43_200_000);
  expect(read('7d')).toBe(now - 604_800_000);
  expect(read('2w')).toBe(now - 1_209_600_000);
  expect(read('2026-03-01')).toBe(new Date(2026, 2, 1).getTime());
  expect(read('2026-03-01T14:30:00Z')).toBe(Date.parse('2026-03-01T14:30:00Z'));
  expect(read('2026-03-01 14:30')).toBe(new Date(2026, 2, 1, 14, 30).getTime());
});

test('a day that something lasts until is in it as a whole', () => {
  expect(read('2026-02-28', true)).toBe(new Date(2026, 2, 1).getTime());
  expect(read('2026-12-31', true)).toBe(new Date(2027, 0, 1).getTime());
});

test('what is no time is wrong usage', () => {
  for (const text of ['', 'yesterday', '7', '7y', '-7d', '2026-02-30', '2026-13-01', '2026-3-1', '1e9', '2026-03-01T99:00'])
    expect(read(text), text).toMatchObject({ usage: expect.stringContaining('--since takes') as string });
});

import { expect, test } from 'vitest';
import { age, bytes, counted, duration, grouped, tokens } from './amounts.ts';

test('ages grow from seconds to years, and the future is now', () => {
  const now = 1_800_000_000_000;
  const ago = (seconds: number): string => age(now - seconds * 1000, now);
  expect([
    ago(-50),
    ago(3),
    ago(12),
    ago(180),
    ago(4 * 3600),
    ago(2 * 86_400),
    ago(30 * 86_400),
    ago(200 * 86_400),
    ago(800 * 86_400),
  ]).toEqual(['now', 'now', '12 s', '3 min', '4 h', '2 d', '4 wk', '6 mo', '2 y']);
});

test('durations say what a person would say', () => {
  expect([40, 100, 8200, 41_000, 120_000, 123_000, 3_840_000].map(duration)).toEqual([
    '40 ms',
    '0.1 s',
    '8.2 s',
    '41 s',
    '2 min',
    '2 min 3 s',
    '1 h 4 min',
  ]);
});

test('bytes never show a thousand of a unit', () => {
  expect([1, 812, 5140, 999_499, 999_999, 12_000_000].map(bytes)).toEqual([
    '1 byte',
    '812 bytes',
    '5.1 KB',
    '999 KB',
    '1.0 MB',
    '12 MB',
  ]);
});

test('counts have their plural and their thousands', () => {
  expect([counted(1, 'turn'), counted(0, 'turn'), counted(1204, 'entry', 'entries'), grouped(1_234_567)]).toEqual([
    '1 turn',
    '0 turns',
    '1,204 entries',
    '1,234,567',
  ]);
  expect([tokens(812), tokens(5100), tokens(48_000), tokens(1_250_000)]).toEqual(['812', '5.1k', '48k', '1.3M']);
});

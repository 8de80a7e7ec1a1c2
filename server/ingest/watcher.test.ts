import { expect, test } from 'vitest';
import { pauseAfter } from './watcher.ts';

test('the pause after a sweep follows its cost, within two seconds and a minute', () => {
  expect(pauseAfter(0)).toBe(2000);
  expect(pauseAfter(30)).toBe(2000);
  expect(pauseAfter(500)).toBe(10_000);
  expect(pauseAfter(1e9)).toBe(60_000);
});

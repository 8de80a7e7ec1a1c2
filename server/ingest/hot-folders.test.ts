import { expect, test } from 'vitest';
import { HotFolders } from './hot-folders.ts';

test('the folders that were written last are hot, however many there are', () => {
  const hot = new HotFolders(3);
  for (let i = 0; i < 1000; i++) hot.written(`p${i}`, i, 5000);
  hot.written('p10', 2000, 5000);
  expect(hot.all()).toEqual(['p10', 'p999', 'p998']);
  // What comes out of order (an import reads the newest first) changes nothing.
  hot.written('p999', 5, 5000);
  expect(hot.all()[1]).toBe('p999');
});

test('a folder of the future, from before a clock was set back, is not hot for ever', () => {
  const hot = new HotFolders(2);
  hot.written('future', 9_000_000, 1000);
  hot.written('a', 1500, 2000);
  hot.written('b', 1600, 2000);
  expect(hot.all()).toEqual(['b', 'a']);
});

import { expect, test } from 'vitest';
import { RecentTrees } from './recent-trees.ts';

test('what was needed last is kept, up to a bound of bytes', () => {
  const trees = new RecentTrees();
  const content = (n: number): Buffer => Buffer.alloc(1024, n);
  for (let n = 0; n < 256; n++) trees.add(`id ${n}`, content(n));
  expect(trees.get('id 0')).toEqual(content(0));
  for (let n = 256; n < 300; n++) trees.add(`id ${n}`, content(n));
  const kept = Array.from({ length: 300 }, (_, n) => n).filter((n) => trees.get(`id ${n}`) !== undefined);
  expect(kept).toEqual([0, ...Array.from({ length: 255 }, (_, n) => n + 45)]);
  expect(trees.get('id 299')).toEqual(content(299));
});

test('one that is too large is not kept, and takes nothing away; one that is added twice counts once', () => {
  const trees = new RecentTrees();
  for (let n = 0; n < 300; n++) trees.add('small', Buffer.alloc(1024));
  trees.add('other', Buffer.alloc(200 * 1024));
  trees.add('large', Buffer.alloc(256 * 1024 + 1));
  expect(['small', 'other', 'large'].map((id) => trees.get(id)?.length)).toEqual([1024, 200 * 1024, undefined]);
});

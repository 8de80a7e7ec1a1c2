import { expect, test } from 'vitest';
import { fileChange } from './changes.ts';

const call = { id: 'c', name: 'edit', path: 'a.ts' };

test('a patch of 1.x is kept from its first hunk on', () => {
  const patch = '--- a.ts\n+++ a.ts\n@@ -1,1 +1,2 @@\n-one\n+uno\n+dos\n';
  expect(fileChange(call, { patch, diff: 'ignored' })).toEqual({
    path: 'a.ts',
    change: 'update',
    added: 2,
    removed: 1,
    diff: '@@ -1,1 +1,2 @@\n-one\n+uno\n+dos\n',
  });
});

test('a diff with line numbers becomes hunks, whose starts and lengths fit', () => {
  const diff = ['    ...', '  9 same', '-10 old', '+10 new', '+11 more', ' 11 same too', '    ...', ' 98 far', '-99 gone'].join(
    '\n',
  );
  expect(fileChange(call, { diff })).toMatchObject({
    added: 2,
    removed: 2,
    diff: '@@ -9,3 +9,4 @@\n same\n-old\n+new\n+more\n same too\n@@ -98,2 +99,1 @@\n far\n-gone\n',
  });
});

test('a file that was written has its number of lines, and no diff of what nobody recorded', () => {
  expect(fileChange({ id: 'c', name: 'write', path: 'b.txt', lines: 3 }, undefined)).toEqual({
    path: 'b.txt',
    change: 'update',
    added: 3,
    removed: 0,
  });
  expect(fileChange(call, undefined)).toBeUndefined();
  expect(fileChange(undefined, { diff: '+1 x' })).toBeUndefined();
});

import { expect, test } from 'vitest';
import { changesOf, patchFiles } from './changes.ts';

test('file changes of the UI log become unified diffs with counts', () => {
  const changes = {
    'a.js': { type: 'update', unified_diff: '--- a\n+++ b\n@@ -1 +1,2 @@\n a\n+b\n', move_path: null },
    'b.js': { type: 'add', content: 'one\ntwo' },
    'c.js': { type: 'delete', content: 'gone\n' },
    'd.js': { type: 'update', unified_diff: '@@ -1 +1 @@\n-x\n+y\n', move_path: 'e.js' },
    'f.js': { add: { content: 'old form\n' } },
    odd: 'junk',
  };
  expect(changesOf({ changes })).toEqual([
    { path: 'a.js', change: 'update', added: 1, removed: 0, diff: '@@ -1 +1,2 @@\n a\n+b\n' },
    { path: 'b.js', change: 'add', added: 2, removed: 0, diff: '@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file' },
    { path: 'c.js', change: 'delete', added: 0, removed: 1, diff: '@@ -1,1 +0,0 @@\n-gone' },
    { path: 'd.js', change: 'move', movedTo: 'e.js', added: 1, removed: 1, diff: '@@ -1 +1 @@\n-x\n+y\n' },
    { path: 'f.js', change: 'add', added: 1, removed: 0, diff: '@@ -0,0 +1,1 @@\n+old form' },
  ]);
});

test('a huge diff is left out, its counts are right', () => {
  const content = 'x\n'.repeat(200_000);
  expect(changesOf({ changes: { big: { type: 'add', content } } })).toEqual([
    { path: 'big', change: 'add', added: 200_000, removed: 0 },
  ]);
});

test('the files of a patch are known from its text', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: price.js',
    '*** Move to: cost.js',
    '@@',
    ' a',
    '-b',
    '+c',
    '+d',
    '*** Add File: new.js\r',
    '+x',
    '*** Delete File: old.js',
    '*** End Patch',
  ].join('\n');
  expect(patchFiles(patch)).toEqual([
    { path: 'price.js', change: 'move', movedTo: 'cost.js', added: 2, removed: 1 },
    { path: 'new.js', change: 'add', added: 1, removed: 0 },
    { path: 'old.js', change: 'delete', added: 0, removed: 0 },
  ]);
  expect(patchFiles('')).toEqual([]);
});

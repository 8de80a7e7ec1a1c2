import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.ts';

test('each line has its number in the file that it is in', () => {
  const lines = diffLines(
    '@@ -38,2 +38,3 @@ pay\n same\n-old\n+new\n+more\n\\ No newline at end of file\n@@ -90 +91 @@\n-x\n+y\n',
  );
  expect(lines.map((line) => `${line.kind} ${line.before ?? '-'} ${line.after ?? '-'} ${line.text}`)).toEqual([
    'hunk - - @@ -38,2 +38,3 @@ pay',
    'same 38 38 same',
    'removed 39 - old',
    'added - 39 new',
    'added - 40 more',
    'note - - No newline at end of file',
    'hunk - - @@ -90 +91 @@',
    'removed 90 - x',
    'added - 91 y',
  ]);
});

test('a diff without line numbers is shown without them', () => {
  expect(diffLines('@@\n-a\n+b').map((line) => [line.kind, line.before, line.after])).toEqual([
    ['hunk', null, null],
    ['removed', null, null],
    ['added', null, null],
  ]);
  expect(diffLines('')).toEqual([]);
});

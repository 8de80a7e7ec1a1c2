import { expect, test } from 'vitest';
import { indexOf } from './row-index.ts';
import { assistant, call, prompt, setting } from './sample-entries.ts';
import { Transcript } from './transcript.ts';

test('a row is found by its key among the rows of one entry', () => {
  const transcript = new Transcript();
  transcript.append([prompt(1, 'a'), assistant(2, { text: 'x', calls: [call('a'), call('b')] }), prompt(3, 'b')]);
  expect(transcript.rows.map((row) => indexOf(transcript.rows, { key: row.key, entry: row.entries[0]?.id ?? 0 }))).toEqual([
    0, 1, 2, 3, 4,
  ]);
});

test('a row that was joined into an older one is found in that one', () => {
  const transcript = new Transcript();
  transcript.append([setting(5, 'model', 'x'), prompt(6, 'a')]);
  const anchor = { key: 'm5', entry: 5 };
  transcript.prepend([prompt(3, 'z'), setting(4, 'mode', 'y')]);
  expect(indexOf(transcript.rows, anchor)).toBe(1);
});

test('of a row that is gone, the nearest one before it is meant', () => {
  const transcript = new Transcript();
  transcript.append([prompt(1, 'a'), prompt(5, 'b'), prompt(9, 'c')]);
  expect([0, 3, 6, 99].map((entry) => indexOf(transcript.rows, { key: '', entry }))).toEqual([0, 0, 1, 2]);
  expect(indexOf([], { key: '', entry: 3 })).toBe(0);
});

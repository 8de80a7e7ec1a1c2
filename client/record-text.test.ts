import { expect, test } from 'vitest';
import { decodeEntryPlace, recordText } from './record-text.ts';

test('the entry that a menu was opened on is taken from its context, and from nothing else', () => {
  expect(decodeEntryPlace({ webviewSection: 'entry', thread: 't1', entry: 7 })).toEqual({ thread: 't1', entry: 7 });
  const broken = [
    undefined,
    null,
    'x',
    {},
    { thread: 't1' },
    { thread: '', entry: 1 },
    { thread: 't1', entry: 0 },
    { thread: 't1', entry: '7' },
  ];
  expect(broken.map(decodeEntryPlace)).toEqual(broken.map(() => undefined));
});

test('a record that is JSON is shown on lines of its own, and damaged bytes as they are', () => {
  expect(recordText('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  expect(recordText('{"torn')).toBe('{"torn');
});

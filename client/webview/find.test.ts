import { expect, test } from 'vitest';
import { answered, findWords, noFind, sought, stepped } from './find.ts';

const hit = (entry: number): { entry: number; conversation: number } => ({ entry, conversation: 1 });

test('finding begins at the first hit at or after what is being looked at, and goes around', () => {
  const find = answered({ ...noFind, words: 'pay' }, 'pay', [hit(30), hit(10), hit(20)], null, 15);
  expect(find.hits?.map((one) => one.entry)).toEqual([10, 20, 30]);
  expect(findWords(find)).toBe('2 of 3');
  expect(findWords(stepped(stepped(find, 1), 1))).toBe('1 of 3');
  expect(findWords(stepped(stepped(find, -1), -1))).toBe('3 of 3');
});

test('below the last hit, finding begins at that one', () => {
  expect(answered({ ...noFind, words: 'pay' }, 'pay', [hit(10), hit(20)], null, 99).at).toBe(1);
});

test('the answer to an older question is ignored', () => {
  expect(answered({ ...noFind, words: 'payment' }, 'pay', [hit(1)], null, 0).hits).toBeNull();
});

test('an empty answer says why, if the server did', () => {
  expect(findWords(answered({ ...noFind, words: '"' }, '"', [], 'Only operators.', 0))).toBe('Only operators.');
  expect(findWords(answered({ ...noFind, words: 'x' }, 'x', [], null, 0))).toBe('nothing found');
  expect(stepped(noFind, 1)).toBe(noFind);
});

test('operators and punctuation of a query are not marked in the text', () => {
  expect(sought('"double charge" OR pay* NOT naïve')).toEqual(['double', 'charge', 'pay', 'naïve']);
});

import { expect, test } from 'vitest';
import { oneLine } from '../../shuttles/kit/fields.ts';
import { titleLength } from '../../shuttles/kit/title.ts';
import { withoutCutWord } from './cut-title.ts';

test('the rest of a word that a cut went through goes when it may be of a secret', () => {
  const key = 'gsk_Ab3dEf7hIj9kLmNoP1qRs5uVwXyZ';
  for (let shown = 7; shown < key.length; shown++) {
    const title = oneLine(`${'x'.repeat(titleLength - shown - 2)} ${key} and more`, titleLength);
    expect(title).toHaveLength(titleLength);
    expect(withoutCutWord(title)).toBe(`${'x'.repeat(titleLength - shown - 2)} …`);
  }
});

test.each(['postgres://app:verysecretpass…', 'redis://:words-alone…', 'git+ssh://deploy:p…'])('%j goes', (word) => {
  expect(withoutCutWord(`Connect to ${word}`)).toBe('Connect to …');
});

test.each([
  '',
  'See https://example.invalid/a/b:c…',
  '…',
  'Fix it',
  'Fix the cart2',
  'Fix the car…',
  'Look at the well-known «masked:key:ab12»…',
  '購物車的總額不…',
  'a1 b…',
])('%j stays', (title) => {
  expect(withoutCutWord(title)).toBe(title);
});

test('what has no blank keeps its other letters', () => {
  expect(withoutCutWord('密码是abc123…')).toBe('密码是…');
  expect(withoutCutWord('k9…')).toBe('…');
});

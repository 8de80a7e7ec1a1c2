import { expect, test } from 'vitest';
import { inputText } from './input-text.ts';

test('values stand behind their names, and a text of several lines below its own', () => {
  expect(inputText(JSON.stringify({ path: 'a.ts', limit: 3, edits: [{ old: 'x' }], content: 'one\ntwo\n' }, null, 2))).toBe(
    'path: a.ts\nlimit: 3\nedits:\n  [\n    {\n      "old": "x"\n    }\n  ]\ncontent:\n  one\n  two',
  );
});

test('an input that was cut, a list and a bare text stay as they are', () => {
  for (const input of ['{\n  "content": "cut he…', '[1, 2]', '"x"', 'null', '']) expect(inputText(input)).toBe(input);
  expect(inputText('{}')).toBe('');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ansiPieces, withoutAnsi } from './ansi.ts';

const drawn = (text: string): readonly string[] => ansiPieces(text).map((piece) => [piece.text, ...piece.classes].join('|'));

test('colours and weights begin and end where the program said', () => {
  expect(drawn('a \u001b[1;31mred\u001b[22m thin\u001b[0m b')).toEqual(['a ', 'red|fg-1|bold', ' thin|fg-1', ' b']);
  expect(drawn('\u001b[97;41mx\u001b[39my\u001b[49mz')).toEqual(['x|fg-15|bg-1', 'y|bg-1', 'z']);
  expect(drawn('\u001b[mx\u001b[1mx\u001b[mx')).toEqual(['x', 'x|bold', 'x']);
});

test('256 colours and direct colours become the nearest of the theme', () => {
  expect(drawn('\u001b[38;5;196mred\u001b[38;2;10;10;250mblue\u001b[38;5;244mgrey\u001b[38:5:2mgreen')).toEqual([
    'red|fg-9',
    'blue|fg-12',
    'grey|fg-8',
    'green|fg-2',
  ]);
});

test('nothing but colour comes through: no cursor, title, link or clipboard', () => {
  expect(
    withoutAnsi(
      '\u001b[2J\u001b[H\u001b]0;title\u0007\u001b]8;;javascript:x\u001b\\link\u001b]8;;\u001b\\\u001b]52;c;eA==\u0007\u001b(B\u001bc\u009b31m.',
    ),
  ).toBe('link.');
  expect(withoutAnsi('\u001b]never ends\nnext')).toBe('\nnext');
  expect(withoutAnsi('a\u001b[')).toBe('a');
});

test('of a line that is written over and over, the last state stays', () => {
  expect(withoutAnsi('10%\r50%\r100%\nnext\r\nlast\r')).toBe('100%\nnext\nlast');
});

test('the pieces are the text, whatever the text is', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('\u001b[', '\u001b[31m', '\u001b]', '\u0007', '\u001b', '38;5;', 'm', '\r', '\n'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const pieces = ansiPieces(text);
      const all = pieces.map((piece) => piece.text).join('');
      expect(all).toBe(withoutAnsi(text));
      for (const char of all) expect(char === '\n' || char === '\t' || char.charCodeAt(0) >= 0x20).toBe(true);
      for (const name of pieces.flatMap((piece) => piece.classes))
        expect(name).toMatch(/^(?:fg-\d\d?|bg-\d\d?|bold|dim|italic|underline|inverse|struck)$/u);
    }),
    { seed: 11, numRuns: 1000 },
  );
});

test('a long output with many sequences does not take long', () => {
  const text = '\u001b[31m'.repeat(50_000) + '\u001b]'.repeat(20_000);
  const begun = performance.now();
  ansiPieces(text);
  expect(performance.now() - begun).toBeLessThan(2000);
});

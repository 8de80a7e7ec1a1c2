import { expect, test } from 'vitest';
import fc from 'fast-check';
import { cleanText, clip, clipMiddle } from './clean-text.ts';

test('terminal control goes, the words stay', () => {
  expect(
    cleanText('\u001b[1;31mFAIL\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 \u001b]0;title\u001b\\done\u0007'),
  ).toBe('FAIL link done');
});

test('marks that reorder or hide text go, letters of every script stay', () => {
  expect(cleanText('a\u202eb\u2066c\u200bd\u{e0041}e\ufefff שלום 日本 é 👩‍💻')).toBe('abcdef שלום 日本 é 👩‍💻');
});

test('every kind of line end becomes a line feed', () => {
  expect(cleanText('a\r\nb\rc\u2028d\u0085e\u000bf')).toBe('a\nb\nc\nd\ne\nf');
});

test('a cut never splits a pair of surrogates or a mark', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('👍', 'a', ' ', '«masked:key:ab12»', 'é'), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 40, max: 120 }),
      (parts, limit) => {
        const text = parts.join('');
        for (const cut of [clip(text, limit), clipMiddle(text, limit)]) {
          expect(cleanText(cut)).toBe(cut);
          expect(cut.replaceAll('«masked:key:ab12»', '')).not.toMatch(/[«»]/);
        }
      },
    ),
    { seed: 7, numRuns: 2000 },
  );
});

test('every character by itself: how many go, become a line feed, or the mark of half a pair', () => {
  const met: Record<string, number> = {};
  for (let code = 0; code < 65_536; code++) {
    const character = String.fromCharCode(code);
    const cleaned = cleanText(`a${character}b`).slice(1, -1);
    const what = cleaned === character ? 'stays' : JSON.stringify(cleaned);
    met[what] = (met[what] ?? 0) + 1;
  }
  expect(met).toEqual({ stays: 63_377, '""': 105, '"\\n"': 6, '"\ufffd"': 2048 });
});

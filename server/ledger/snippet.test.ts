import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryTerms } from './search-query.ts';
import { Snippets } from './snippet.ts';

/** Marks as brackets. */
function shown(text: string, words: string): string {
  return new Snippets(queryTerms(words)).of(text).text.replaceAll('\ue000', '[').replaceAll('\ue001', ']');
}

test('a snippet marks what was found and nothing that the text itself marked', () => {
  expect(shown('before \ue000fake\ue001 needle after', 'needle')).toBe('before fake [needle] after');
  const long = shown(`${'x '.repeat(500)}needle${' y'.repeat(500)}`, 'needle');
  expect(long.length).toBeLessThan(220);
  expect(long).toContain('[needle]');
});

test('terms are marked as the index finds them: at the beginning of words, without accents and cases, every time', () => {
  expect(shown('That hat, a HAT and Hats', 'hat')).toBe('That [hat], a [HAT] and [Hat]s');
  expect(shown('un café crème', 'cafe')).toBe('un [café] crème');
  expect(shown('un cafe\u0301 crème', 'café')).toBe('un [cafe\u0301] crème');
  expect(shown('İstanbul, then needle', 'needle')).toBe('İstanbul, then [needle]');
  expect(shown('call chargeCustomer() now', 'customer')).toBe('call charge[Customer]() now');
  expect(shown('in src/checkout-form.ts:42', 'checkout-form.ts')).toBe('in src/[checkout-form.ts]:42');
  expect(shown('the "double  charge" of it', '"double charge"')).toBe('the "[double charge]" of it');
});

test('the text is shown as it was written, never as the index has it', () => {
  expect(shown('使用API接口v2版本的错误', '接口v2')).toBe('使用API[接口v2]版本的错误');
  expect(shown('결제가 두 번 청구됩니다', '청구')).toBe('결제가 두 번 [청구]됩니다');
  expect(shown('결제'.normalize('NFD'), '결제')).toBe(`[${'결제'.normalize('NFD')}]`);
});

test('the piece is the one with the most terms', () => {
  const text = `alpha ${'x '.repeat(300)} alpha near beta ${'y '.repeat(300)} beta`;
  expect(shown(text, 'alpha beta')).toContain('[alpha] near [beta]');
  expect(new Snippets(queryTerms('alpha beta')).of(text)).toMatchObject({ coverage: 1, counts: [2, 2] });
});

test('without its marks a snippet is a part of the text, whatever the text and the query', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '接口',
      'é',
      'e\u0301',
      'İ',
      'ß',
      '𠮷',
      '\ue000',
      '\ue001',
      ' ',
      '\n',
      'ﾃﾞ',
      'Word',
      'ﬁ',
      '각'.normalize('NFD'),
    ),
  );
  const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.array(piece, { maxLength: 3 }), (written, words) => {
      const { text: snippet } = new Snippets(queryTerms(words.join(' '))).of(written);
      const plain = (part: string): string => part.replaceAll(/[\ue000\ue001]/gu, '').replace(/\s+/gu, ' ');
      const inner = plain(snippet.replace(/^…/u, '').replace(/…$/u, ''));
      expect(plain(written)).toContain(inner);
      expect(snippet.split('\ue000').length).toBe(snippet.split('\ue001').length);
    }),
    { seed: 5, numRuns: 600 },
  );
});

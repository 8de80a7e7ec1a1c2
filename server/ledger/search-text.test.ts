import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { innerWords } from './search-forms.ts';
import { matchExpression, queryTerms } from './search-query.ts';
import { foundText, indexedText } from './search-text.ts';

/** The index with one text in it, over the tokenizer that the ledger has. */
class OneText implements Disposable {
  readonly #db = new Sqlite(':memory:');
  constructor() {
    this.#db.exec(
      `CREATE VIRTUAL TABLE search USING fts5 (body, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2")`,
    );
  }
  finds(text: string, words: string): boolean {
    this.#db.prepare('DELETE FROM search WHERE rowid = 1').run();
    this.#db.prepare('INSERT INTO search (rowid, body) VALUES (1, ?)').run(indexedText(text));
    const terms = queryTerms(words);
    const count = this.#db.prepare('SELECT count(*) FROM search WHERE search MATCH ?').pluck();
    return terms.length > 0 && count.get(matchExpression(terms, false)) === 1;
  }
  [Symbol.dispose](): void {
    this.#db.close();
  }
}

test('words, phrases, paths, names and codes are found, whole and by their beginning', () => {
  using index = new OneText();
  const text = `npm ERR! code ELIFECYCLE in src/checkout-form.ts:42 at chargeCustomer(): "double charge" (HTTP 409), error[E0382],
    TS2322 and ERR_MODULE_NOT_FOUND in C:\\Users\\dev\\shop; retry_count=3 app.config.maxRetries v2.14.1 8bbf9b3c41aa 0x7fff5a
    C++ node:sqlite https://shop.invalid/?q=1&r=2 @name #tag 50% Café ＡＢＣ XMLHttpRequest`;
  for (const words of [
    'ELIFECYCLE',
    'elife',
    'src/checkout-form.ts',
    'src/checkout-form.ts:42',
    'checkout-form.ts',
    'src/check',
    'chargeCustomer',
    'chargeCustomer()',
    'chargeCust',
    'customer',
    '"double charge"',
    'elifecycle charge',
    '409',
    'E0382',
    'error[E0382]',
    'ts2322',
    'ERR_MODULE_NOT_FOUND',
    'MODULE_NOT',
    'C:\\Users\\dev',
    'retry_count=3',
    'retry_count',
    'app.config.maxRetries',
    'config.max',
    'retries',
    'v2.14.1',
    '2.14.1',
    '2.14',
    '8bbf9b3',
    '0x7fff5a',
    'C++',
    'node:sqlite',
    'https://shop.invalid/?q=1&r=2',
    '@name',
    '#tag',
    '50%',
    'cafe',
    'CAFÉ',
    'abc',
    'ＡＢＣ',
    'httpRequest',
    'request',
    'elif*',
  ])
    expect(index.finds(text, words), words).toBe(true);
  for (const words of [
    '"charge double"',
    'refund',
    'ELIFECYCLE refund',
    'chargeCust()',
    '"chargeCust"',
    'lifecycle',
    '2.15',
    'E038(',
  ])
    expect(index.finds(text, words), words).toBe(false);
});

test('Chinese, Japanese and Korean are found by every part of a run from one sign on, and by none that is not there', () => {
  using index = new OneText();
  const text = '港口の船に名前をつける。결제가 두 번 청구됩니다。使用API接口v2版本的错误。第3章「入力」';
  const parts = [
    '港口',
    '口の',
    '船',
    'つける',
    'ける',
    'る',
    '名前を',
    '청구',
    '결제',
    '니다',
    '다',
    'API接口',
    'API接',
    '接口v2',
    '口v2版',
  ];
  for (const words of [...parts, '用API接口v2版本', '版本的', '错误', '第3章', '3章', '入力', '"入力"', '名前 接口', 'api 错误'])
    expect(index.finds(text, words), words).toBe(true);
  for (const words of ['船港', '口港', '接口API', '口v3', '청결', '章力']) expect(index.finds(text, words), words).toBe(false);
});

test('a sign that was written in parts is the sign', () => {
  using index = new OneText();
  for (const written of ['프로젝트 설정', 'データベース', 'café menü']) {
    expect(index.finds(written.normalize('NFD'), written), written).toBe(true);
    expect(index.finds(written, written.normalize('NFD')), written).toBe(true);
  }
  expect(index.finds('ﾃﾞｰﾀﾍﾞｰｽ', 'データベース')).toBe(true);
  expect(index.finds('𠮷野家', '𠮷野')).toBe(true);
});

const cjk = fc.constantFrom(...Array.from('港口船名前接版本の的ケカー결제청'));
const latin = fc.constantFrom('api', 'Charge', 'x', 'E0382', '42', 'foo_bar', 'a.b', 'chargeCustomer', 'v2', 'é');
const gap = fc.constantFrom(' ', '/', '-', '.', ': ', '\n', '、', '("', "'", '\0', '\t', '…', '🚀');

test('any text that holds a run of signs is found by each part of it', () => {
  using index = new OneText();
  const run = fc.array(cjk, { minLength: 1, maxLength: 9 }).map((signs) => signs.join(''));
  const side = fc.array(fc.oneof(run, latin, gap), { maxLength: 5 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(side, run, side, (before, sought, after) => {
      expect(index.finds(before + sought + after, sought)).toBe(true);
    }),
    { seed: 21, numRuns: 600 },
  );
});

test('any text that holds the query as words is found', () => {
  using index = new OneText();
  const run = fc.array(cjk, { minLength: 1, maxLength: 4 }).map((signs) => signs.join(''));
  const piece = fc.oneof(run, latin);
  const spaced = fc.array(fc.tuple(piece, gap), { maxLength: 6 }).map((pairs) => pairs.flat().join(''));
  const query = fc.array(fc.tuple(piece, fc.constantFrom('/', '-', '.', ':', '_', '=', '')), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(spaced, query, gap, spaced, (before, parts, end, after) => {
      const sought = parts.flat().join('');
      expect(index.finds(before + sought + end + after, sought)).toBe(true);
    }),
    { seed: 22, numRuns: 800 },
  );
});

test('no query is an error and no sign in it is an operator', () => {
  using index = new OneText();
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        fc
          .array(
            fc.constantFrom(
              'AND',
              'OR',
              'NOT',
              'x',
              '"',
              '*',
              ':',
              '^',
              'NEAR(',
              ')',
              '(',
              '-',
              '+',
              "'",
              '\0',
              ' ',
              '{',
              '}',
              ',',
              '\ud800',
              '\ue010hclaude',
            ),
          )
          .map((parts) => parts.join('')),
      ),
      (words) => {
        index.finds('body', words);
      },
    ),
    { seed: 21, numRuns: 2000 },
  );
  expect(queryTerms('')).toEqual([]);
  expect(queryTerms('  " * ( ')).toEqual([]);
  for (const words of ['x '.repeat(100_000), '港'.repeat(100_000), '"'.repeat(10_000), 'a-'.repeat(50_000)])
    index.finds('body', words);
  expect(index.finds('claude said \ue010hcodex', '\ue010hcodex x')).toBe(false);
});

test('quotes, a closing sign and a single letter make whole words; a star opens one', () => {
  expect(queryTerms('a "b cd" ef run() C++ pier* "op')).toEqual([
    { text: 'a', open: false },
    { text: 'b cd', open: false },
    { text: 'ef', open: true },
    { text: 'run()', open: false },
    { text: 'C++', open: false },
    { text: 'pier', open: true },
    { text: 'op', open: true },
  ]);
});

test('the words inside a name are kept once, those of encoded data not at all', () => {
  expect(innerWords('chargeCustomer chargeCustomer XMLHttpRequest v1.2.3 Plain UPPER snake_case getURLPath E0382')).toEqual([
    'Customer',
    'HttpRequest',
    'Request',
    '1.2.3',
    'URLPath',
    'Path',
  ]);
  expect(innerWords('aGVsbG8gd29ybGQgdGhpcyBpcyBlbmNvZGVk')).toEqual([]);
});

test('signs beyond ASCII part names and change nothing of what is found in those beside them, however long the text is', () => {
  expect(innerWords('Größe łChargeX chargeCustomer日本fooBar v2.1é 😀getPath')).toEqual(['Customer', 'Bar', '2.1', 'Path']);
  const far = `${'é '.repeat(40_000)}chargeCustomer`;
  expect(innerWords(far)).toEqual(['Customer']);
  expect(innerWords(`${'e '.repeat(40_000)}chargeCustomer`)).toEqual(['Customer']);
});

test('of long output the beginning, the end and the lines that tell of a fault are found', () => {
  const filler = Array.from({ length: 2000 }, (_, line) => `line ${line} of the build`);
  filler[1000] = 'src/cart.ts(7,3): error TS2322: Type is wrong';
  const text = foundText(toolResult(`first\n${filler.join('\n')}\nlast`));
  for (const part of ['first', 'TS2322', 'last']) expect(text).toContain(part);
  expect(text.length).toBeLessThan(7000);
});

function toolResult(text: string): LedgerEntry {
  return {
    id: 1,
    conversationId: 1,
    kind: 'tool_result',
    content: {
      toolCallId: 'call',
      content: [{ type: 'text', text }],
      isError: false,
      at: 0,
      provenance: { harness: 'claude', source: 1, offset: 0, length: 0, translator: 1, trust: 'tool' },
    },
  };
}

import fc from 'fast-check';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { matchExpression, queryTerms, searchText, snippet } from './search-text.ts';

function finds(text: string, words: string): boolean {
  const db = new Sqlite(':memory:');
  db.exec(`CREATE VIRTUAL TABLE search USING fts5 (body, tokenize = "unicode61 remove_diacritics 2")`);
  const indexed = searchTextOf(text);
  db.prepare('INSERT INTO search (body) VALUES (?)').run(indexed);
  const expression = matchExpression(words);
  const found =
    expression !== undefined && db.prepare('SELECT count(*) AS n FROM search WHERE search MATCH ?').pluck().get(expression) === 1;
  db.close();
  return found;
}
test('words, phrases, paths, identifiers and error codes are found', () => {
  const text = 'npm ERR! code ELIFECYCLE in src/checkout-form.ts at chargeCustomer(): "double charge" (HTTP 409)';
  for (const words of [
    'ELIFECYCLE',
    'src/checkout-form.ts',
    'chargeCustomer',
    '"double charge"',
    '409',
    'checkout',
    'elifecycle charge',
    'chargeCust',
  ])
    expect(finds(text, words), words).toBe(true);
  for (const words of ['"charge double"', 'refund', 'ELIFECYCLE refund']) expect(finds(text, words), words).toBe(false);
});

test('two signs of Chinese, Japanese or Korean are enough', () => {
  const text = '港口の船に名前をつける。결제가 두 번 청구됩니다';
  for (const words of ['港口', '名前', '청구', '결제']) expect(finds(text, words), words).toBe(true);
  expect(finds(text, '船港')).toBe(false);
});

test('no query is an error and no sign in it is an operator', () => {
  const db = new Sqlite(':memory:');
  db.exec('CREATE VIRTUAL TABLE search USING fts5 (body)');
  const statement = db.prepare('SELECT count(*) FROM search WHERE search MATCH ?');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('AND', 'NOT x', '"', '*', 'a:b', '^a', 'NEAR(a b)', '-x', '(', "'", 'a" OR "b', '\0'),
      ),
      (words) => {
        const expression = matchExpression(words);
        if (expression !== undefined) statement.get(expression);
      },
    ),
    { seed: 21, numRuns: 2000 },
  );
  db.close();
  expect(matchExpression('')).toBeUndefined();
  expect(matchExpression('  " * ( ')).toBeUndefined();
  expect(queryTerms('a "b c" d')).toEqual(['a', 'b c', 'd']);
});

test('a snippet marks what was found and nothing that the text itself marked', () => {
  expect(snippet('before \ue000fake\ue001 needle after', 'needle')).toBe('before fake \ue000needle\ue001 after');
  const long = snippet(`${'x '.repeat(500)}needle${' y'.repeat(500)}`, 'needle');
  expect(long.length).toBeLessThan(220);
  expect(long).toContain('\ue000needle\ue001');
});

/** Text as it is indexed: through a user entry. */
function searchTextOf(text: string): string {
  return searchText({
    id: 1,
    conversationId: 1,
    kind: 'user',
    content: {
      content: [{ type: 'text', text }],
      origin: 'typed',
      at: 0,
      provenance: { harness: 'claude', source: 1, offset: 0, length: 0, translator: 1, trust: 'user' },
    },
  });
}

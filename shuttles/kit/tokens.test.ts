import { expect, test } from 'vitest';
import { tokensOf } from './tokens.ts';

test('prose, code and figures cost what tokenizers say, or more', () => {
  const prose = 'The cart adds up the price of every item and then takes the discount off. '.repeat(100);
  expect(prose.length / tokensOf(prose)).toBeGreaterThan(3);
  expect(prose.length / tokensOf(prose)).toBeLessThan(4.2);
  const code = 'export const total = (items) => items.reduce((sum, item) => sum + item.price * item.quantity, 0);\n'.repeat(50);
  expect(code.length / tokensOf(code)).toBeGreaterThan(2.5);
  expect(code.length / tokensOf(code)).toBeLessThan(3.6);
});

test('what has no spaces, and what is not Latin, is not taken for cheap', () => {
  expect(tokensOf('QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w'.repeat(100))).toBeGreaterThan(2700);
  expect(tokensOf('日本語のテキスト')).toBe(8);
  expect(tokensOf('🙂')).toBe(2);
  expect(tokensOf('')).toBe(0);
});

import { expect, test } from 'vitest';
import { disclosureLine } from './disclosure-line.ts';

test('a hand-over says its size, what it names, what was masked and what is quoted', () => {
  const files = ['/home/user/shop/src/a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'];
  expect(disclosureLine({ from: 'claude', to: 'codex', bytes: 5140, messages: 31, files, masked: 3, quoted: 1 })).toBe(
    '5.1 KB · 31 messages · 3 secrets masked · 1 quoted source · names 5 files (…/src/a.ts, b.ts, c.ts and 2 more)',
  );
  expect(disclosureLine({ from: 'claude', to: 'codex', bytes: 1, messages: 1, files: [], masked: 0, quoted: 0 })).toBe(
    '1 byte · 1 message · no secrets found · nothing quoted · names no files',
  );
});

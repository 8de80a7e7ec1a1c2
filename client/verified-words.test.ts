import { expect, test } from 'vitest';
import { byVersion, verifiedWords } from './verified-words.ts';

const runs = [
  { from: 'claude' as const, version: '0.99.0' },
  { from: 'claude' as const, version: '0.171.0' },
  { from: 'pi' as const, version: '0.180.0' },
];

test('the version that is installed counts as verified only when just that one was seen, from the same agent', () => {
  expect(verifiedWords({ version: '0.171.0', verified: runs }, 'claude')).toBe('verified with 0.171.0');
  expect(verifiedWords({ version: '0.99.0', verified: runs }, 'claude')).toBe('verified with 0.99.0');
  expect(verifiedWords({ version: '0.172.0', verified: runs }, 'claude')).toBe(
    'not verified with 0.172.0 (verified with 0.171.0)',
  );
  expect(verifiedWords({ version: '0.180.0', verified: runs }, 'claude')).toBe(
    'not verified with 0.180.0 (verified with 0.171.0)',
  );
});

test('what was never seen is not verified, and an unknown version is not taken for the one that was', () => {
  expect(verifiedWords({ version: null, verified: [] }, 'claude')).toBe('not verified');
  expect(verifiedWords({ version: '1.0.0', verified: [] }, 'claude')).toBe('not verified with 1.0.0');
  expect(verifiedWords({ version: '0.171.0', verified: runs }, 'openclaw')).toBe('not verified from OpenClaw with 0.171.0');
  expect(verifiedWords({ version: null, verified: runs }, 'claude')).toBe(
    'verified with 0.171.0; which version is here is not known',
  );
});

test('versions are compared by their numbers', () => {
  expect(['2.1.9', '2.0.77', '2.1.332', '2.1.0-beta.2', '10.0'].toSorted(byVersion)).toEqual([
    '2.0.77',
    '2.1.0-beta.2',
    '2.1.9',
    '2.1.332',
    '10.0',
  ]);
});

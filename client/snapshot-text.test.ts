import { expect, test } from 'vitest';
import { snapshotText } from './snapshot-text.ts';

const held = (bytes: Buffer, binary = false): Parameters<typeof snapshotText>[0] => ({
  ok: true,
  base64: bytes.toString('base64'),
  binary,
});

test('a text is shown as it is, whichever Unicode encoding it has', () => {
  expect(snapshotText(held(Buffer.from('grün\r\n')))).toBe('grün\r\n');
  expect(snapshotText(held(Buffer.from('\ufeffgrün', 'utf16le')))).toBe('grün');
  expect(snapshotText(held(Buffer.from('\ufeffgrün', 'utf16le').swap16()))).toBe('grün');
  expect(snapshotText(held(Buffer.from([0x67, 0xfc])))).toBe('g\ufffd');
});

test('two contents that are no text are two different lines', () => {
  const [one, other] = [snapshotText(held(Buffer.from([0, 1]), true)), snapshotText(held(Buffer.from([0, 2]), true))];
  expect(one).toMatch(/^This file is no text: 2 bytes, sha256 [0-9a-f]{12}….\n$/u);
  expect(one).not.toBe(other);
});

test('what cannot be had says so', () => {
  expect(snapshotText({ ok: false, reason: 'missing', size: 0 })).toBe('');
  expect(snapshotText({ ok: false, reason: 'large', size: 12e6 })).toContain('too large to be shown: 12 MB');
  expect(snapshotText({ ok: false, reason: 'pruned', size: 0 })).toContain('dropped');
});

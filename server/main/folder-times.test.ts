import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasTrueTimes } from './folder-times.ts';

test('times of folders are trusted on file systems of this machine that are known, and nowhere else', () => {
  expect(hasTrueTimes(os.tmpdir(), 'win32')).toBe(false);
  if (process.platform !== 'linux') return;
  expect(hasTrueTimes(os.tmpdir(), 'linux')).toBe(true);
  // A file system of the kernel, whose times are none, and nothing at all.
  expect(hasTrueTimes('/proc', 'linux')).toBe(false);
  expect(hasTrueTimes(path.join(os.tmpdir(), 'not', 'there'), 'linux')).toBe(false);
});

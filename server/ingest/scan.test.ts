import { expect, test } from 'vitest';
import { compare, resolve } from './scan.ts';
import type { FoundFile, KnownSource } from './scan.ts';

const known = (number: number, path: string): KnownSource => ({
  number,
  path,
  harness: 'codex',
  native: number,
  part: '',
  identity: `1:${number}`,
  size: 10,
  mtime: 5,
  offset: 10,
  status: 'current',
});
const sources = [known(1, '/s/2026/09/a.jsonl'), known(2, '/s/2026/10/b.jsonl'), known(3, '/s/2026/10/c.jsonl')];
const found: readonly FoundFile[] = [];
const difference = (closed?: readonly string[]) => resolve(compare(found, sources), closed);

test('what is no longer on the disk is gone', () => {
  expect(difference().gone.map((source) => source.number)).toEqual([1, 2, 3]);
});

test('what lies in a folder that cannot be read now is not gone', () => {
  expect(difference(['/s/2026/10']).gone.map((source) => source.number)).toEqual([1]);
  expect(difference(['/s/2026/10/b.jsonl']).gone.map((source) => source.number)).toEqual([1, 3]);
  expect(difference(['/s/2026/1']).gone).toHaveLength(3);
});

import { expect, test } from 'vitest';
import { hunksOf } from './hunks.ts';

const lines = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i + 1}`);
const bytes = (text: readonly string[]): Buffer => Buffer.from(`${text.join('\n')}\n`);

test('changes that are far apart are parts of their own, each at its line of the later file', () => {
  const [old, fresh] = [lines(40), lines(40)];
  fresh.splice(4, 1, 'grün', 'more');
  fresh.splice(30, 1);
  expect(hunksOf(bytes(old), bytes(fresh))).toEqual([
    { number: 0, line: 4, added: 2, removed: 1, first: '-line 5' },
    { number: 1, line: 30, added: 0, removed: 1, first: '-line 30' },
  ]);
});

test('changes that share their three lines of context are one part', () => {
  const [old, fresh] = [lines(20), lines(20)];
  fresh[4] = 'x';
  fresh[10] = 'y';
  expect(hunksOf(bytes(old), bytes(fresh))).toHaveLength(1);
  fresh[10] = 'line 11';
  fresh[12] = 'y';
  expect(hunksOf(bytes(old), bytes(fresh))).toHaveLength(2);
});

test('bytes that are no UTF-8 do not move the parts', () => {
  const old = Buffer.concat([Buffer.from([0xfc, 0x0a]), bytes(lines(30))]);
  const fresh = Buffer.concat([Buffer.from([0xfd, 0x0a]), bytes(lines(30).with(25, 'grün'))]);
  expect(hunksOf(old, fresh).map(({ line }) => line)).toEqual([0, 26]);
  expect(hunksOf(old, old)).toEqual([]);
});

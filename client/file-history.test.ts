import { expect, test } from 'vitest';
import { fileHistory, neighbour } from './file-history.ts';
import { sampleFile, sampleTurn } from './sample-changes.ts';

const turns = [
  sampleTurn(10, 1, [sampleFile('a.ts', { change: 'added' })]),
  sampleTurn(20, 3, [sampleFile('other.ts')]),
  sampleTurn(null, 5, [sampleFile('b.ts', { from: 'a.ts', change: 'moved' })]),
  sampleTurn(30, 7, [sampleFile('b.ts'), sampleFile('other.ts')]),
];

test('a file is followed through its moves, from any of its names', () => {
  const walked = (path: string): readonly number[] => fileHistory(turns, path).map(({ turn }) => turn.before);
  expect(walked('a.ts')).toEqual([1, 5, 7]);
  expect(walked('b.ts')).toEqual([1, 5, 7]);
  expect(walked('other.ts')).toEqual([3, 7]);
  expect(walked('none.ts')).toEqual([]);
});

test('one goes on from the change that is shown, and stops at both ends', () => {
  const history = fileHistory(turns, 'b.ts');
  const from = (before: number, step: 1 | -1): number | undefined =>
    neighbour(history, { before, after: before + 1 }, step)?.turn.before;
  expect(from(1, 1)).toBe(5);
  expect(from(5, -1)).toBe(1);
  expect(from(7, 1)).toBeUndefined();
  expect(from(1, -1)).toBeUndefined();
});

test('from two snapshots that are no turn, one goes to the nearest turn, and from many turns to the first or last of them', () => {
  const history = fileHistory(turns, 'b.ts');
  expect(neighbour(history, { before: 3, after: 4 }, 1)?.turn.before).toBe(5);
  expect(neighbour(history, { before: 3, after: 4 }, -1)?.turn.before).toBe(1);
  expect(neighbour(history, { before: 1, after: 8 }, 1)?.turn.before).toBe(1);
  expect(neighbour(history, { before: 1, after: 8 }, -1)?.turn.before).toBe(7);
});

/** The counting that decides whether `npm test` may end with 0. */
import { expect, test } from 'vitest';
import { addSummaries, judge, readSummary, writeSummary } from './summary.mjs';

test('the last summary line of a suite is its own', () => {
  expect(readSummary('3 passed, 1 failed\nmore\n4 passed, 0 failed, 2 skipped\nbye\n')).toEqual({
    passed: 4,
    failed: 0,
    skipped: 2,
  });
});

test('a line that only holds a summary among other words is none', () => {
  expect(readSummary('so far 4 passed, 0 failed\n')).toBeNull();
});

test('a suite that fails without saying so counts one failure', () => {
  expect(judge({ code: 1, counted: { passed: 7, failed: 0, skipped: 0 } })).toEqual({ passed: 7, failed: 1, skipped: 0 });
  expect(judge({ code: 0, counted: null })).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('a suite that ran no test counts one failure', () => {
  expect(judge({ code: 0, counted: { passed: 0, failed: 0, skipped: 0 } }).failed).toBe(1);
});

test('a suite that says why it skipped all of its tests counts none', () => {
  expect(judge({ code: 0, counted: { passed: 0, failed: 0, skipped: 5 } })).toEqual({ passed: 0, failed: 0, skipped: 5 });
});

test('failures that a suite counted are not counted twice', () => {
  expect(judge({ code: 1, counted: { passed: 2, failed: 3, skipped: 0 } }).failed).toBe(3);
});

test('the sum is written as the suites write theirs', () => {
  const sum = addSummaries([
    { passed: 1, failed: 0, skipped: 0 },
    { passed: 2, failed: 1, skipped: 3 },
  ]);
  expect(writeSummary(sum)).toBe('3 passed, 1 failed, 3 skipped');
  expect(readSummary(writeSummary(sum))).toEqual(sum);
});

import { expect, test } from 'vitest';
import { faults, type FaultId } from '../server/protocol/faults.ts';
import { troubleOf } from './fault-of.ts';
import { failureText, failureWords } from './hand-over-failure.ts';

const text = (id: FaultId, detail: string): string => failureText(troubleOf({ data: { id, detail } }), false);

test('a failure says the step, the reason, what was undone and what to do', () => {
  expect(text('C012', 'codex 0.30.0, at least 0.39.0')).toBe(
    'The hand-over stopped while looking at the agent that is to go on (C012). The installed program is too old for what Loom writes: codex 0.30.0, at least 0.39.0. Nothing was written. Update it, or continue in another agent.',
  );
});

test('what was undone is not told twice', () => {
  const told = text('C006', 'one message is missing');
  expect(told.match(/removed|taken away/gu)).toHaveLength(1);
  expect(text('C005', 'no space').match(/Nothing was changed|taken away/gu)).toHaveLength(1);
});

test('when the server ended, nobody claims that nothing was written', () => {
  const told = failureText(troubleOf(new Error('The Loom server ended before it answered')), false);
  expect(told).toContain('taken back, at the latest when the server starts again');
  expect(told).not.toContain('Nothing was written');
});

test('a dry run begins nothing, whatever ends it', () => {
  expect(failureText(troubleOf(new Error('odd')), true)).toBe(
    'The hand-over stopped while the server worked on it. odd. Nothing was written.',
  );
});

test('nobody is told to give an option to a program that they do not see', () => {
  const ids = Object.keys(faults).filter((id) => id.startsWith('C')) as FaultId[];
  expect(ids.map((id) => text(id, 'x')).filter((words) => / --/u.test(words))).toEqual([]);
});

test('every fault of a hand-over has its own step', () => {
  const ids = Object.keys(faults).filter((id) => id.startsWith('C')) as FaultId[];
  expect(ids.length).toBeGreaterThan(10);
  expect(ids.filter((id) => failureWords(id).step === failureWords('L001').step)).toEqual([]);
});

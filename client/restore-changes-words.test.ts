import { expect, test } from 'vitest';
import { conflictWords, doneWords, planWords, stepWords } from './restore-changes-words.ts';
import type { RestoreStep } from '../server/protocol/world.ts';

const step = (action: RestoreStep['action'], path = 'a.ts', note = ''): RestoreStep => ({ path, action, note });

test('a plan says how many go back, are deleted and are in conflict', () => {
  expect(planWords([step('write'), step('merge'), step('delete'), step('conflict'), step('none')])).toBe(
    '2 files go back, 1 file is deleted, 1 conflict',
  );
  expect(planWords([step('write'), step('delete'), step('delete')])).toBe('1 file goes back, 2 files are deleted');
});

test('where nothing would be done there is no plan', () => {
  expect(planWords([step('none')])).toBeUndefined();
  expect(planWords([])).toBeUndefined();
});

test('only what was done is counted', () => {
  expect(doneWords([step('write'), step('merge'), step('delete'), step('conflict'), step('none')])).toBe('Restored 3 files.');
  expect(doneWords([step('none')])).toContain('so already');
});

test('conflicts are named, at most five of them', () => {
  const many = Array.from({ length: 7 }, (_, i) => step('conflict', `f${i}`));
  expect(conflictWords(many)).toBe('7 files changed since in a way that cannot be kept: f0, f1, f2, f3, f4 and 2 more.');
});

test('a step carries the reason that the server gives', () => {
  expect(stepWords(step('conflict', 'a.ts', 'It was deleted since.'))).toEqual({
    label: 'a.ts',
    description: 'cannot be taken back without losing later changes',
    detail: 'It was deleted since.',
  });
});

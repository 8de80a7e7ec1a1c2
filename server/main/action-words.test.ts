import { expect, test } from 'vitest';
import { actionWords } from './action-words.ts';

test('an action says how it ended before what it did', () => {
  expect(actionWords({ action: 'command', exitCode: 0 }, false)).toEqual(['ok', 'exit 0']);
  expect(actionWords({ action: 'command', exitCode: 3, durationMs: 8200 }, false)).toEqual(['failed', 'exit 3', '8.2 s']);
  expect(actionWords({ status: 'denied', decision: { allowed: false, by: 'hook' } }, true)).toEqual(['denied', 'by hook']);
  const extra = { backgroundTask: 'a1', awaits: 'approval' };
  expect(actionWords({ action: 'command', extra }, false)).toEqual(['ok', 'waits for approval']);
  expect(actionWords({ action: 'command', extra: { backgroundTask: 'b1' } }, false)).toEqual(['ok', 'in the background']);
});

test('files, addresses, questions and their answers are told by name', () => {
  const file = { path: 'a.ts', change: 'update' as const, added: 12, removed: 3 };
  expect(actionWords({ files: [file, { ...file, change: 'move', movedTo: 'b.ts' }] }, false)).toEqual([
    'ok',
    '+12 −3 a.ts',
    '+12 −3 b.ts',
  ]);
  expect(actionWords({ url: 'https://example.com', truncated: true }, false)).toEqual(['ok', 'https://example.com', 'shortened']);
  expect(actionWords({ questions: [{ question: 'Which?', answer: 'Red' }, { question: 'When?' }] }, false)).toEqual([
    'ok',
    'Which? → Red',
    'When? → no answer',
  ]);
});

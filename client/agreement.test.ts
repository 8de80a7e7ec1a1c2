import { expect, test } from 'vitest';
import type { ContinueResult } from '../server/protocol/requests.ts';
import { agreementOf, offersAlways, reviewPieces, reviewQuestion } from './agreement.ts';

const result = (over: Partial<ContinueResult> = {}): ContinueResult => ({
  thread: 't1',
  harness: 'codex',
  mode: 'native',
  nativeId: 'x1',
  path: '/x1.jsonl',
  command: { argv: ['codex', 'resume', 'x1'], cwd: '/home/user/shop', env: {} },
  baton: '# Baton',
  disclosure: { from: 'claude', to: 'codex', bytes: 5140, messages: 31, files: [], masked: 3, quoted: 1 },
  lease: null,
  consent: 'needed',
  warnings: [],
  ...over,
});

test('the server is told only of what the person has just agreed to', () => {
  expect(agreementOf(result(), false)).toBe('once');
  expect(agreementOf(result(), true)).toBe('always');
  expect(agreementOf(result({ consent: 'given' }), false)).toBeNull();
  expect(agreementOf(result({ consent: 'notNeeded' }), false)).toBeNull();
});

test('to agree for good is offered only where agreement is needed', () => {
  expect([result(), result({ consent: 'given' }), result({ consent: 'notNeeded' })].map(offersAlways)).toEqual([
    true,
    false,
    false,
  ]);
});

test('a brief and a return are named as such before anything is sent', () => {
  expect(reviewPieces(result())).toHaveLength(1);
  expect(reviewPieces(result({ mode: 'prompt' })).join()).toContain('not the native history');
  expect(reviewQuestion('Fix it', result({ mode: 'return' }))).toContain('only what is new');
  expect(reviewQuestion('Fix it', result({ consent: 'given' }))).toContain('You agreed to this pair before.');
});

test('remarks are counted, and the first can be read at once', () => {
  const warnings = ['Codex is not logged in.', 'Claude Code has it open, idle.'];
  expect(reviewPieces(result({ warnings })).at(-1)).toBe('2 remarks: Codex is not logged in.');
  expect(reviewQuestion('Fix it', result({ warnings }))).toContain('Codex is not logged in.');
});

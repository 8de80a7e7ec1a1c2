import { expect, test } from 'vitest';
import { targetOf } from './continue-target.ts';

test('a button may name the agent and the way; what it does not know is not taken', () => {
  expect(targetOf({ thread: 't1', harness: 'claude', mode: 'return' })).toEqual({ harness: 'claude', mode: 'return' });
  expect(targetOf({ thread: 't1', harness: 'claude' })).toEqual({ harness: 'claude', mode: null });
  expect(targetOf({ thread: 't1', harness: 'claude', mode: 'delete' })).toEqual({ harness: 'claude', mode: null });
  expect(targetOf({ thread: 't1', harness: 'toString' })).toBeUndefined();
});

test('a row of the list, an id or nothing names no target', () => {
  expect([{ kind: 'thread', thread: { id: 't1' } }, 't1', undefined, null].map((one) => targetOf(one))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { JsonValue } from '../contract/json.ts';
import { copiedState } from './copied-state.ts';

const seed = 20_261_130;

test('a copy says what the state says, whatever its names are', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(copiedState(value as JsonValue)).toEqual(value);
    }),
    { seed, numRuns: 300 },
  );
  const odd = JSON.parse('{"__proto__":{"a":[1]},"constructor":"c","":null}') as JsonValue;
  expect(JSON.stringify(copiedState(odd))).toBe(JSON.stringify(odd));
});

test('what is changed in a copy is not changed in the state', () => {
  const state = { calls: [{ id: 'one', files: ['a'] }], last: null };
  const copy = copiedState(state);
  copy.calls[0]?.files.push('b');
  copy.calls.push({ id: 'two', files: [] });
  expect(state).toEqual({ calls: [{ id: 'one', files: ['a'] }], last: null });
});

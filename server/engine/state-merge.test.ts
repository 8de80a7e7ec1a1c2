/** What a change makes of a task's state. */
import { expect, test } from 'vitest';
import { merge } from './state-merge.ts';

test('properties are laid over those that are there, in their order; the state itself stays as it was', () => {
  const state = { a: 1, b: { deep: [1] }, c: 3 };
  expect(JSON.stringify(merge(state, { b: 2, d: null }))).toBe('{"a":1,"b":2,"c":3,"d":null}');
  expect(state).toEqual({ a: 1, b: { deep: [1] }, c: 3 });
});

test('a property called __proto__ is one like any other, on either side', () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as object;
  for (const merged of [merge({ a: 1 }, hostile), merge(hostile as { readonly a?: number }, { a: 1 })]) {
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged as object).toSorted()).toEqual(['__proto__', 'a']);
    expect((merged as { readonly polluted?: true }).polluted).toBeUndefined();
  }
});

test('what is no object is replaced, unless there is nothing to replace it with', () => {
  expect([merge(5, {}), merge(null, {}), merge([1], {})]).toEqual([5, null, [1]]);
  expect([merge(5, { a: 1 }), merge({ a: 1 }, 5), merge({ a: 1 }, [2]), merge({ a: 1 }, null)]).toEqual([{ a: 1 }, 5, [2], null]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeTargetOf, placeOf, placeQuery } from './change-target.ts';

test('a command is meant for changes only when it names two snapshots', () => {
  expect(changeTargetOf({ thread: 't', before: 1, after: 2, path: 'a.ts' })).toEqual({
    thread: 't',
    before: 1,
    after: 2,
    path: 'a.ts',
  });
  expect(changeTargetOf({ before: 1, after: 2 })).toEqual({ thread: null, before: 1, after: 2, path: null });
  for (const other of [undefined, null, 't', 7, { thread: 't' }, { before: '1', after: 2 }, { before: 1, after: -2 }])
    expect(changeTargetOf(other)).toBeUndefined();
});

test('the address of a document keeps whose content it holds', () => {
  const number = fc.integer({ min: 1, max: 1e9 });
  const text = fc.option(fc.string({ minLength: 1 }), { nil: null });
  fc.assert(
    fc.property(number, number, number, text, text, (snapshot, before, after, thread, path) => {
      const place = { snapshot, target: { before, after, thread, path } };
      expect(placeOf(placeQuery(place))).toEqual(place);
    }),
    { seed: 6, numRuns: 200 },
  );
});

test('any other address holds nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (query) => {
      const place = placeOf(query);
      expect(place === undefined || placeOf(placeQuery(place)) !== undefined).toBe(true);
    }),
    { seed: 6, numRuns: 300 },
  );
  expect(placeOf('')).toBeUndefined();
  expect(placeOf('[0,1,2,null,null]')).toBeUndefined();
});

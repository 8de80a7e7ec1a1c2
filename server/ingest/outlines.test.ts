import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryKinds } from '../ledger/kinds.ts';
import type { EntryKindName } from '../../shuttles/contract/entry.ts';
import type { ReadOutput } from '../../shuttles/contract/read.ts';
import { OutlineWriter, outlinesOf } from './outlines.ts';
import { outlined } from './translated-batch.ts';

const key = fc.string({ unit: 'grapheme', maxLength: 12 });
const place = fc.oneof(
  fc.constant({ kind: 'tip' }),
  fc.record({ kind: fc.constant('after'), key: fc.option(key) }),
  fc.record(
    { kind: fc.constant('after'), key: fc.option(key), floor: key, fork: fc.constant(true) },
    { requiredKeys: ['kind', 'key'] },
  ),
  fc.record({ kind: fc.constant('with'), keys: fc.array(key, { maxLength: 3 }), after: fc.option(key) }),
);
const usage = fc.record({ input: fc.nat(), output: fc.nat() });
const content = fc.record(
  { usage, origin: fc.constantFrom('typed', 'harness'), phase: fc.constantFrom('started', 'failed'), toolCallId: key },
  { requiredKeys: [] },
);
const draft = fc
  .record(
    {
      type: fc.constant('entry'),
      kind: fc.constantFrom(...(Object.keys(entryKinds) as EntryKindName[])),
      content,
      at: fc.option(fc.integer({ min: 0, max: 253_402_300_799_999 })),
      trust: fc.constantFrom('user', 'model', 'tool', 'web', 'chat', 'loom', 'harness'),
      place,
      keys: fc.array(key, { maxLength: 3 }),
      offset: fc.maxSafeNat(),
      length: fc.maxSafeNat(),
      nativeId: key,
      retainFromKey: fc.oneof(key, fc.array(key, { maxLength: 2 })),
      edit: fc.record({ keys: fc.array(key, { maxLength: 2 }), content: fc.constantFrom(null, []) }),
      spent: usage,
      inherited: fc.constant(true),
    },
    { requiredKeys: ['type', 'kind', 'content', 'at', 'trust', 'place', 'keys', 'offset', 'length'] },
  )
  .chain((one) => fc.boolean().map((same) => (same && one.keys[0] !== undefined ? { ...one, nativeId: one.keys[0] } : one)));
const other = fc.oneof(
  fc.record({ type: fc.constant('mark'), keys: fc.array(key, { maxLength: 2 }), after: fc.option(key) }),
  fc.record({ type: fc.constant('head'), key: fc.option(key), exact: fc.boolean() }),
  fc.record({ type: fc.constant('facts'), facts: fc.record({ model: key, createdAt: fc.nat() }, { requiredKeys: [] }) }),
  fc.record({ type: fc.constant('child'), nativeId: key, callId: key }, { requiredKeys: ['type', 'nativeId'] }),
  fc.record({ type: fc.constant('warning'), offset: fc.nat(), code: key, text: key }),
);
const outputs = fc.array(fc.oneof({ weight: 4, arbitrary: draft }, other), { maxLength: 6 }) as unknown as fc.Arbitrary<
  readonly ReadOutput[]
>;
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('outlines come out of their columns as they went in, whatever was added together', () => {
  const writer = new OutlineWriter();
  fc.assert(
    fc.property(fc.array(outputs, { maxLength: 4 }), (parts) => {
      for (const part of parts) writer.add(part);
      expect(plain(outlinesOf(writer.take()))).toEqual(plain(parts.flat().map(outlined)));
    }),
    { seed: 31, numRuns: 150 },
  );
  expect(outlinesOf(writer.take())).toEqual([]);
});

test('an output of a kind or a trust that nobody knows, and a time that is none, travel as they are in JSON', () => {
  const strange = {
    type: 'entry',
    kind: 'user',
    content: {},
    at: 1,
    trust: 'nobody',
    place: { kind: 'tip' },
    keys: ['a'],
    offset: 1,
    length: 2,
  };
  const writer = new OutlineWriter();
  const parts = [
    strange,
    { ...strange, kind: 'strange' },
    { ...strange, trust: 'user', at: Number.POSITIVE_INFINITY },
  ] as unknown as ReadOutput[];
  writer.add(parts);
  expect(plain(outlinesOf(writer.take()))).toEqual(plain(parts.map(outlined)));
});

test('a record with a hundred thousand calls keeps the keys of all of them', () => {
  const keys = Array.from({ length: 100_000 }, (_, i) => `call:${i}`);
  const long = {
    type: 'entry',
    kind: 'user',
    content: {},
    at: 1,
    trust: 'user',
    place: { kind: 'tip' },
    keys,
    offset: 0,
    length: 9,
  };
  const writer = new OutlineWriter();
  writer.add([long as unknown as ReadOutput]);
  expect(outlinesOf(writer.take())).toEqual([outlined(long as unknown as ReadOutput)]);
});

test('values that are missing are told of, not made up', () => {
  const writer = new OutlineWriter();
  writer.add([{ type: 'mark', keys: ['a'], after: null }]);
  expect(() => outlinesOf({ ...writer.take(), values: [] })).toThrow('more values than they bring');
});

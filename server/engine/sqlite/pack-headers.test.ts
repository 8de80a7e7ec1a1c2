/** Headers of packed entries come back as they went in, and bytes that are none are said to be damaged. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EntryHeader } from '../records.ts';
import { DamagedPack } from './damaged-pack.ts';
import { decodeHeaders, encodeHeaders } from './pack-headers.ts';

const text = fc.string({ unit: 'binary', maxLength: 30 });
const headers = fc
  .array(
    fc.record({
      step: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 46 })),
      kind: fc.oneof(fc.constantFrom('note', 'silent', 'ünïcode 😀'), text),
      key: fc.option(text, { nil: undefined }),
      byTaskId: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
    }),
    { maxLength: 64 },
  )
  .map((steps) => {
    let id = 0;
    return steps.map(({ step, kind, key, byTaskId }): EntryHeader => {
      id += step;
      const optional = { ...(key === undefined ? {} : { key }), ...(byTaskId === undefined ? {} : { byTaskId }) };
      return { id, conversationId: 1, kind, ...optional };
    });
  });

test('headers come back as they went in', () => {
  fc.assert(
    fc.property(headers, (entries) => {
      const { ids, kinds, keys, byTasks } = decodeHeaders(encodeHeaders(entries));
      expect(ids).toEqual(entries.map(({ id }) => id));
      expect(kinds).toEqual(entries.map(({ kind }) => kind));
      expect(keys).toEqual(entries.map(({ key }) => key));
      expect(byTasks).toEqual(entries.map(({ byTaskId }) => byTaskId));
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('text that is not well-formed is kept as a database keeps it', () => {
  const [entry] = [{ id: 1, conversationId: 1, kind: 'a\ud800', key: '\udc00b' }];
  const { kinds, keys } = decodeHeaders(encodeHeaders([entry]));
  expect([kinds, keys]).toEqual([['a\ufffd'], ['\ufffdb']]);
});

test('bytes that are cut off, changed or made up are headers or damage, never another failure', () => {
  const read = (bytes: Uint8Array): void => {
    try {
      decodeHeaders(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedPack);
    }
  };
  fc.assert(
    fc.property(headers, fc.nat(), fc.nat(255), fc.uint8Array({ maxLength: 60 }), (entries, at, byte, other) => {
      const bytes = encodeHeaders(entries);
      for (let length = 0; length < bytes.length; length++)
        expect(() => decodeHeaders(bytes.subarray(0, length))).toThrow(DamagedPack);
      const changed = Uint8Array.from(bytes);
      changed[at % bytes.length] = byte;
      read(changed);
      read(other);
    }),
    { seed: 6, numRuns: 40 },
  );
});

test('a mark of byte order at the start of the texts is text', () => {
  expect(decodeHeaders(encodeHeaders([{ id: 1, conversationId: 1, kind: '\ufeffkind' }])).kinds).toEqual(['\ufeffkind']);
});

import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { Draft } from '../../shuttles/contract/read.ts';
import { StoredLinesWriter } from './stored-content.ts';

const seed = 20_261_130;

const drafts = fc.record({
  text: fc.string({ unit: 'binary', maxLength: 40 }),
  times: fc.integer({ min: 1, max: 3000 }),
  at: fc.option(fc.nat()),
  nativeId: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
  inherited: fc.boolean(),
});

function draftOf({ text, times, at, nativeId, inherited }: typeof drafts extends fc.Arbitrary<infer T> ? T : never): Draft {
  return {
    type: 'entry',
    kind: 'notice',
    content: { level: 'info', code: 'info', text: text.repeat(times) },
    at,
    trust: 'harness',
    place: { kind: 'tip' },
    keys: ['key'],
    offset: 7,
    length: 11,
    ...(nativeId === undefined ? {} : { nativeId }),
    ...(inherited ? { inherited: true } : {}),
  };
}

test('a line is the JSON of the content with its time and origin, whatever stands in it, and lines are taken once', () => {
  fc.assert(
    fc.property(fc.array(drafts, { maxLength: 6 }), fc.nat(2), (given, generation) => {
      const writer = new StoredLinesWriter({ harness: 'codex', source: 3, translator: 2, generation });
      for (const part of [given, given.slice(1)]) {
        for (const one of part) writer.add(draftOf(one));
        const lines = writer.take();
        expect(lines.contents().map(({ text }) => text)).toEqual(part.map((one) => stored(draftOf(one), generation)));
        for (const [i, one] of part.entries()) expect(lines.length(i)).toBe(Buffer.byteLength(stored(draftOf(one), generation)));
      }
    }),
    { seed, numRuns: 100 },
  );
});

test('content without a member of its own has its time and origin alone', () => {
  const writer = new StoredLinesWriter({ harness: 'pi', source: 1, translator: 1, generation: 0 });
  writer.add({
    ...draftOf({ text: '', times: 1, at: null, nativeId: undefined, inherited: false }),
    content: {},
  } as unknown as Draft);
  expect(writer.take().line(0)).toBe(
    '{"at":null,"provenance":{"harness":"pi","source":1,"offset":7,"length":11,"translator":1,"trust":"harness"}}',
  );
});

function stored({ content, at, trust, offset, length, nativeId, inherited }: Draft, generation: number): string {
  const provenance = {
    harness: 'codex',
    source: 3,
    offset,
    length,
    translator: 2,
    trust,
    nativeId,
    inherited,
    ...(generation === 0 ? {} : { generation }),
  };
  return JSON.stringify({ ...content, at, provenance });
}

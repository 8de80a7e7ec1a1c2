/** The reader may stop after any record: its state goes through JSON, and the rest reads as if there had been no stop. */
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../contract/json.ts';
import type { NativeRecord, ReadOutput } from '../../contract/read.ts';
import { cases, fixtures, identityOf, readAll, recordsOf, rolloutsIn } from '../fixture-records.ts';
import { codexReader } from './reader.ts';

const files = [fixtures, cases].flatMap((root) => rolloutsIn(root).map((relative) => path.join(root, relative)));

test('any split of a rollout gives the same outputs', () => {
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    const records = recordsOf(file);
    const whole = readAll(file, records);
    fc.assert(
      fc.property(fc.array(fc.nat(records.length), { maxLength: 8 }), (cuts) => {
        expect(
          inParts(
            file,
            records,
            cuts.toSorted((a, b) => a - b),
          ),
        ).toEqual(whole);
      }),
      { numRuns: 6, seed: 20_261_130 },
    );
    expect(inParts(file, records, [...records.keys()])).toEqual(whole);
  }
});

test('the state does not grow with the file', () => {
  const file = path.join(fixtures, rolloutsIn(fixtures).find((name) => name.includes('01-exec-basic')) ?? '');
  const records = recordsOf(file);
  let state: JsonValue = codexReader.start(identityOf(file, records), file);
  const sizes: number[] = [];
  for (let round = 0; round < 400; round++) {
    const renumbered = records.map((record): NativeRecord =>
      record.ok ? { ...record, value: { ...record.value, ordinal: undefined } } : record,
    );
    state = codexReader.read(state, renumbered).state;
    if (round >= 100) sizes.push(JSON.stringify(state).length);
  }
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(200);
  expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
});

test('reading does not change the state that it was given', () => {
  const file = files[0] ?? '';
  const records = recordsOf(file);
  const state = codexReader.start(identityOf(file, records), file);
  const before = JSON.stringify(state);
  const first = codexReader.read(state, records);
  expect(JSON.stringify(state)).toBe(before);
  expect(codexReader.read(state, records)).toEqual(first);
});

function inParts(file: string, records: readonly NativeRecord[], cuts: readonly number[]): readonly ReadOutput[] {
  let state: JsonValue = codexReader.start(identityOf(file, records), file);
  const outputs: ReadOutput[] = [];
  for (const [index, cut] of [0, ...cuts].entries()) {
    const read = codexReader.read(state, records.slice(cut, cuts[index] ?? records.length));
    outputs.push(...read.outputs);
    state = JSON.parse(JSON.stringify(read.state)) as JsonValue;
  }
  return outputs;
}

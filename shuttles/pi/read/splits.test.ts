import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NativeRecord, ReadOutput } from '../../contract/read.ts';
import { cases, factsIn, fixtures, readRecords, recordsOf, sessionFiles } from '../fixture-records.ts';
import { piReader } from './reader.ts';
import type { State } from './state.ts';

const files = [...sessionFiles(fixtures), ...sessionFiles(cases)].filter((path) => recordsOf(readFileSync(path)).length > 0);

/** Facts of a batch are told at its end, so that only their sum does not depend on the batches. */
function comparable(outputs: readonly ReadOutput[]): object {
  return { entries: outputs.filter((output) => output.type !== 'facts'), facts: factsIn(outputs) };
}

test('records in any batches, with the state kept as JSON between them, read like the whole file', () => {
  expect(files.length).toBeGreaterThan(45);
  for (const path of files) {
    const records = recordsOf(readFileSync(path));
    const whole = readRecords(path, records);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 200 }), (sizes) => {
        const start = piReader.start(whole.identity, path);
        let saved = JSON.stringify(start);
        const outputs: ReadOutput[] = [];
        for (let at = 0, i = 0; at < records.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          const step = piReader.read(JSON.parse(saved) as State, records.slice(at, at + size));
          outputs.push(...step.outputs);
          saved = JSON.stringify(step.state);
          at += size;
        }
        expect(comparable(outputs)).toEqual(comparable(whole.outputs));
        expect(JSON.parse(saved)).toEqual(JSON.parse(JSON.stringify(whole.state)));
        expect(piReader.start(whole.identity, path)).toEqual(start);
      }),
      { numRuns: 4, seed: 7 },
    );
  }
});

test('the state stays small however long the session is', () => {
  const path = files.find((name) => name.includes('pi-01')) ?? '';
  const records = recordsOf(readFileSync(path));
  let { state } = readRecords(path, records);
  const sizes: number[] = [];
  for (let round = 0; round < 80; round++) {
    const renamed = records.map((record): NativeRecord => {
      if (!record.ok) return record;
      // Every round is another part of the session: calls without results and records without ids pile up.
      const text = JSON.stringify(record.value)
        .replaceAll('call_', `call_${round}_`)
        .replaceAll('toolResult', 'dropped')
        .replaceAll('"timestamp":"2026', `"timestamp":"20${25 - (round % 20)}`)
        .replaceAll(/"parentId":"[^"]*"/g, '"parentId":null');
      return { ...record, value: JSON.parse(text) as typeof record.value };
    });
    state = piReader.read(state, renamed).state;
    sizes.push(JSON.stringify(state).length);
  }
  expect(sizes.at(-1)).toBeLessThan(60_000);
  expect((sizes.at(-1) ?? 0) - (sizes[40] ?? 0)).toBeLessThan(2000);
});

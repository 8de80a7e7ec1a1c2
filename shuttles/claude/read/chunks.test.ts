import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NativeRecord, ReadOutput } from '../../contract/read.ts';
import { cases, diskSidecars, factsIn, fixtures, readRecords, recordsOf, sessionFiles } from '../fixture-records.ts';
import { claudeReader } from './reader.ts';
import type { State } from './state.ts';

const files = [...sessionFiles(`${fixtures}claude`), ...sessionFiles(cases)];

/** Facts of a batch are told at its end, so that only their sum does not depend on the batches. */
function comparable(outputs: readonly ReadOutput[]): object {
  return { entries: outputs.filter((output) => output.type !== 'facts'), facts: factsIn(outputs) };
}

test('records in any batches, with the state kept as JSON between them, read like the whole file', () => {
  expect(files.length).toBeGreaterThan(40);
  for (const path of files) {
    const records = recordsOf(readFileSync(path));
    const whole = readRecords(path, records);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 200 }), (sizes) => {
        let saved = JSON.stringify(claudeReader.start(whole.identity, path));
        const outputs: ReadOutput[] = [];
        for (let at = 0, i = 0; at < records.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          const step = claudeReader.read(JSON.parse(saved) as State, records.slice(at, at + size));
          outputs.push(...step.outputs);
          saved = JSON.stringify(step.state);
          at += size;
        }
        expect(comparable(outputs)).toEqual(comparable(whole.outputs));
        expect(JSON.parse(saved)).toEqual(JSON.parse(JSON.stringify(whole.state)));
      }),
      { numRuns: 3, seed: 7 },
    );
  }
});

test('the given state is not changed and the same input gives the same output', () => {
  const path = files.find((name) => name.includes('06-tasks')) ?? '';
  const records = recordsOf(readFileSync(path));
  const identity = claudeReader.identify(path, records, diskSidecars);
  if (identity === undefined) throw new Error('no session');
  const start = claudeReader.start(identity, path);
  const before = JSON.stringify(start);
  expect(claudeReader.read(start, records)).toEqual(claudeReader.read(start, records));
  expect(JSON.stringify(start)).toBe(before);
});

test('the state stays small however long the session is', () => {
  const path = files.find((name) => name.includes('02-print-tools')) ?? '';
  const records = recordsOf(readFileSync(path));
  const identity = claudeReader.identify(path, records, diskSidecars);
  if (identity === undefined) throw new Error('no session');
  const sizes: number[] = [];
  let state = claudeReader.start(identity, path);
  for (let round = 0; round < 60; round++) {
    const renamed = records.map((record): NativeRecord => {
      if (!record.ok) return record;
      // Every round is another part of the session: calls without results, prompts, tasks, queue entries pile up.
      const text = JSON.stringify(record.value)
        .replaceAll(/(toolu_|msg_|"uuid":"|"content":")/g, `$1${round}x`)
        .replaceAll('tool_result', 'dropped');
      return { ...record, value: JSON.parse(text) as typeof record.value };
    });
    state = claudeReader.read(state, renamed).state;
    sizes.push(JSON.stringify(state).length);
  }
  expect(sizes.at(-1)).toBeLessThan(100_000);
  expect((sizes.at(-1) ?? 0) - (sizes[30] ?? 0)).toBeLessThan(2000);
});

/** Real records with wrong types, missing fields and junk: nothing throws, keys stay unique, and any cut of the records gives the same. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { NativeRecord, ReadOutput } from '../../contract/read.ts';
import { cases, fixtures, readRecords, recordsFrom, recordsOf, sessionFiles, sessionPath } from '../fixture-records.ts';
import { geminiReader } from './reader.ts';

const files = [...sessionFiles(fixtures), ...sessionFiles(cases)];
const real = files.flatMap((file) => recordsOf(file).flatMap((record) => (record.ok ? [record.value] : [])));
const junk: readonly JsonValue[] = [null, true, -1, 1e300, '', 'x', '__proto__', [], [null], {}, [[{}]], '<session_context>'];

function mutated(value: JsonValue, pick: () => number, depth = 0): JsonValue {
  const roll = pick();
  if (roll < 6 || depth > 12) return junk[pick() % junk.length] ?? null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => mutated(item, pick, depth + 1));
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([name, member]): [string, JsonValue][] =>
      pick() < 4 ? [] : [[name, mutated(member ?? null, pick, depth + 1)]],
    ),
  );
}

const identity = { nativeId: 'x', part: 'x', needs: [] };

function inPieces(records: readonly NativeRecord[], cuts: readonly number[]): readonly ReadOutput[] {
  let state = geminiReader.start(identity, sessionPath);
  const out: ReadOutput[] = [];
  const ends = [...cuts, records.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const read = geminiReader.read(JSON.parse(JSON.stringify(state)) as typeof state, records.slice(from, end));
    state = read.state;
    out.push(...read.outputs);
    from = end;
  }
  return out;
}

test('junk in any place of real records is survived, with a state that stays small', () => {
  const picks = fc.infiniteStream(fc.nat({ max: 99 }));
  fc.assert(
    fc.property(picks, fc.array(fc.nat({ max: real.length - 1 }), { maxLength: 25 }), (stream, chosen) => {
      const pick = (): number => stream.next().value ?? 50;
      const records = recordsFrom(chosen.map((index) => mutated(real[index] ?? {}, pick) as JsonObject).filter(isObject));
      const start = geminiReader.start(identity, sessionPath);
      const { state, outputs } = geminiReader.read(start, records);
      expect(JSON.stringify(state).length).toBeLessThan(400_000);
      for (const output of outputs) if (output.type === 'entry') expect(output.keys[0]?.startsWith('gemini:x')).toBe(true);
    }),
    { seed: 11, numRuns: 400 },
  );
});

test.each(files)('%s reads the same however its records are cut', (file) => {
  const records = recordsOf(file);
  const whole = inPieces(records, []).filter(({ type }) => type !== 'facts');
  fc.assert(
    fc.property(fc.array(fc.nat({ max: records.length }), { maxLength: 6 }), (cuts) => {
      expect(inPieces(records, cuts).filter(({ type }) => type !== 'facts')).toEqual(whole);
    }),
    { seed: 5, numRuns: 20 },
  );
});

test('the state does not grow with the file', () => {
  const values: JsonObject[] = [];
  for (let index = 0; index < 4000; index++) {
    const calls = [{ id: `c${index}`, name: 'glob', args: {}, status: 'success', result: [{ text: 'x'.repeat(2000) }] }];
    values.push({ id: `m${index}`, type: 'gemini', content: 'y'.repeat(2000), toolCalls: calls });
  }
  const { state } = geminiReader.read(geminiReader.start(identity, sessionPath), recordsFrom(values));
  expect(JSON.stringify(state).length).toBeLessThan(80_000);
});

test('a file in which nobody said anything is no session', () => {
  for (const file of files.filter((name) => /T02-59-f8e9b9bb|T10-30-6610945e/.test(name)))
    expect(() => readRecords(recordsOf(file), file)).toThrow('no session');
});

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

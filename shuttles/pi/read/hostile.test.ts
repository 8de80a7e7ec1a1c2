import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { NativeRecord, ReadOutput } from '../../contract/read.ts';
import { fixtures, readRecords, recordsOf, sessionFiles, sessionPath } from '../fixture-records.ts';

const rows = sessionFiles(fixtures)
  .flatMap((file) => recordsOf(readFileSync(file)))
  .flatMap((found) => (found.ok && JSON.stringify(found.value).length < 20_000 ? [found.value] : []));

const junk: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  '\0',
  '../../etc',
  [],
  [null],
  [[]],
  {},
  { type: 'text' },
  [{ type: 'toolCall' }],
];

/** The value with one of its parts, at any depth, replaced or taken away. */
function mutated(value: JsonValue, pick: () => number): JsonValue {
  if (typeof value !== 'object' || value === null || pick() < 0.15) return junk[Math.floor(pick() * junk.length)] ?? null;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const at = Math.floor(pick() * items.length);
    return items.map((item, index) => (index === at ? mutated(item, pick) : item));
  }
  const object = value as JsonObject;
  const names = Object.keys(object);
  const name = names[Math.floor(pick() * names.length)];
  if (name === undefined) return value;
  const { [name]: part, ...rest } = object;
  return pick() < 0.2 ? rest : { ...rest, [name]: mutated(part ?? null, pick) };
}

test('records with wrong types anywhere never throw and never lose their place', () => {
  expect(rows.length).toBeGreaterThan(150);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(rows.length - 1), fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))), {
        minLength: 1,
        maxLength: 12,
      }),
      (choices) => {
        const records = choices.map(([index, stream], place): NativeRecord => {
          const pick = (): number => stream.next().value as number;
          const value = mutated(mutated(rows[index] ?? {}, pick), pick);
          const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : { value };
          return { ok: true, offset: place * 1000, length: 1000, value: object };
        });
        const { outputs, state } = readRecords(sessionPath, [
          { ok: true, offset: -1000, length: 1000, value: { type: 'session', id: 'x' } },
          ...records,
        ]);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        for (const output of outputs) if (output.type === 'entry') expect(wellFormed(output)).toBe(true);
        for (const { offset, ...record } of records) if (record.ok) expect(kept(record.value, outputs, offset)).toBe(true);
      },
    ),
    { numRuns: 2000, seed: 11 },
  );
});

/** Every record of a kind that says something, and every one of a kind that nobody knows, is an entry. */
function kept(value: JsonObject, outputs: readonly ReadOutput[], offset: number): boolean {
  const type = value['type'];
  const quiet = [
    'session',
    'title',
    'message',
    'model_change',
    'thinking_level_change',
    'custom',
    'custom_message',
    'branch_summary',
    'session_info',
    'label',
  ];
  if (typeof type === 'string' && quiet.includes(type)) return true;
  return outputs.some((output) => output.type === 'entry' && output.offset === offset);
}

function wellFormed(output: Extract<ReadOutput, { type: 'entry' }>): boolean {
  if (output.keys.length === 0 || output.keys.some((key) => typeof key !== 'string' || key === '')) return false;
  if (output.at !== null && !Number.isSafeInteger(output.at)) return false;
  if (output.kind === 'user' || output.kind === 'tool_result' || output.kind === 'assistant')
    return (
      Array.isArray(output.content.content) &&
      output.content.content.every((block) => block.type !== 'text' || typeof block.text === 'string')
    );
  return (output.kind !== 'notice' && output.kind !== 'summary') || typeof output.content.text === 'string';
}

test('damaged bytes are entries with their place, and a warning', () => {
  const text = '{"type":"session","id":"x"}\n{"type":"message","id\n{"type":"from-the-future","id":"a","parentId":null}\n{}\n';
  const { outputs } = readRecords(sessionPath, recordsOf(Buffer.from(text)));
  expect(outputs.filter((output) => output.type === 'warning')).toHaveLength(1);
  expect(
    outputs.flatMap((output) =>
      output.type === 'entry' && output.kind === 'opaque' ? [[output.offset, output.content.nativeType]] : [],
    ),
  ).toEqual([
    [28, 'damaged'],
    [50, 'from-the-future'],
    [102, 'untyped'],
  ]);
});

test('a cycle in the parents, ids used twice and names of the prototype end and give every record', () => {
  const tangled = [
    { type: 'session', id: 'x' },
    { type: 'message', id: '1', parentId: '2', message: { role: 'user', content: 'a' } },
    { type: 'message', id: '2', parentId: '1', message: { role: 'user', content: 'b' } },
    { type: 'message', id: '1', parentId: '1', message: { role: 'user', content: 'c' } },
    { type: 'message', id: '__proto__', parentId: 'constructor', message: { role: '__proto__', content: 'd' } },
    { type: 'toString', id: 'hasOwnProperty', parentId: '__proto__' },
  ];
  const { entries } = readRecords(sessionPath, recordsOf(Buffer.from(tangled.map((row) => `${JSON.stringify(row)}\n`).join(''))));
  expect(entries).toHaveLength(5);
  expect(new Set(entries.map(({ keys }) => keys[0])).size).toBe(5);
});

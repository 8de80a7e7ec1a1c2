import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { NativeRecord, ReadOutput } from '../../contract/read.ts';
import { cases, fixtures, readRecords, recordsOf, sessionFiles } from '../fixture-records.ts';

const path = '/home/user/.claude/projects/-home-user-shop/aaaaaaaa-0000-4000-8000-000000000000.jsonl';
const rows = [...sessionFiles(`${fixtures}claude`), ...sessionFiles(cases)]
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
  [{ type: 'tool_result' }],
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

function record(value: JsonObject, index: number): NativeRecord {
  return { ok: true, offset: index * 1000, length: 1000, value };
}

test('records with wrong types anywhere never throw and never lose their place', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(rows.length - 1), fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))), {
        maxLength: 12,
      }),
      (choices) => {
        const records = choices.map(([index, stream], place): NativeRecord => {
          const pick = (): number => stream.next().value as number;
          const value = mutated(mutated(rows[index] ?? {}, pick), pick);
          const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : { value };
          return record(object, place);
        });
        if (records.length === 0) return;
        const { outputs, state } = readRecords(path, records);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        for (const item of records) if (item.ok) expect(kept(item.value, outputs, item.offset)).toBe(true);
        for (const output of outputs) if (output.type === 'entry') expect(wellFormed(output)).toBe(true);
      },
    ),
    { numRuns: 2000, seed: 11 },
  );
});

/** Every record of the tree, and every record of a kind that nobody knows, is an entry or a mark. */
function kept(value: JsonObject, outputs: readonly ReadOutput[], offset: number): boolean {
  const type = value['type'];
  if (type === 'user' || type === 'assistant' || type === 'system' || type === 'attachment') {
    const uuid = value['uuid'];
    const key = typeof uuid === 'string' && uuid !== '' ? uuid.slice(0, 200) : `@${offset}`;
    return outputs.some(
      (output) =>
        (output.type === 'entry' || output.type === 'mark') && output.keys[0]?.toLowerCase().endsWith(key.toLowerCase()) === true,
    );
  }
  if (typeof type !== 'string' || type === '' || type === 'x')
    return outputs.some((output) => output.type === 'entry' && output.offset === offset);
  return true;
}

function wellFormed(output: Extract<ReadOutput, { type: 'entry' }>): boolean {
  if (output.keys.length === 0 || output.keys.some((key) => typeof key !== 'string' || key === '')) return false;
  if (output.at !== null && !Number.isSafeInteger(output.at)) return false;
  if (output.kind === 'user' || output.kind === 'tool_result' || output.kind === 'assistant')
    return (
      Array.isArray(output.content.content) &&
      output.content.content.every((block) => block.type !== 'text' || typeof block.text === 'string')
    );
  if (output.kind === 'plan') return output.content.items.every((item) => typeof item.text === 'string');
  return (output.kind !== 'notice' && output.kind !== 'summary') || typeof output.content.text === 'string';
}

test('damaged bytes are entries with their place, and a warning', () => {
  const { outputs } = readRecords(path, recordsOf(Buffer.from('{"type":"user","uu\n"text"\n{"type":"from-the-future","x":1}\n')));
  expect(outputs.filter((output) => output.type === 'warning')).toHaveLength(2);
  expect(
    outputs.flatMap((output) =>
      output.type === 'entry' && output.kind === 'opaque'
        ? [[output.offset, output.content.nativeType, output.content.damaged]]
        : [],
    ),
  ).toEqual([
    [0, 'damaged', true],
    [19, 'damaged', true],
    [26, 'from-the-future', undefined],
  ]);
});

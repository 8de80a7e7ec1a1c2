/** Real records with wrong types, missing fields and junk in any place: nothing throws, nothing is lost, keys stay unique. */
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { obj, str } from '../../kit/fields.ts';
import {
  cases,
  draftsOf,
  fixtures,
  header,
  noSidecars,
  recordsFrom,
  recordsOf,
  rollout,
  rolloutsIn,
} from '../fixture-records.ts';
import { codexReader } from './reader.ts';

const real: readonly JsonObject[] = [fixtures, cases].flatMap((root) =>
  rolloutsIn(root).flatMap((file) => recordsOf(path.join(root, file)).flatMap((record) => (record.ok ? [record.value] : []))),
);

const junk: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'x',
  '\u0000',
  '__proto__',
  [],
  [null],
  {},
  { type: {} },
  [[[]]],
  '<environment_context>',
];

/** Replaces or removes the parts of a record that `pick` points at. */
function mutated(value: JsonValue, pick: () => number, depth = 0): JsonValue {
  const roll = pick();
  if (roll < 8 || depth > 12) return junk[pick() % junk.length] ?? null;
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const items = list.map((item) => (pick() < 60 ? mutated(item, pick, depth + 1) : item));
    return roll < 12 ? [...items, ...items] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject).flatMap(([name, member]): [string, JsonValue][] => {
    const change = pick();
    if (change < 6) return [];
    return [[change < 8 ? `${name}_` : name, change < 90 ? mutated(member ?? null, pick, depth + 1) : (member ?? null)]];
  });
  return Object.fromEntries(members);
}

/** Changes records only where that keeps them objects. */
function mutatedRecord(value: JsonObject, rolls: readonly number[]): JsonObject {
  let at = 0;
  const pick = (): number => rolls[at++ % rolls.length] ?? 0;
  const changed = mutated(value, pick);
  return typeof changed === 'object' && changed !== null && !Array.isArray(changed) ? (changed as JsonObject) : { changed };
}

const rolls = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 16, maxLength: 64 });

test('mutated records never throw, and their entries have keys of their own and lie where the record lies', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(real.length - 1), rolls), { minLength: 1, maxLength: 40 }), (choices) => {
      const values = choices.map(([index, bytes]) => mutatedRecord(real[index] ?? {}, bytes));
      const records: readonly NativeRecord[] = [
        ...recordsFrom(values),
        { ok: false, offset: 1_000_000, length: 9, text: '{"torn":', reason: 'no JSON object' },
      ];
      const identity = codexReader.identify(rollout, records, noSidecars) ?? { nativeId: 'x', part: 'x', needs: [] };
      const { outputs, state } = codexReader.read(codexReader.start(identity, rollout), records);
      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      const drafts = draftsOf(outputs);
      const keys = drafts.map((draft) => draft.keys[0]);
      expect(keys).not.toContain(undefined);
      expect(new Set(keys).size).toBe(keys.length);
      const offsets = new Set(records.map((record) => record.offset));
      for (const draft of drafts) {
        expect(offsets.has(draft.offset)).toBe(true);
        expect(draft.length).toBeGreaterThan(0);
      }
      expect(drafts.at(-1)).toMatchObject({ kind: 'opaque', content: { damaged: true } });
    }),
    { numRuns: 600, seed: 171 },
  );
});

test('a record of an unknown kind becomes an opaque entry in its place', () => {
  const records = recordsFrom([
    header({}),
    { timestamp: 'never', type: 'hologram', payload: { x: 1 } },
    { type: 'response_item', payload: { type: 'telepathy' } },
    { type: 'event_msg', payload: { type: 'mood_changed' } },
    { type: 'event_msg', payload: { type: 'item_completed', item: { type: 'Dance' } } },
    { type: 'event_msg', payload: { type: 'item_completed' } },
    { type: 'event_msg', payload: {} },
    { type: 'response_item' },
    { odd: true },
  ]);
  const identity = codexReader.identify(rollout, records, noSidecars);
  if (identity === undefined) throw new Error('a rollout');
  const drafts = draftsOf(codexReader.read(codexReader.start(identity, rollout), records).outputs);
  expect(drafts.map((draft) => (draft.kind === 'opaque' ? draft.content.nativeType : draft.kind))).toEqual([
    'hologram',
    'response_item.telepathy',
    'event_msg.mood_changed',
    'item_completed.Dance',
    'item_completed',
    'event_msg.unknown',
    'response_item.unknown',
    'unknown',
  ]);
});

test('in a real rollout every record gives an output, repeats one that did, or is of a kind that says nothing to people', () => {
  const silent = new Set([
    'world_state',
    'turn_context',
    'thread_settings_applied',
    'token_count',
    'token_usage_record',
    'state',
    'session_meta',
  ]);
  for (const file of rolloutsIn(fixtures)) {
    const records = recordsOf(path.join(fixtures, file));
    const identity = codexReader.identify(file, records, noSidecars);
    if (identity === undefined) throw new Error(file);
    const { outputs } = codexReader.read(codexReader.start(identity, file), records);
    const heard = new Set(draftsOf(outputs).map((draft) => draft.offset));
    expect(draftsOf(outputs).filter((draft) => draft.kind === 'opaque')).toEqual([]);
    for (const record of records) {
      if (!record.ok || heard.has(record.offset)) continue;
      const payload = (record.value['payload'] ?? record.value) as JsonObject;
      const names = [
        str(record.value, 'type') ?? 'session_meta',
        str(payload, 'type') ?? '',
        str(obj(payload, 'item'), 'type') ?? '',
      ];
      const echo = [
        'message',
        'reasoning',
        'user_message',
        'agent_message',
        'agent_reasoning',
        'UserMessage',
        'AgentMessage',
        'Reasoning',
        'web_search_call',
        'ContextCompaction',
      ];
      const known = [
        'additional_tools',
        'inter_agent_communication_metadata',
        'patch_apply_end',
        'CommandExecution',
        'FileChange',
        'McpToolCall',
        'ImageView',
        'SubAgentActivity',
        'CollabAgentToolCall',
      ];
      expect(
        names.some((name) => silent.has(name) || echo.includes(name) || known.includes(name)),
        `${file}: ${names.join(' ')}`,
      ).toBe(true);
    }
  }
});

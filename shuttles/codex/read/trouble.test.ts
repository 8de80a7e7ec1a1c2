import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { Draft, NativeRecord } from '../../contract/read.ts';
import { codexReader } from './reader.ts';

const identity = { nativeId: '0b000000-0000-7000-8000-000000000001', part: '0b000000-0000-7000-8000-000000000001', needs: [] };
const at = Date.UTC(2026, 10, 2, 10);

function notices(...payloads: readonly JsonObject[]): readonly unknown[] {
  const values = [
    { type: 'session_meta', payload: { id: identity.nativeId, cwd: '/home/user/shop' } },
    ...payloads.map((payload) => ({ type: 'event_msg', payload })),
  ];
  const records = values.map((value, index): NativeRecord => ({
    ok: true,
    offset: index * 1000,
    length: 999,
    value: { timestamp: new Date(at + index * 1000).toISOString(), ...value },
  }));
  const { outputs } = codexReader.read(codexReader.start(identity, '/home/user/.codex/sessions/x.jsonl'), records);
  const entries = outputs.filter((output): output is Draft => output.type === 'entry');
  return entries.flatMap((entry) =>
    entry.kind === 'notice'
      ? [[entry.content.code, entry.content.text, entry.content.resetsAt]]
      : entry.kind === 'turn'
        ? [entry.content.phase]
        : [],
  );
}

const limits = (used_percent: number, rest: JsonObject = {}): JsonObject => ({
  type: 'token_count',
  info: null,
  rate_limits: {
    primary: { used_percent, window_minutes: 300, ...rest },
    secondary: { used_percent: 4, window_minutes: 10_080, resets_at: 1_797_000_000 },
  },
});

test('a limit is said when it is reached, once, with the end of the window that is full', () => {
  expect(
    notices(
      limits(60),
      limits(100, { resets_at: 1_796_036_400 }),
      limits(100, { resets_at: 1_796_036_400 }),
      limits(3),
      limits(100, { resets_in_seconds: 60 }),
    ),
  ).toEqual([
    ['limit', 'Usage limit reached: 5 hours', 1_796_036_400_000],
    ['limit', 'Usage limit reached: 5 hours', at + 5000 + 60_000],
  ]);
});

test('an error that an event told and its turn repeats is said once', () => {
  expect(
    notices(
      { type: 'error', message: 'The mock failed' },
      { type: 'task_complete', error: { message: 'The mock failed' } },
      { type: 'task_complete', error: { message: 'The mock failed' } },
    ),
  ).toEqual([['apiError', 'The mock failed', undefined], 'failed', ['apiError', 'The mock failed', undefined], 'failed']);
});

test('a failure that Codex calls a limit has the end of the window that was full before it', () => {
  const error = { message: 'No more today.', codex_error_info: 'usage_limit_exceeded' };
  expect(notices(limits(100, { resets_at: 1_796_036_400 }), { type: 'task_complete', error })).toEqual([
    ['limit', 'Usage limit reached: 5 hours', 1_796_036_400_000],
    ['limit', 'No more today.', 1_796_036_400_000],
    'failed',
  ]);
  expect(notices({ type: 'stream_error', message: 'retrying', http_status_code: 429 })).toEqual([
    ['limit', 'retrying (HTTP 429)', undefined],
  ]);
});

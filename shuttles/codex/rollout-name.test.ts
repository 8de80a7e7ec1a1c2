import { expect, test } from 'vitest';
import { isUuid, rolloutName, uuidTime } from './rollout-name.ts';

const thread = '01a22a6b-a7e7-7391-8297-b533792d4cc8';
const segment = '01a22a6c-50c0-7f92-ba2a-839267018c2d';

test('the name of a rollout has the thread, and after a rewind the segment', () => {
  expect(rolloutName(`/x/rollout-2026-11-30T03-07-08-${thread}.jsonl`)).toEqual({ thread });
  expect(rolloutName(`C:\\x\\rollout-2026-11-30T03-07-51-${thread.toUpperCase()}_${segment}.jsonl.zst`)).toEqual({
    thread,
    segment,
  });
  expect(rolloutName(`/${thread}/rollout-from-claude.jsonl`)).toEqual({});
});

test('a uuid of version 7 holds its time, others none', () => {
  expect(uuidTime(thread)).toBe(Date.parse('2026-11-30T03:07:08.135Z'));
  expect(uuidTime('ae7c63de-33a0-4aab-a323-0b4aed2929ac')).toBeUndefined();
  expect(uuidTime('external-import-turn-1')).toBeUndefined();
  expect([isUuid(thread), isUuid(`${thread}0`), isUuid('')]).toEqual([true, false, false]);
});

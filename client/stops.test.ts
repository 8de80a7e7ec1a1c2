import { expect, test } from 'vitest';
import type { ThreadView } from '../server/protocol/views.ts';
import { sampleThread } from './sample-thread.ts';
import { stopSentence, stopsToTell, type StoppedThread } from './stops.ts';

const now = Date.UTC(2026, 8, 10, 15, 0, 0);
const limit = { reason: 'limit' as const, text: 'usage limit reached', resetsAt: now + 2 * 3_600_000 };
const stopped = (over: Partial<ThreadView> = {}): StoppedThread =>
  sampleThread({ stopped: limit, updatedAt: now - 60_000, ...over }) as StoppedThread;
const everywhere = (): boolean => true;
const told = (
  threads: readonly ThreadView[],
  keys: readonly string[] = [],
  isHere: (thread: ThreadView) => boolean = everywhere,
) => stopsToTell(threads, isHere, new Set(keys), now);

test('a stop is told once, and the next turn that ends so is told again', () => {
  const first = told([stopped(), sampleThread({ id: 'goes on' })]);
  expect(first.tell.map((thread) => thread.id)).toEqual(['t1']);
  expect(told([stopped()], first.keys).tell).toEqual([]);
  expect(told([stopped({ turns: 15 })], first.keys).tell).toHaveLength(1);
});

test('only threads of this workspace, that are open or were a short while ago', () => {
  expect(told([stopped()], [], () => false).tell).toEqual([]);
  expect(told([stopped({ updatedAt: now - 3_600_000 })]).tell).toEqual([]);
  expect(told([stopped({ updatedAt: now - 3_600_000, live: true })]).tell).toHaveLength(1);
  expect(told([stopped({ automation: true })]).tell).toEqual([]);
});

test('a limit that is over is no reason to go elsewhere', () => {
  expect(told([stopped({ stopped: { ...limit, resetsAt: now - 1 } })]).tell).toEqual([]);
});

test('one limit that stops several threads is told of the newest, and none of them is told later', () => {
  const threads = [stopped(), stopped({ id: 't2', updatedAt: now - 1000 }), stopped({ id: 't3', harness: 'codex' })];
  const first = told(threads);
  expect(first.tell.map((thread) => thread.id)).toEqual(['t2', 't3']);
  expect(told(threads, first.keys).tell).toEqual([]);
});

test('the words say who stopped, why and until when', () => {
  const clock = (at: number): string => `${new Date(at).getUTCHours()}:00`;
  expect(stopSentence(stopped(), clock)).toBe('Claude Code hit its limit (resets 17:00).');
  expect(stopSentence(stopped({ stopped: { ...limit, resetsAt: null } }), clock)).toBe('Claude Code hit its limit.');
  const failed = { reason: 'failed' as const, text: 'stream [disconnected](command:x)', resetsAt: null };
  expect(stopSentence(stopped({ stopped: failed }), clock)).not.toContain('](');
});

/** Who holds a thread's sessions, and whether it may be taken over: what is refused says who drives, and what is warned of. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { endConflict } from '../../server/drive/conflict.ts';
import { heldSessions, livenessOf } from '../../server/drive/liveness.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { threadView } from '../../server/main/thread-view.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Holder } from '../../shuttles/contract/shuttle.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { goesOn } from './goes-on.ts';
import { handOver, id } from './hand-over.ts';
import { ledgerOf, threadOf } from './read-home.ts';

const since = Date.UTC(2026, 10, 30, 14, 2);
const holder = (more: Partial<Holder>): Holder => ({
  nativeId: id,
  pid: 4711,
  activity: 'idle',
  evidence: 'registry entry of a running process, its start time matches',
  ...more,
});

async function told(home: HomeLedger, held: readonly Holder[], thread = threadOf(home)) {
  return livenessOf(
    thread,
    await heldSessions(home.ledger, thread, (_: HarnessId, nativeId: string) => held.filter((one) => one.nativeId === nativeId)),
  );
}

test('a refusal says who drives, on which surface, since when, what it does and how that is known', async () => {
  await using home = await ledgerOf();
  expect(await told(home, [])).toEqual({ refusal: null, warnings: [] });
  expect((await told(home, [holder({ activity: 'working', surface: 'cli', since })])).refusal).toBe(
    'Claude Code (cli) is working: process 4711 since 2026-11-30 14:02 UTC (registry entry of a running process, its start time matches)',
  );
  expect((await told(home, [holder({ activity: 'waiting', waitingFor: 'permission prompt' })])).refusal).toContain(
    'is waiting (permission prompt): process 4711',
  );
  const two = await told(home, [holder({ activity: 'working' }), holder({ pid: null, activity: 'waiting' })]);
  expect(two.refusal?.split('; ')).toHaveLength(2);
  expect(two.refusal).toContain('a process whose id is not known');
});

test('who has it open without doing anything is named, and does not stop a hand-over', async () => {
  await using home = await ledgerOf();
  const { refusal, warnings } = await told(home, [holder({})]);
  expect(refusal).toBeNull();
  expect(warnings).toEqual([expect.stringMatching(/has it open, idle: process 4711 .*two branches/u)]);
});

test('a process that does not say what it does is working while its last turn has not ended, and idle after that', async () => {
  await using home = new HomeLedger(copyHome(path.join(fixtures, 'codex/01-exec-basic')));
  await home.catchUp();
  const thread = findThread(home.ledger, '01a22a63-5268-72d2-9d6b-88a762a10057');
  const held = [holder({ nativeId: '01a22a63-5268-72d2-9d6b-88a762a10057', activity: 'unknown', evidence: 'writer lock held' })];
  expect(await told(home, held, thread)).toMatchObject({ refusal: null, warnings: [expect.stringContaining('idle')] });
  expect((await told(home, held, { ...thread, last_turn: 'started' })).refusal).toContain('a turn that has not ended');
});

test('of a harness that writes whole messages and marks no turns, an answer without calls is the end of one', async () => {
  await using home = new HomeLedger(copyHome(path.join(fixtures, 'gemini/session')));
  await home.catchUp();
  const native = home.ledger.natives.byThread(home.ledger.threads.newest(1)[0]?.number ?? 0)[0];
  if (native === undefined) throw new Error('no session');
  const held = [holder({ nativeId: native.native_id, activity: 'unknown' })];
  const thread = () => findThread(home.ledger, native.native_id);
  goesOn('gemini', { file: native.path, prompt: 'Paint it blue.', answer: 'Blue.', at: since });
  await home.catchUp();
  expect((await told(home, held, thread())).refusal).toBeNull();
  const asked = { id: 'asked', timestamp: new Date(since).toISOString(), type: 'user', content: [{ text: 'And the door red.' }] };
  fs.appendFileSync(native.path, `${JSON.stringify(asked)}\n`);
  await home.catchUp();
  expect((await told(home, held, thread())).refusal).toContain('whether it works cannot be told');
});

test('a session that has lost the thread stops nothing, whatever it does, and the holder does', async () => {
  await using home = await ledgerOf();
  const { nativeId } = await handOver(home, {});
  const claude = holder({ activity: 'working' });
  const codex = holder({ nativeId, activity: 'unknown', evidence: 'writer lock held' });
  const lost = await told(home, [claude]);
  expect(lost.refusal).toBeNull();
  expect(lost.warnings).toEqual([expect.stringMatching(/is working.*that the thread has left: what it writes is not carried/u)]);
  // It is open as it was written.
  expect(await told(home, [codex])).toMatchObject({ refusal: null, warnings: [expect.stringContaining('idle')] });
  const file = home.ledger.natives.byNumber(threadOf(home).current_native ?? 0)?.path ?? '';
  const begun = { type: 'event_msg', payload: { type: 'task_started', turn_id: 't' }, timestamp: new Date(since).toISOString() };
  fs.appendFileSync(file, `${JSON.stringify(begun)}\n`);
  await home.catchUp();
  expect((await told(home, [claude, codex])).refusal).toMatch(/^Codex has it open with a turn that has not ended/u);
});

test('the list shows who drives: after a hand-over only who holds the lease', async () => {
  await using home = await ledgerOf();
  const { nativeId } = await handOver(home, {});
  const view = (holders: readonly Holder[]) =>
    threadView(
      home.ledger,
      threadOf(home),
      new Map(holders.map((one) => [`${one.nativeId === id ? 'claude' : 'codex'}:${one.nativeId}`, [one]])),
    );
  expect(view([holder({ activity: 'working' })])).toMatchObject({ live: false, driver: null, state: 'ended' });
  expect(view([holder({ activity: 'working' }), holder({ nativeId, pid: 12 })])).toMatchObject({
    live: true,
    driver: { harness: 'codex', pid: 12 },
    state: 'idle',
  });
  goesOn('claude', {
    file: path.join(home.home, '.claude/projects/-home-user-shop', `${id}.jsonl`),
    prompt: 'Paint it blue.',
    answer: 'Blue.',
    at: since,
  });
  await home.catchUp();
  await endConflict(home.ledger, threadOf(home), 'follow', since);
  expect(view([holder({ activity: 'working' })])).toMatchObject({ driver: { harness: 'claude', pid: 4711 }, state: 'working' });
});

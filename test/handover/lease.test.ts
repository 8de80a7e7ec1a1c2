/** Who holds a thread: acquired with every hand-over, renewed by who writes, lost for good; over kills. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Ledger } from '../../server/ledger/ledger.ts';
import type { LeaseRow } from '../../server/ledger/leases-table.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { returnsOf } from '../../server/main/returns.ts';
import { threadView } from '../../server/main/thread-view.ts';
import type { ThreadView } from '../../server/protocol/views.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { makeFormer } from '../former-ledger.ts';
import { HomeLedger } from '../home-ledger.ts';
import { goesOn } from './goes-on.ts';
import { handOver, id } from './hand-over.ts';
import { ledgerOf, threadOf } from './read-home.ts';

const later = Date.UTC(2026, 11, 1);
const leasesOf = (home: HomeLedger): readonly LeaseRow[] => home.ledger.leases?.of(threadOf(home).number) ?? [];
const claudeFile = (home: string): string => path.join(home, '.claude/projects/-home-user-shop', `${id}.jsonl`);
const inClaude = (home: string, words: string, at = later): void =>
  goesOn('claude', { file: claudeFile(home), prompt: words, answer: 'Yes.', at });

test('a thread that never changed hands has no lease; the first hand-over records who had it before, and who has it', async () => {
  await using home = await ledgerOf();
  expect(leasesOf(home)).toEqual([]);
  expect(threadView(home.ledger, threadOf(home), new Map()).lease).toBeNull();
  const first = threadOf(home).current_native;
  await handOver(home, {});
  const [before, now, ...others] = leasesOf(home);
  const row = threadOf(home);
  expect(others).toEqual([]);
  expect(before).toMatchObject({ epoch: 0, harness: 'claude', native: first, turns: 1, lost_at: now?.acquired_at });
  expect(now).toMatchObject({ epoch: 1, harness: 'codex', native: row.current_native, turns: 0, lost_at: null });
  expect(threadView(home.ledger, row, new Map()).lease).toEqual({ epoch: 1, holder: 'codex', since: now?.acquired_at });
});

test('every hand-over raises the epoch, and exactly one lease of a thread is not lost', async () => {
  await using home = await ledgerOf();
  for (const harness of ['codex', 'claude', 'codex', 'claude'] as const) await handOver(home, { harness });
  const leases = leasesOf(home);
  expect(leases.map(({ epoch }) => epoch)).toEqual([0, 1, 2, 3, 4]);
  expect(leases.filter(({ lost_at }) => lost_at === null).map(({ epoch }) => epoch)).toEqual([4]);
  expect(threadOf(home)).toMatchObject({ lease_epoch: 4, lease_harness: 'claude', current_native: leases[4]?.native });
});

test('what the holder writes renews its lease and counts its prompts, at most once a second without one', async () => {
  await using home = await ledgerOf();
  const { path: file } = await handOver(home, {});
  const codex = (at: number) => goesOn('codex', { file, prompt: 'Go on.', answer: 'Yes.', at });
  codex(later);
  await home.catchUp();
  expect(leasesOf(home)[1]).toMatchObject({ renewed_at: later, turns: 1 });
  const record = (at: number): string =>
    `${JSON.stringify({ timestamp: new Date(at).toISOString(), type: 'event_msg', payload: { type: 'warning', message: 'Slow.' } })}\n`;
  fs.appendFileSync(file, record(later + 500));
  await home.catchUp();
  expect(leasesOf(home)[1]).toMatchObject({ renewed_at: later, turns: 1 });
  fs.appendFileSync(file, record(later + 1500));
  await home.catchUp();
  expect(leasesOf(home)[1]).toMatchObject({ renewed_at: later + 1500, turns: 1 });
  // Who lost it renews nothing.
  inClaude(home.home, 'Paint it blue.', later + 9000);
  await home.catchUp();
  expect(leasesOf(home)).toMatchObject([
    { epoch: 0, turns: 1 },
    { renewed_at: later + 1500, turns: 1 },
  ]);
});

test('the way back is open to a harness that drove before, with the prompts that came since, while its file is there', async () => {
  await using home = await ledgerOf();
  const able: ReadonlySet<HarnessId> = new Set(['claude', 'codex']);
  const returns = (): ThreadView['returns'] => returnsOf(home.ledger, threadOf(home), able);
  expect(returns()).toEqual([]);
  const { path: file } = await handOver(home, {});
  expect(returns()).toEqual([{ harness: 'claude', turns: 0 }]);
  for (const words of ['Paint it blue.', 'And the door red.']) {
    goesOn('codex', { file, prompt: words, answer: 'Yes.', at: later });
    await home.catchUp();
  }
  expect(returns()).toEqual([{ harness: 'claude', turns: 2 }]);
  expect(returnsOf(home.ledger, threadOf(home), new Set(['codex']))).toEqual([]);
  // Not to a session that somebody has gone on with.
  inClaude(home.home, 'And the roof green.');
  await home.catchUp();
  expect(returns()).toEqual([]);
});

test('there is no way back to a session whose file is gone', async () => {
  await using home = await ledgerOf();
  await handOver(home, {});
  fs.rmSync(claudeFile(home.home));
  await home.catchUp();
  expect(returnsOf(home.ledger, threadOf(home), new Set<HarnessId>(['claude', 'codex']))).toEqual([]);
});

test('threads that an older Loom carried have a lease once its ledger is brought up; until then they can be looked at', async () => {
  const first = await ledgerOf();
  await handOver(first, {});
  await first[Symbol.asyncDispose]();
  makeFormer(first.folder, 2);
  const reader = Ledger.open(first.folder, { readonly: true, now: 0, maySetAside: false });
  expect(threadView(reader, findThread(reader, id), new Map())).toMatchObject({
    lease: { epoch: 1, holder: 'codex' },
    conflict: null,
    stopped: null,
  });
  await reader.close();
  await using home = new HomeLedger(first.home, {}, 'linux', { folder: first.folder });
  const row = threadOf(home);
  expect(leasesOf(home)).toMatchObject([{ epoch: 1, harness: 'codex', native: row.current_native, lost_at: null }]);
  inClaude(home.home, 'Paint it blue.');
  await home.catchUp();
  expect(threadView(home.ledger, threadOf(home), new Map())).toMatchObject({ harness: 'codex', conflict: { harness: 'claude' } });
  expect((await handOver(home, { harness: 'claude' })).lease?.epoch).toBe(2);
});

/** In one file: two hundred sources would cost seconds each time. Beside the packages that it needs. */
const program = path.join(import.meta.dirname, `../../.cache/conflict-process-${process.pid}.mjs`);
beforeAll(async () => {
  await build({
    entryPoints: [path.join(import.meta.dirname, 'conflict-process.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
});
afterAll(() => fs.rmSync(program, { force: true }));

test.for([
  ['keep', 'settling', 1],
  ['follow', 'settling', 1],
  ['keep', 'settled', 0],
  ['follow', 'settled', 0],
] as const)(
  'a process that is killed when a conflict is to %s and it is %s leaves it open (%i) or ended, never half',
  async ([choice, step, open]) => {
    const first = await ledgerOf();
    await handOver(first, {});
    inClaude(first.home, 'Paint it blue.');
    await first.catchUp();
    const was = threadOf(first);
    await first[Symbol.asyncDispose]();
    const ended = spawnSync(process.execPath, [program, first.home, first.folder, choice, step], { encoding: 'utf8' });
    expect(ended.signal, ended.stderr).toBe('SIGKILL');
    await using home = new HomeLedger(first.home, {}, 'linux', { folder: first.folder });
    const isFollowed = choice === 'follow' && open === 0;
    expect(home.ledger.conflicts?.allOpen()).toHaveLength(open);
    expect(leasesOf(home).filter(({ lost_at }) => lost_at === null)).toMatchObject([
      isFollowed ? { epoch: 2, harness: 'claude' } : { epoch: 1, harness: 'codex' },
    ]);
    if (isFollowed) expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 2, lease_harness: 'claude' });
    else expect(threadOf(home)).toEqual(was);
    // The thread can be carried, whatever was left.
    expect((await handOver(home, { harness: 'codex', force: true })).lease?.epoch).toBe(isFollowed ? 3 : 2);
  },
);

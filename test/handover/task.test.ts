/** A hand-over as a task: what is on record at each step, and how it is refused. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compose } from '../../server/drive/compose.ts';
import { sha256 } from '../../server/drive/change.ts';
import { handoffOf } from '../../server/drive/handoff.ts';
import type { Handoff } from '../../server/drive/handoff.ts';
import { liveHandovers } from '../../server/drive/live-handovers.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { world } from '../../server/main/world.ts';
import { Fault } from '../../server/protocol/faults.ts';
import type { HomeLedger, HomeLedgerOptions } from '../home-ledger.ts';
import { dependencies, handOver, id, paramsOf } from './hand-over.ts';
import { codexFiles, ledgerOf, prompt, statusesOf, tasksOf, threadOf } from './read-home.ts';

/** A hand-over to Codex that has passed every check. */
async function composed(home: HomeLedger): Promise<Handoff> {
  const deps = dependencies(home);
  const thread = findThread(home.ledger, id);
  return handoffOf(thread, await compose(thread, paramsOf({}), deps), deps.now());
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error.id;
    throw error;
  }
  return 'none';
}

test('the intent is on record before the file is, and the thread is its own until the last step', async () => {
  const seen: unknown[] = [];
  const options: HomeLedgerOptions = {
    onStep: (step) => {
      if (step === 'settled') return;
      seen.push([step, home.ledger.handoffs.pending().length, codexFiles(home).length, threadOf(home).harness]);
    },
  };
  await using home = await ledgerOf(options);
  await handOver(home, {});
  expect(seen).toEqual([
    ['composed', 0, 0, 'claude'],
    ['asked', 0, 0, 'claude'],
    ['executing', 0, 0, 'claude'],
    ['intending', 1, 0, 'claude'],
    ['intended', 1, 0, 'claude'],
    ['written', 1, 1, 'claude'],
    ['settling', 0, 1, 'codex'],
  ]);
});

test('the task remembers where the session is, and nothing that was said', async () => {
  await using home = await ledgerOf();
  const result = await handOver(home, { baton: 'Mind the tax.' });
  const [task] = await tasksOf(home);
  expect(task).toMatchObject({
    status: 'done',
    state: { thread: result.thread, from: 'claude', to: 'codex', nativeId: result.nativeId, epoch: 0, path: result.path },
  });
  expect(task?.state.sha256).toBe(sha256(fs.readFileSync(result.path)));
  for (const said of [prompt, 'Built.', 'Mind the tax.']) expect(JSON.stringify(task)).not.toContain(said);
  const engine = await home.ledger.engine(threadOf(home).session);
  const entry = engine.getEntry(task?.state.entry ?? 0);
  expect(entry).toMatchObject({ kind: 'handoff', byTaskId: task?.id, content: { text: 'Mind the tax.' } });
  expect(entry?.conversationId).toBe(threadOf(home).current_conversation);
});

test('a dry run makes no task', async () => {
  await using home = await ledgerOf();
  await handOver(home, { dryRun: true });
  expect(await statusesOf(home)).toEqual([]);
  expect(await faultOf(handOver(home, { harness: 'antigravity', dryRun: false }))).toBe('C004');
  expect(await statusesOf(home)).toEqual([]);
});

test('a session that cannot be written is refused with the reason, and nothing of it is left', async () => {
  await using home = await ledgerOf({ world: { ...world, writeNew: () => 'the disk is full' } });
  await expect(handOver(home, {})).rejects.toMatchObject({ id: 'C005', detail: 'the disk is full' });
  expect(await tasksOf(home)).toMatchObject([
    { status: 'refused', state: { fault: { id: 'C005', detail: 'the disk is full' } } },
  ]);
  expect(home.ledger.handoffs.pending()).toEqual([]);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
});

test('of two that were composed of the same state one is refused, and its session is gone', async () => {
  await using home = await ledgerOf();
  const [first, second] = [await composed(home), await composed(home)];
  expect(await home.handovers.carry(first)).toEqual({ epoch: 1, holder: 'codex' });
  await expect(home.handovers.carry(second)).rejects.toMatchObject({
    id: 'C009',
    detail: 'It was carried to Codex meanwhile.',
  });
  expect(await statusesOf(home)).toEqual(['done', 'refused']);
  expect(codexFiles(home).map((file) => path.join(home.home, file))).toEqual([first.change.path]);
  expect(threadOf(home)).toMatchObject({ lease_epoch: 1, lease_harness: 'codex' });
  expect(home.ledger.handoffs.pending()).toEqual([]);
});

test('a thread that got new records while it was carried is refused, and its session is gone', async () => {
  await using home = await ledgerOf();
  const handoff = await composed(home);
  const [file = ''] = fs.globSync('.claude/projects/*/*.jsonl', { cwd: home.home });
  const lines = fs.readFileSync(path.join(home.home, file), 'utf8').trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as { readonly uuid: string };
  const more = { ...(JSON.parse(lines[0] ?? '') as object), uuid: '00000000-0000-4000-8000-00000000ffff', parentUuid: last.uuid };
  fs.appendFileSync(path.join(home.home, file), `${JSON.stringify(more)}\n`);
  await home.catchUp();
  await expect(home.handovers.carry(handoff)).rejects.toMatchObject({ id: 'C009', detail: 'There are new records of it.' });
  expect(codexFiles(home)).toEqual([]);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
  expect((await handOver(home, {})).lease).toEqual({ epoch: 1, holder: 'codex' });
});

test('a hand-over whose last step fails is taken back, its error is told, and the next one works', async () => {
  await using home = await ledgerOf();
  const handoff = await composed(home);
  home.ledger.sources.insert(handoff.change.path, 'codex');
  await expect(home.handovers.carry(handoff)).rejects.toThrow(/UNIQUE/u);
  expect(await statusesOf(home)).toEqual(['undone']);
  expect(codexFiles(home)).toEqual([]);
  expect(home.ledger.handoffs.pending()).toEqual([]);
  expect((await handOver(home, {})).lease).toEqual({ epoch: 1, holder: 'codex' });
});

test('a hand-over that is cancelled is taken back', async () => {
  let cancelled: Promise<void> | undefined;
  const options: HomeLedgerOptions = {
    onStep: (step) => {
      if (step === 'written') cancelled = cancel();
    },
  };
  await using home = await ledgerOf(options);
  const engine = await home.ledger.engine(threadOf(home).session);
  const cancel = async (): Promise<void> =>
    engine.commit((tx) => {
      for (const task of liveHandovers(engine)) tx.patch(task, { abort: true });
    });
  await expect(handOver(home, {})).rejects.toThrow(/cancelled/u);
  await cancelled;
  expect(await statusesOf(home)).toEqual(['undone']);
  expect(codexFiles(home)).toEqual([]);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
});

test('a hand-over during which something unforeseen is thrown is taken back, and the error is told', async () => {
  let throws = true;
  const writeNew: typeof world.writeNew = (...args) => {
    const written = world.writeNew(...args);
    if (throws) throw new Error('unforeseen');
    return written;
  };
  await using home = await ledgerOf({ world: { ...world, writeNew } });
  await expect(handOver(home, {})).rejects.toThrow('unforeseen');
  expect(await statusesOf(home)).toEqual(['undone']);
  expect(codexFiles(home)).toEqual([]);
  throws = false;
  expect((await handOver(home, {})).lease).toEqual({ epoch: 1, holder: 'codex' });
});

/** Which engines of a ledger stay open: at most one a session, and none that works or is watched is given up. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TaskKind } from '../engine/kinds.ts';
import { continueTask } from './continue-task.ts';
import type { ContinueState } from './continue-task.ts';
import { Ledger } from './ledger.ts';

const state: ContinueState = { thread: 't', from: 'claude', to: 'codex', nativeId: 'n', epoch: 0 };

/** Hand-overs that are over when `open` is called, and cancelled when they are told to end. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls: string[] = [];
  const kind: TaskKind<ContinueState> = {
    ...continueTask,
    async execute(task, context) {
      calls.push('execute');
      await Promise.race([promise, new Promise((end) => context.signal.addEventListener('abort', end))]);
      context.signal.throwIfAborted();
      await context.commit((tx) => tx.settle(task, 'undone'));
    },
    async recover(task, context) {
      await context.commit((tx) => tx.settle(task, 'undone'));
    },
    async abort(task, context) {
      await context.commit((tx) => tx.settle(task, 'undone'));
    },
  };
  return { kind, calls, open: resolve };
}

function ledgerOf(kind?: TaskKind<ContinueState>, folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'))): Ledger {
  const ledger = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
  if (kind !== undefined) ledger.executes(kind);
  onTestFinished(async () => {
    await ledger.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return ledger;
}

/** A session with a hand-over that was asked for. */
async function asked(ledger: Ledger, session: string): Promise<number> {
  const root = await (await ledger.engine(session, true)).root();
  return root.commit((tx) => tx.task(continueTask, { state }));
}

/** More sessions than are kept open when nobody uses them. */
async function crowd(ledger: Ledger): Promise<void> {
  for (let i = 0; i < 60; i++) await ledger.engine(`crowd ${i}`, true);
}

test('an engine that nobody uses is given up for newer ones, and asked for again it reads what there is', async () => {
  const ledger = ledgerOf();
  const task = await asked(ledger, 's');
  const before = await ledger.engine('s');
  await crowd(ledger);
  const after = await ledger.engine('s');
  expect(after).not.toBe(before);
  expect(after.getTask(continueTask, task)?.status).toBe('asked');
});

test('an engine that executes a task is not given up', async () => {
  const { kind, open } = gate();
  const ledger = ledgerOf(kind);
  await asked(ledger, 's');
  const engine = await ledger.engine('s');
  const driving = engine.drive();
  await expect.poll(() => engine.running.length).toBe(1);
  await crowd(ledger);
  expect(await ledger.engine('s')).toBe(engine);
  open();
  expect(await driving).toBe('idle');
  await crowd(ledger);
  expect(await ledger.engine('s')).not.toBe(engine);
});

test('an engine that is watched is not given up', async () => {
  const ledger = ledgerOf();
  const engine = await ledger.engine('s', true);
  const watch = await engine.watch();
  await crowd(ledger);
  expect(await ledger.engine('s')).toBe(engine);
  watch.unsubscribe();
  await crowd(ledger);
  expect(await ledger.engine('s')).not.toBe(engine);
});

test('an engine that is held is not given up', async () => {
  const ledger = ledgerOf();
  await ledger.engine('s', true);
  const { engine } = await (async () => {
    using held = await ledger.hold('s');
    await crowd(ledger);
    expect(await ledger.engine('s')).toBe(held.engine);
    return held;
  })();
  await crowd(ledger);
  expect(await ledger.engine('s')).not.toBe(engine);
});

test('a session that was forgotten is opened anew once its work has ended', async () => {
  const { kind, calls } = gate();
  const ledger = ledgerOf(kind);
  const task = await asked(ledger, 's');
  const doubtful = await ledger.engine('s');
  const driving = doubtful.drive();
  await expect.poll(() => calls).toEqual(['execute']);
  ledger.forget('s');
  const anew = await ledger.engine('s');
  expect(anew).not.toBe(doubtful);
  expect(doubtful.running).toEqual([]);
  expect(await driving).toBe('closed');
  expect(anew.getTask(continueTask, task)?.status).toBe('asked');
});

test('closing the ledger ends what its engines execute, and nothing is opened any more', async () => {
  const { kind } = gate();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  const ledger = ledgerOf(kind, folder);
  await asked(ledger, 's');
  const engine = await ledger.engine('s');
  const driving = engine.drive();
  await expect.poll(() => engine.running.length).toBe(1);
  await ledger.close();
  expect(await driving).toBe('closed');
  expect(engine.running).toEqual([]);
  await expect(ledger.engine('s')).rejects.toThrow(/closed/u);
  const again = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
  expect(again.liveSessions()).toEqual(['s']);
  await again.close();
});

test('the sessions with live tasks are found, and no others', async () => {
  const ledger = ledgerOf(gate().kind);
  for (const session of ['a', 'b', 'c']) await asked(ledger, session);
  await ledger.engine('d', true);
  const engine = await ledger.engine('b');
  await engine.commit((tx) => {
    for (const { id } of engine.liveTasks()) tx.settle(id, 'undone');
  });
  expect(ledger.liveSessions()).toEqual(['a', 'c']);
});

test('a session with a live hand-over is read by a ledger that executes none', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  await asked(ledgerOf(undefined, folder), 's');
  const reader = Ledger.open(folder, { readonly: true, now: 0, maySetAside: false });
  expect((await reader.engine('s')).liveTasks()).toMatchObject([{ kind: 'continue', status: 'asked' }]);
  await reader.close();
});

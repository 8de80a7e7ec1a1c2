/**
 * A return that is killed between any two of its steps: the session that it went back to is, byte for byte, as it was, or the thread's; and
 * nobody else's bytes are ever taken away.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { recoverHandovers } from '../../server/drive/recover.ts';
import { world } from '../../server/main/world.ts';
import { HomeLedger } from '../home-ledger.ts';
import { goesOn } from './goes-on.ts';
import { handOver, homeWith, id } from './hand-over.ts';
import { KilledProcess } from './killed-process.ts';
import type { Place } from './killed-process.ts';
import { threadOf } from './read-home.ts';

let program: KilledProcess;
beforeAll(async () => {
  program = await KilledProcess.build('return-crash');
});
afterAll(() => program.remove());

const later = Date.UTC(2026, 11, 1);

interface Away extends Place {
  readonly file: string;
  readonly bytes: Buffer;
  readonly thread: unknown;
}

/** A thread of Claude Code that went on in Codex. */
async function away(): Promise<Away> {
  const home = homeWith({ exchanges: [['Build the cart.', 'Built.']] });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  onTestFinished(() => {
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  const file = path.join(home, '.claude/projects/-home-user-shop', `${id}.jsonl`);
  await using ledger = new HomeLedger(home, {}, 'linux', { folder });
  await ledger.catchUp();
  const { path: rollout } = await handOver(ledger, {});
  goesOn('codex', { file: rollout, prompt: 'Add the tax.', answer: 'Added.', at: later });
  await ledger.catchUp();
  return { home, folder, file, bytes: fs.readFileSync(file), thread: threadOf(ledger) };
}

async function killed(place: Away, step: string): Promise<void> {
  expect(await program.run(place, { session: id, to: 'claude', mode: 'return' }, step), step).toBe('SIGKILL');
}

async function opened({ home, folder }: Place): Promise<{ readonly ledger: HomeLedger; readonly lines: readonly string[] }> {
  const ledger = new HomeLedger(home, {}, 'linux', { folder });
  const lines = await recoverHandovers(ledger.ledger, world);
  await ledger.catchUp();
  return { ledger, lines };
}

const aside = ({ folder }: Place): readonly string[] => world.list(path.join(folder, 'appends'));

/** Nothing is under way, and the thread goes back as if nobody had tried before. */
async function expectSound(place: Away, home: HomeLedger): Promise<void> {
  expect(home.ledger.liveSessions()).toEqual([]);
  expect(home.ledger.handoffs.pending()).toEqual([]);
  expect(aside(place)).toEqual([]);
  expect(home.faults).toEqual([]);
  const { lease_epoch: epoch } = threadOf(home);
  if (threadOf(home).harness === 'claude') return;
  expect(await handOver(home, { harness: 'claude', mode: null })).toMatchObject({ mode: 'return', lease: { epoch: epoch + 1 } });
  goesOn('claude', { file: place.file, prompt: 'Ship it.', answer: 'Shipped.', at: later + 60_000 });
  await home.catchUp();
  expect(threadOf(home)).toMatchObject({ harness: 'claude', turns: 3 });
  expect(home.ledger.threads.count()).toBe(1);
}

test.for([
  'composed',
  'asked',
  'executing',
  'intending',
  'intended',
  'unnamed',
  'named',
  'halfAppended',
  'appended',
  'written',
  'settling',
])('a return that was killed when it was %s is as if it had not been asked for', async (step) => {
  const place = await away();
  await killed(place, step);
  if (step === 'halfAppended') expect(fs.statSync(place.file).size).toBeGreaterThan(place.bytes.length);
  const { ledger } = await opened(place);
  await using home = ledger;
  expect(fs.readFileSync(place.file).equals(place.bytes)).toBe(true);
  expect(threadOf(home)).toEqual(place.thread);
  await expectSound(place, home);
});

test('a return that was killed when it was settled is done', async () => {
  const place = await away();
  await killed(place, 'settled');
  const { ledger, lines } = await opened(place);
  await using home = ledger;
  expect(lines).toEqual([]);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 2 });
  const bytes = fs.readFileSync(place.file);
  expect(bytes.subarray(0, place.bytes.length).equals(place.bytes)).toBe(true);
  expect(bytes.length).toBeGreaterThan(place.bytes.length);
  expect(await home.catchUp()).toMatchObject({ entries: 0 });
  expect(aside(place)).toEqual([]);
});

test('an owner that is killed while it takes a return back leaves that to the next one', async () => {
  const place = await away();
  for (const step of ['halfAppended', 'takingBack', 'takenBack']) await killed(place, step);
  const { ledger } = await opened(place);
  await using home = ledger;
  expect(fs.readFileSync(place.file).equals(place.bytes)).toBe(true);
  await expectSound(place, home);
});

test.for(['halfAppended', 'appended', 'written'])(
  'what the program wrote behind a return that was killed when it was %s stays, and Loom takes nothing away',
  async (step) => {
    const place = await away();
    await killed(place, step);
    fs.appendFileSync(
      place.file,
      `${step === 'halfAppended' ? '\n' : ''}{"type":"custom-title","customTitle":"Mine","sessionId":"${id}"}\n`,
    );
    const was = fs.readFileSync(place.file);
    const { ledger, lines } = await opened(place);
    await using home = ledger;
    expect(lines.join()).toContain('had been gone on with');
    expect(fs.readFileSync(place.file).equals(was)).toBe(true);
    expect(threadOf(home)).toMatchObject({ harness: 'codex', lease_epoch: 1 });
    expect(home.ledger.liveSessions()).toEqual([]);
    expect(home.ledger.handoffs.pending()).toEqual([]);
    // What was put there counts as the session's own talk: it does not stand where the thread left it any more.
    if (step !== 'halfAppended') expect((await handOver(home, { harness: 'claude', mode: null })).mode).toBe('native');
  },
);

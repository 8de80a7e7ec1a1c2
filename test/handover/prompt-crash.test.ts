/** A hand-over by prompt that is killed between any two of its steps: as if it had not been asked for, or done. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { recoverHandovers } from '../../server/drive/recover.ts';
import { world } from '../../server/main/world.ts';
import { HomeLedger } from '../home-ledger.ts';
import { handOver, homeWith, id } from './hand-over.ts';
import { KilledProcess } from './killed-process.ts';
import type { Place } from './killed-process.ts';
import { threadOf } from './read-home.ts';

let program: KilledProcess;
beforeAll(async () => {
  program = await KilledProcess.build('prompt-crash');
});
afterAll(() => program.remove());

async function killedAt(step: string): Promise<Place> {
  const home = homeWith({ exchanges: [['Build the cart.', 'Built.']] });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  onTestFinished(() => {
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  expect(await program.run({ home, folder }, { session: id, to: 'codex', mode: 'prompt' }, step), step).toBe('SIGKILL');
  return { home, folder };
}

async function opened({ home, folder }: Place): Promise<HomeLedger> {
  const ledger = new HomeLedger(home, {}, 'linux', { folder });
  await recoverHandovers(ledger.ledger, world);
  await ledger.catchUp();
  return ledger;
}
const batons = ({ folder }: Place): readonly string[] => world.list(path.join(folder, 'batons'));

test.for(['composed', 'asked', 'executing', 'intending', 'intended', 'unnamed', 'named', 'copying', 'written', 'settling'])(
  'one that was killed when it was %s is as if it had not been asked for',
  async (step) => {
    const place = await killedAt(step);
    await using home = await opened(place);
    expect(batons(place)).toEqual([]);
    expect(home.ledger.expected.open('codex')).toEqual([]);
    expect(home.ledger.handoffs.pending()).toEqual([]);
    expect(home.ledger.liveSessions()).toEqual([]);
    expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
    expect(home.ledger.natives.byThread(threadOf(home).number)).toHaveLength(1);
    expect(await handOver(home, { mode: 'prompt' })).toMatchObject({ lease: { epoch: 1, holder: 'codex' } });
    expect(batons(place)).toHaveLength(1);
  },
);

test('one that was killed when it was settled is done', async () => {
  const place = await killedAt('settled');
  await using home = await opened(place);
  expect(batons(place)).toHaveLength(1);
  expect(home.ledger.expected.open('codex')).toHaveLength(1);
  expect(threadOf(home)).toMatchObject({ harness: 'codex', lease_epoch: 1 });
});

/** A thread leaves for another vendor only when a person has agreed: this time, or for these two agents in this folder from now on. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { agreementOf } from '../../server/drive/consent.ts';
import { isSameVendor } from '../../server/drive/vendor.ts';
import { harnessIds } from '../../shuttles/contract/harness.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { Seat } from '../../server/main/seat.ts';
import type { ContinueResult } from '../../server/protocol/requests.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { HomeLedger } from '../home-ledger.ts';
import { handOver, homeWith, id, paramsOf } from './hand-over.ts';
import { codexFiles, ledgerOf, statusesOf, threadOf } from './read-home.ts';

/** What the audit says of hand-overs, oldest first. */
function audited({ folder }: HomeLedger): readonly { readonly mode: string; readonly consent: string }[] {
  using db = new DisposableDatabase(path.join(folder, 'ledger.db'));
  return db.rows("SELECT detail FROM audit WHERE action = 'handoff' ORDER BY number");
}
class DisposableDatabase implements Disposable {
  readonly #db: Database.Database;
  constructor(file: string) {
    this.#db = new Database(file, { readonly: true });
  }
  rows(sql: string): readonly { readonly mode: string; readonly consent: string }[] {
    return (this.#db.prepare(sql).pluck().all() as string[]).map(
      (detail) => JSON.parse(detail) as { readonly mode: string; readonly consent: string },
    );
  }
  [Symbol.dispose](): void {
    this.#db.close();
  }
}

test('without an agreement nothing is written, and the refusal says from whom to whom', async () => {
  await using home = await ledgerOf();
  await expect(handOver(home, { confirmed: null })).rejects.toMatchObject({
    id: 'C010',
    detail: 'from Claude Code to Codex, and so to OpenAI, in /home/user/shop.',
  });
  expect(codexFiles(home)).toEqual([]);
  expect(await statusesOf(home)).toEqual([]);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
});

test('a dry run says that an agreement is needed, and needs none', async () => {
  await using home = await ledgerOf();
  expect((await handOver(home, { confirmed: null, dryRun: true })).consent).toBe('needed');
  expect((await handOver(home, { confirmed: 'once', dryRun: true })).consent).toBe('given');
});

test('an agreement for once is for once', async () => {
  await using home = await ledgerOf();
  expect((await handOver(home, { confirmed: 'once' })).consent).toBe('given');
  await handOver(home, { harness: 'claude', confirmed: 'once' });
  await expect(handOver(home, { confirmed: null })).rejects.toMatchObject({ id: 'C010' });
  expect(audited(home).map(({ consent }) => consent)).toEqual(['once', 'once']);
});

test('an agreement for good is for these two agents in this direction and this folder, and how it was agreed is on record', async () => {
  await using home = await ledgerOf();
  await handOver(home, { confirmed: 'always' });
  await expect(handOver(home, { harness: 'claude', confirmed: null })).rejects.toMatchObject({ id: 'C010' });
  await handOver(home, { harness: 'claude', mode: null, confirmed: 'once' });
  expect((await handOver(home, { confirmed: null })).consent).toBe('given');
  expect(audited(home)).toMatchObject([
    { mode: 'native', consent: 'always' },
    { mode: 'return', consent: 'once' },
    { mode: 'native', consent: 'remembered' },
  ]);
  const consent = { folder: '/home/user/shop', from: 'claude', to: 'codex' } as const;
  expect(agreementOf(home.ledger, { ...consent, folder: '/home/user/other' }, null)).toBe('needed');
  expect(agreementOf(home.ledger, { ...consent, to: 'pi' }, null)).toBe('needed');
  expect(home.ledger.consents.forget('/home/user/shop')).toBe(1);
  expect(agreementOf(home.ledger, consent, null)).toBe('needed');
});

test('a hand-over that fails remembers no agreement', async () => {
  let stop = true;
  await using home = await ledgerOf({
    onStep: (step) => {
      if (step === 'settling' && stop) throw new Error('stopped');
    },
  });
  await expect(handOver(home, { confirmed: 'always' })).rejects.toThrow('stopped');
  stop = false;
  await expect(handOver(home, { confirmed: null })).rejects.toMatchObject({ id: 'C010' });
});

test('within one agent, and within one vendor, nobody is asked', async () => {
  await using home = await ledgerOf();
  expect((await handOver(home, { harness: 'claude', confirmed: null })).consent).toBe('notNeeded');
  const same = harnessIds.flatMap((from) => harnessIds.filter((to) => isSameVendor(from, to)).map((to) => `${from} ${to}`));
  expect(same.toSorted()).toEqual(
    [...harnessIds.map((one) => `${one} ${one}`), 'antigravity gemini', 'gemini antigravity'].toSorted(),
  );
});

test('agreements of a folder are forgotten when a person says so, however the folder is spelled', async () => {
  const shop = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-shop-'));
  const link = `${shop}-link`;
  fs.symlinkSync(shop, link);
  const home = homeWith({ cwd: link, exchanges: [['Build the cart.', 'Built.']] });
  fs.mkdirSync(path.join(home, '.codex/sessions'), { recursive: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  const environment = environmentOf(home, {}, 'linux');
  const none = (): void => undefined;
  const seat = new Seat({ folder, environment, version: '0', follow: false, log: none, onChange: none, onEvents: none });
  onTestFinished(async () => {
    await seat.close();
    for (const made of [home, folder, shop, link]) fs.rmSync(made, { recursive: true, force: true });
  });
  const ask = async (params: object): Promise<ContinueResult> =>
    (await seat.request({ events: none }, requests.continueIn.method, { ...paramsOf(params) })) as unknown as ContinueResult;
  const forget = (of: string) => seat.request({ events: none }, requests.forgetConsents.method, { folder: of });
  await ask({ confirmed: 'always' });
  expect((await ask({ thread: id, harness: 'codex', dryRun: true, confirmed: null })).consent).toBe('notNeeded');
  await ask({ thread: id, harness: 'claude' });
  expect((await ask({ thread: id, dryRun: true, confirmed: null })).consent).toBe('given');
  expect(await forget('/home/user/other')).toBe(0);
  expect(await forget(shop)).toBe(1);
  await expect(ask({ thread: id, confirmed: null })).rejects.toMatchObject({ id: 'C010' });
});

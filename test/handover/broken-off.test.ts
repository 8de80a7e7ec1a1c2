/** Hand-overs that were broken off without a crash: the session closes, its persistence becomes uncertain, a file cannot be looked at. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { sha256 } from '../../server/drive/change.ts';
import type { HandoffStep } from '../../server/drive/handoff.ts';
import { recoverHandovers } from '../../server/drive/recover.ts';
import { UncertainPersistence } from '../../server/engine/errors.ts';
import { doctorCommand } from '../../server/main/commands/doctor.ts';
import type { Check } from '../../server/main/commands/doctor.ts';
import type { CommandContext } from '../../server/main/commands/command.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { world } from '../../server/main/world.ts';
import { HomeLedger } from '../home-ledger.ts';
import type { HomeLedgerOptions } from '../home-ledger.ts';
import { handOver } from './hand-over.ts';
import { codexFiles, ledgerOf, statusesOf, threadOf } from './read-home.ts';

/** What `loom doctor` says of hand-overs, to the ledger's owner. */
async function checksOf({ ledger, home, folder }: HomeLedger): Promise<readonly Check[]> {
  let answer: readonly Check[] = [];
  await doctorCommand.run({
    parsed: { command: 'doctor', positionals: [], options: { json: true } },
    terminal: { json: ({ checks }: { readonly checks: readonly Check[] }) => (answer = checks) },
    environment: environmentOf(home, {}, 'linux'),
    ledger,
    folder,
    service: {},
    request: async () => ({ faults: [] }),
    now: () => Date.now(),
  } as unknown as CommandContext);
  return answer.filter(({ id: check }) => check === 'handover');
}

/** A ledger that was closed, with its engine at the step itself; then no commit is admitted any more. */
async function closedAt(at: HandoffStep): Promise<HomeLedger> {
  let closing: Promise<void> | undefined;
  const options: HomeLedgerOptions = {
    onStep: (step) => {
      if (step === at) closing ??= engine.close();
    },
  };
  const home = await ledgerOf(options);
  const engine = await home.ledger.engine(threadOf(home).session);
  await expect(handOver(home, {})).rejects.toThrow(/closed/u);
  await closing;
  await home.ledger.close();
  return home;
}

test.for(['asked', 'executing', 'intending', 'intended', 'written'] as const)(
  'a session that is closed when a hand-over is %s ends it; the next owner takes it back',
  async (at) => {
    const { home, folder } = await closedAt(at);
    await using next = new HomeLedger(home, {}, 'linux', { folder });
    expect(next.ledger.liveSessions()).toHaveLength(1);
    await recoverHandovers(next.ledger, world);
    expect(await statusesOf(next)).toEqual(['undone']);
    expect(next.ledger.liveSessions()).toEqual([]);
    expect(next.ledger.handoffs.pending()).toEqual([]);
    expect(codexFiles(next)).toEqual([]);
    expect((await handOver(next, {})).lease).toEqual({ epoch: 1, holder: 'codex' });
  },
);

test('a hand-over whose last step was under way when the ledger closed is told to be done', async () => {
  let closing: Promise<void> | undefined;
  const options: HomeLedgerOptions = {
    onStep: (step) => {
      if (step === 'written') closing = home.ledger.close();
    },
  };
  const home = await ledgerOf(options);
  expect((await handOver(home, {})).lease).toEqual({ epoch: 1, holder: 'codex' });
  await closing;
  await using next = new HomeLedger(home.home, {}, 'linux', { folder: home.folder });
  expect(await recoverHandovers(next.ledger, world)).toEqual([]);
  expect(threadOf(next)).toMatchObject({ harness: 'codex', lease_epoch: 1 });
});

test.for(['intending', 'settling'] as const)(
  'a hand-over whose persistence is uncertain when it is %s is ended over the session as it is found',
  async (at) => {
    let doubtful = true;
    const options: HomeLedgerOptions = {
      onStep: (step) => {
        if (step !== at || !doubtful) return;
        doubtful = false;
        throw new UncertainPersistence(new Error('the disk went away'));
      },
    };
    await using home = await ledgerOf(options);
    await expect(handOver(home, {})).rejects.toThrow('the disk went away');
    expect(await statusesOf(home)).toEqual(['undone']);
    expect(codexFiles(home)).toEqual([]);
    expect(home.ledger.handoffs.pending()).toEqual([]);
    expect((await handOver(home, {})).lease).toEqual({ epoch: 1, holder: 'codex' });
  },
);

test.for(['intending', 'settling'] as const)(
  'a hand-over whose commit lasted although the disk failed at the end of it, when it was %s, is told as it is',
  async (at) => {
    let fails = false;
    let failed = false;
    const prepare = (db: Database.Database, sql: string) => original.call(db, sql) as Database.Statement<[]>;
    const original = Object.getOwnPropertyDescriptor(Database.prototype, 'prepare')?.value as Database.Database['prepare'];
    const failing = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, sql: string) {
      const statement = prepare(this, sql);
      if (sql !== 'COMMIT') return statement;
      const run = (): Database.RunResult => {
        const ran = statement.run();
        if (!fails || failed) return ran;
        failed = true;
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
      };
      return { run } as unknown as Database.Statement;
    });
    const options: HomeLedgerOptions = { onStep: (step) => (fails ||= step === at) };
    await using home = await ledgerOf(options);
    failing.mockRestore();
    const carried = handOver(home, {});
    if (at === 'intending') await expect(carried).rejects.toThrow('disk I/O error');
    else expect((await carried).lease).toEqual({ epoch: 1, holder: 'codex' });
    expect(await statusesOf(home)).toEqual([at === 'intending' ? 'undone' : 'done']);
    expect(codexFiles(home)).toHaveLength(at === 'intending' ? 0 : 1);
    expect(home.ledger.handoffs.pending()).toEqual([]);
    expect(home.ledger.liveSessions()).toEqual([]);
    expect((await handOver(home, { harness: 'claude' })).lease?.epoch).toBe(at === 'intending' ? 1 : 2);
  },
);

test('a hand-over whose file cannot be looked at stays with its thread, harms nothing else, and is ended when it can', async () => {
  const first = await closedAt('written');
  const unreadable = {
    ...world,
    read: () => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open' });
    },
  };
  {
    await using home = new HomeLedger(first.home, {}, 'linux', { folder: first.folder, world: unreadable });
    expect(await recoverHandovers(home.ledger, unreadable)).toEqual([
      expect.stringContaining('EACCES'),
      expect.stringContaining('cannot be taken back'),
    ]);
    expect(await statusesOf(home)).toEqual(['writing']);
    expect(await home.catchUp()).toMatchObject({ entries: 0, threads: 1 });
    await expect(handOver(home, {})).rejects.toMatchObject({ id: 'C005', detail: expect.stringContaining('EACCES') as string });
    expect(home.ledger.handoffs.pending()).toHaveLength(1);
    expect(await checksOf(home)).toMatchObject([
      { ok: false, detail: expect.stringContaining('to Codex is not over') as string },
    ]);
  }
  await using home = new HomeLedger(first.home, {}, 'linux', { folder: first.folder });
  await recoverHandovers(home.ledger, world);
  expect(await statusesOf(home)).toEqual(['undone']);
  expect(codexFiles(home)).toEqual([]);
  expect(await checksOf(home)).toEqual([]);
});

test('a row of bytes that were put behind a file is ended by them alone', async () => {
  await using home = await ledgerOf();
  const own = Buffer.from('written by Loom\n');
  const file = path.join(home.home, 'session.jsonl');
  fs.writeFileSync(file, `theirs\n${own.toString()}`);
  home.ledger.handoffs.begin({ harness: 'codex', native_id: 's', path: file, sha256: sha256(own), offset: 7, at: 1 });
  expect(await recoverHandovers(home.ledger, world)).toEqual([expect.stringContaining('was undone')]);
  expect(fs.readFileSync(file, 'utf8')).toBe('theirs\n');
});

test('rows that an earlier ledger left pending are ended although no task knows of them', async () => {
  await using home = await ledgerOf();
  const rows = ['own', 'none', 'gone-on-with'].map((name) => {
    const file = path.join(home.home, `${name}.jsonl`);
    if (name !== 'none') fs.writeFileSync(file, 'written by Loom\n');
    const row = { harness: 'codex', native_id: name, path: file, sha256: sha256(Buffer.from('written by Loom\n')), at: 1 };
    home.ledger.handoffs.begin(row);
    return row;
  });
  fs.appendFileSync(rows[2]?.path ?? '', 'and by Codex\n');
  expect(await recoverHandovers(home.ledger, world)).toHaveLength(3);
  expect(home.ledger.handoffs.pending()).toEqual([]);
  expect(rows.map((row) => fs.existsSync(row.path))).toEqual([false, false, true]);
});

/**
 * A hand-over that is killed between any two of its steps, and what the next owner of the ledger finds: the thread as it was, or
 * carried; never two drivers, never a session that nobody has, nothing beside the sessions.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { recoverHandovers } from '../../server/drive/recover.ts';
import { world } from '../../server/main/world.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { ledgerText } from '../ingest/ledger-text.ts';
import { handOver } from './hand-over.ts';
import { KilledProcess } from './killed-process.ts';
import type { Place } from './killed-process.ts';

const directions = [
  { from: 'claude', to: 'codex', fixture: 'claude/02-print-tools', session: '6d4156ad-cac4-4341-89eb-59b76b9343d8' },
  { from: 'codex', to: 'claude', fixture: 'codex/01-exec-basic', session: '01a22a63-5268-72d2-9d6b-88a762a10057' },
] as const;
type Direction = (typeof directions)[number];

const before = ['composed', 'asked', 'executing', 'intending', 'intended', 'unnamed', 'named', 'copying', 'written', 'settling'];

function placeOf({ fixture }: Direction): Place {
  const home = copyHome(path.join(fixtures, fixture));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  onTestFinished(() => {
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  return { home, folder };
}

/** As the next owner does: what a crash left is ended before anything is read. */
async function opened({ home, folder }: Place): Promise<{ readonly ledger: HomeLedger; readonly lines: readonly string[] }> {
  const ledger = new HomeLedger(home, {}, 'linux', { folder });
  const lines = await recoverHandovers(ledger.ledger, world);
  await ledger.catchUp();
  return { ledger, lines };
}

let program: KilledProcess;
beforeAll(async () => {
  program = await KilledProcess.build('crash');
});
afterAll(() => program.remove());

async function killed(place: Place, direction: Direction, step: string): Promise<void> {
  expect(await program.run(place, direction, step), step).toBe('SIGKILL');
}

function filesOf({ home }: Place): readonly string[] {
  return fs
    .readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(home, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/** Everything of the ledger that a hand-over changes, and the files. */
async function state(place: Place, { ledger }: HomeLedger, { session }: Direction) {
  const { thread = 0 } = ledger.natives.byAnyNativeId(session)[0] ?? {};
  return {
    files: filesOf(place),
    thread: ledger.threads.byNumber(thread),
    leases: ledger.leases?.of(thread),
    natives: ledger.natives.byThread(thread).map(({ harness, native_id, path: file }) => ({ harness, id: native_id, file })),
    threads: await ledgerText(ledger),
  };
}

/** Nothing is under way, and the thread can be carried and goes on. */
async function expectSound(place: Place, home: HomeLedger, { session, from, to }: Direction, driver: Direction['from' | 'to']) {
  const { ledger } = home;
  expect(ledger.liveSessions()).toEqual([]);
  expect(ledger.handoffs.pending()).toEqual([]);
  const row = ledger.threads.byNumber(ledger.natives.byAnyNativeId(session)[0]?.thread ?? 0);
  expect(row?.harness).toBe(driver);
  const next = await handOver(home, { thread: session, harness: driver === from ? to : from });
  expect(next.lease).toEqual({ epoch: (row?.lease_epoch ?? 0) + 1, holder: next.harness });
  expect(filesOf(place)).toContain(path.relative(place.home, next.path));
  expect(await home.catchUp()).toMatchObject({ entries: 0, threads: 1 });
  expect(home.faults).toEqual([]);
}

for (const direction of directions) {
  const { from, to } = direction;

  test.for(before)(
    `a hand-over from ${from} to ${to} that was killed when it was %s is as if it had not been asked for`,
    async (step) => {
      const place = placeOf(direction);
      const first = await opened(place);
      const was = await state(place, first.ledger, direction);
      await first.ledger[Symbol.asyncDispose]();
      await killed(place, direction, step);
      const { ledger, lines } = await opened(place);
      await using home = ledger;
      expect(lines).toHaveLength(step === 'composed' ? 0 : 1);
      expect(await state(place, home, direction)).toEqual(was);
      await expectSound(place, home, direction, from);
    },
  );

  test(`a hand-over from ${from} to ${to} that was killed when it was settled is done`, async () => {
    const place = placeOf(direction);
    await killed(place, direction, 'settled');
    const { ledger, lines } = await opened(place);
    await using home = ledger;
    expect(lines).toEqual([]);
    const { thread, natives } = await state(place, home, direction);
    expect(thread).toMatchObject({ harness: to, lease_epoch: 1, lease_harness: to, current_entry: null });
    expect(natives.map(({ harness }) => harness)).toEqual([from, to]);
    expect(fs.existsSync(natives[1]?.file ?? '')).toBe(true);
    await expectSound(place, home, direction, to);
  });

  test(`an owner that is killed while it takes a hand-over from ${from} to ${to} back leaves that to the next one`, async () => {
    const place = placeOf(direction);
    const first = await opened(place);
    const was = await state(place, first.ledger, direction);
    await first.ledger[Symbol.asyncDispose]();
    await killed(place, direction, 'written');
    await killed(place, direction, 'takingBack');
    await killed(place, direction, 'takenBack');
    const { ledger } = await opened(place);
    await using home = ledger;
    expect(await state(place, home, direction)).toEqual(was);
    await expectSound(place, home, direction, from);
  });

  test(`a session of ${to} that was gone on with before its hand-over was over stays, as a thread of its own`, async () => {
    const place = placeOf(direction);
    const first = await opened(place);
    const was = await state(place, first.ledger, direction);
    await first.ledger[Symbol.asyncDispose]();
    await killed(place, direction, 'written');
    const [file = ''] = filesOf(place).filter((found) => !was.files.includes(found));
    const written = fs.readFileSync(path.join(place.home, file), 'utf8');
    // The target goes on with it: a record more, as like the last one as can be.
    fs.appendFileSync(path.join(place.home, file), `${written.trimEnd().split('\n').at(-1) ?? ''}\n`);
    const { ledger, lines } = await opened(place);
    await using home = ledger;
    expect(lines.join()).toContain('had been gone on with');
    const is = await state(place, home, direction);
    expect(is.thread).toEqual(was.thread);
    expect(is.files).toEqual([...was.files, file].toSorted());
    expect(home.ledger.liveSessions()).toEqual([]);
    expect(home.ledger.threads.count()).toBe(2);
  });
}

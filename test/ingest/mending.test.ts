/** What is damaged of a thread's entries is shown as that, with everything else, and told anew from the session's file or the archive. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { mendSession } from '../../server/ingest/mending.ts';
import { ledgerFile } from '../../server/ledger/database.ts';
import type { Ledger } from '../../server/ledger/ledger.ts';
import { allEntries, contextOf, newestEntries } from '../../server/ledger/transcript.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { assistantRow, sessionId, TestHome, userRow } from './claude-session.ts';

const mended = (ledger: Ledger, session: string) => mendSession({ ledger, shuttles, sidecars: new DiskSidecars() }, session);

/** Every entry of every conversation, as stored. */
async function stored(ledger: Ledger): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const all = new Map<string, readonly unknown[]>();
  for (const row of ledger.threads.newest(10_000))
    for (const native of ledger.natives.byThread(row.number))
      for (const { session, conversation } of ledger.branches.byNative(native.number))
        all.set(`${session} ${conversation}`, await allEntries(ledger, session, conversation));
  return all;
}

function sessionsOf(ledger: Ledger): readonly string[] {
  return [...new Set(ledger.threads.newest(10_000).map(({ session }) => session))].toSorted();
}

/** By another program, so that nothing of it is in memory. */
function damage({ folder, ledger }: HomeLedger, sql: string): number {
  const other = new Sqlite(ledgerFile(folder));
  const { changes } = other.prepare(sql).run();
  other.close();
  ledger.releaseMemory();
  return changes;
}

const kinds = [
  ['contents that are cut off', 'UPDATE engine_pack_contents SET contents = substr(contents, 1, 20)'],
  ['contents that are gone', 'DELETE FROM engine_pack_contents'],
  ['headers that are none', "UPDATE engine_pack_contents SET headers = x'ffff'"],
] as const;
const homes = [
  'claude/02-print-tools',
  'claude/03-tui-rewind-rename',
  'claude/05-subagents',
  'claude/04-tui-compact-clear',
  'codex/03-exec-sigint-then-resumed',
  'codex/08-subagent-forked-history',
  'codex/15-zstd-compressed',
  'pi/pi-03-1.6.0-tree-fork-clone',
  'pi/pi-07-1.6.0-auto-compaction',
];

async function packed(home: string): Promise<HomeLedger> {
  const made = new HomeLedger(copyHome(path.join(fixtures, home)));
  await made.catchUp();
  while (made.ledger.packIdle(Number.MAX_SAFE_INTEGER, 1000));
  return made;
}

/** A prompt and so many answers, in packs. */
async function withAnswers(home: TestHome, answers: number): Promise<HomeLedger> {
  home.write(userRow(1, null, 'one'), ...Array.from({ length: answers }, (_, i) => assistantRow(i + 2, i + 1, `answer ${i}`)));
  const made = new HomeLedger(home.home);
  await made.catchUp();
  while (made.ledger.packIdle(Number.MAX_SAFE_INTEGER, 1000));
  return made;
}

test.each(homes)('of %s every damaged pack is told anew, one alone and all of them, from the file and without it', async (at) => {
  await using home = await packed(at);
  const { ledger } = home;
  const whole = await stored(ledger);
  const packs = new Sqlite(ledgerFile(home.folder), { readonly: true });
  const numbers = packs.prepare('SELECT pack FROM engine_packs ORDER BY pack').pluck().all() as number[];
  packs.close();
  expect(numbers.length).toBeGreaterThan(0);
  for (const isGone of [false, true]) {
    if (isGone) {
      fs.rmSync(home.home, { recursive: true });
      fs.mkdirSync(home.home);
      await home.catchUp();
    }
    for (const [what, sql] of kinds) {
      // The first and the last one, one between, and all of them.
      for (const pack of new Set([numbers[0], numbers[numbers.length >> 1], numbers.at(-1), undefined])) {
        const where = pack === undefined ? '' : ` WHERE pack = ${pack}`;
        expect(damage(home, sql + where), what).toBeGreaterThan(0);
        const left = sessionsOf(ledger).reduce((sum, session) => sum + mended(ledger, session).left, 0);
        expect(left, `${what}${where}, gone: ${isGone}`).toBe(0);
        expect(await stored(ledger), `${what}${where}, gone: ${isGone}`).toEqual(whole);
      }
    }
  }
});

test('a thread with a damaged part is shown with everything else, and what says so in the place of that part', async () => {
  using home = new TestHome();
  await using read = await withAnswers(home, 399);
  const { ledger } = read;
  const [row] = ledger.threads.newest(1);
  if (row === undefined) throw new Error('no thread');
  const page = () => newestEntries(ledger, row.session, row.current_conversation, 1000);
  const { entries: whole } = await page();
  const file = new Sqlite(ledgerFile(read.folder), { readonly: true });
  const inIt = file.prepare('SELECT count FROM engine_packs WHERE pack = 2').pluck().get() as number;
  file.close();
  expect(inIt).toBeGreaterThan(64);
  const heard: string[] = [];
  ledger.onDamaged = (session) => heard.push(session);
  for (const [, sql] of kinds) {
    damage(read, `${sql} WHERE pack = 2`);
    const { entries } = await page();
    const [standIn, ...others] = entries.filter((entry) => !whole.some(({ id, kind }) => id === entry.id && kind === entry.kind));
    expect(others).toEqual([]);
    expect(standIn).toMatchObject({ kind: 'opaque', content: { damaged: true, nativeType: 'ledger' } });
    const rest = entries.filter((entry) => entry !== standIn);
    expect(rest.length).toBe(whole.length - inIt);
    expect(rest).toEqual(whole.filter(({ id }) => rest.some((entry) => entry.id === id)));
    expect(new Set(heard)).toEqual(new Set([row.session]));
    // What a model is to be given has no hole.
    await expect(contextOf(ledger, row.session, row.current_conversation)).rejects.toThrow('damaged');
    const older = await newestEntries(ledger, row.session, row.current_conversation, 40);
    expect(older.entries).toHaveLength(40);
    expect(mended(ledger, row.session)).toEqual({ packs: 1, left: 0 });
    expect((await page()).entries).toEqual(whole);
  }
});

test('what the sources no longer tell is left as it is, and nothing is put in its place', async () => {
  using home = new TestHome();
  await using read = await withAnswers(home, 99);
  const { ledger } = read;
  const [row] = ledger.threads.newest(1);
  if (row === undefined) throw new Error('no thread');
  damage(read, 'DELETE FROM archive_chunks');
  damage(read, `${kinds[0][1]} WHERE pack = 1`);
  // Another file with records of the same kinds, fewer of them.
  home.write(userRow(501, null, 'else'), ...Array.from({ length: 20 }, (_, i) => assistantRow(i + 502, i + 501, `other ${i}`)));
  expect(mended(ledger, row.session)).toEqual({ packs: 0, left: 1 });
  expect(ledger.damagedPacks(row.session)).toHaveLength(1);
});

test('a session goes on beside a damaged part, and packing leaves it and does not stop for it', async () => {
  using home = new TestHome();
  await using read = await withAnswers(home, 79);
  const { ledger } = read;
  damage(read, kinds[0][1]);
  for (let n = 81; n < 120; n++) home.append(assistantRow(n, n - 1, `later ${n}`));
  await read.catchUp();
  expect(read.faults).toEqual([]);
  const heard: string[] = [];
  ledger.onDamaged = (session) => heard.push(session);
  while (ledger.packIdle(Number.MAX_SAFE_INTEGER, 1000));
  const [row] = ledger.threads.newest(1);
  expect(heard).toEqual([row?.session]);
  expect(row?.entries).toBe(119);
});

/** Two branches of one session that go on in turns. */
async function inTurns(home: TestHome): Promise<HomeLedger> {
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'two'));
  for (let n = 3; n < 603; n++) home.append(assistantRow(n, Math.max(2, n - 2), `answer ${n}`));
  const made = new HomeLedger(home.home);
  await made.catchUp();
  while (made.ledger.packIdle(Number.MAX_SAFE_INTEGER, 1000));
  return made;
}

test('packs whose entries lie among each other are told anew whole', async () => {
  using home = new TestHome();
  await using read = await inTurns(home);
  const { ledger } = read;
  const [row] = ledger.threads.newest(1);
  if (row === undefined) throw new Error('no thread');
  const whole = await stored(ledger);
  const places = () => {
    const file = new Sqlite(ledgerFile(read.folder), { readonly: true });
    const rows = file.prepare('SELECT * FROM engine_packs ORDER BY first').all() as { pack: number }[];
    file.close();
    return rows;
  };
  const before = places();
  expect(before.length).toBeGreaterThan(4);
  const neighbours = before.slice(1).map(({ pack }, at) => [before[at]?.pack, pack]);
  for (const numbers of [...before.map(({ pack }) => [pack]), ...neighbours, before.map(({ pack }) => pack)]) {
    damage(read, `${kinds[0][1]} WHERE pack IN (${numbers.join()})`);
    expect(mended(ledger, row.session), `packs ${numbers.join()}`).toEqual({ packs: numbers.length, left: 0 });
    expect(places(), `packs ${numbers.join()}`).toEqual(before);
    expect(await stored(ledger), `packs ${numbers.join()}`).toEqual(whole);
  }
});

test('a place that says of itself to reach further than any session does is mended in as few steps as any', async () => {
  using home = new TestHome();
  await using read = await withAnswers(home, 399);
  const { ledger } = read;
  const [row] = ledger.threads.newest(1);
  if (row === undefined) throw new Error('no thread');
  const whole = await stored(ledger);
  for (const pack of [1, 2, 4]) {
    damage(read, `UPDATE engine_packs SET last = ${2 ** 50} WHERE pack = ${pack}`);
    expect(mended(ledger, row.session), `pack ${pack}`).toEqual({ packs: 1, left: 0 });
    expect(await stored(ledger), `pack ${pack}`).toEqual(whole);
  }
});

test('what another session had in the transaction that met the damage is read in the same pass', async () => {
  using home = new TestHome();
  await using read = await withAnswers(home, 199);
  const { ledger } = read;
  damage(read, kinds[2][1]);
  const other = sessionId.replace('5', '6');
  const file = path.join(home.folder, `${other}.jsonl`);
  fs.writeFileSync(file, [userRow(1001, null, 'else'), assistantRow(1002, 1001, 'yes')].join('').replaceAll(sessionId, other));
  home.append(assistantRow(900, 20, 'a fork behind what is damaged'));
  // The newest is read first.
  const now = Date.now() / 1000;
  fs.utimesSync(home.file, now, now);
  fs.utimesSync(file, now + 10, now + 10);
  expect(await read.catchUp()).toMatchObject({ entries: 3, threads: 2 });
  expect(ledger.threads.newest(10).map(({ entries }) => entries)).toEqual([2, 201]);
  expect(read.faults).toEqual([]);
});

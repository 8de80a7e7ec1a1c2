/** What can go wrong under a running window: each is told in words, found by `loom doctor`, and over when its cause is. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerFile } from '../../server/ledger/database.ts';
import { Ledger } from '../../server/ledger/ledger.ts';
import { HomeLedger } from '../home-ledger.ts';
import { assistantRow, TestHome, userRow } from '../ingest/claude-session.ts';
import { ledgerText } from '../ingest/ledger-text.ts';
import { closeWindows, doctor, faultsIn, finding, hasFault, isView, lacksFault, tells, Window } from './window.ts';

let home: TestHome;
let ledger: string;
const ends: (() => void)[] = [];
beforeEach(() => {
  home = new TestHome();
  ledger = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-faults-'));
});
afterEach(async () => {
  await closeWindows();
  for (const end of ends.splice(0)) end();
  home[Symbol.dispose]();
  fs.rmSync(ledger, { recursive: true, force: true });
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** A session of some megabytes, which are read in several batches and take as many in the ledger: nothing in it compresses. */
function writeMegabytes(count: number): void {
  const answer = (of: number): string =>
    Array.from({ length: 290 }, (_, i) => createHash('sha512').update(`${of} ${i}`).digest('base64url')).join(' ');
  home.write(userRow(1, null, 'one'), ...Array.from({ length: count * 40 }, (_, i) => assistantRow(i + 2, i + 1, answer(i))));
}

async function sameAsWithoutFault(): Promise<void> {
  await using plain = new HomeLedger(home.home);
  await plain.catchUp();
  const survived = Ledger.open(ledger, { readonly: true, now: 0, maySetAside: false });
  try {
    expect(await ledgerText(survived)).toEqual(await ledgerText(plain.ledger));
  } finally {
    await survived.close();
  }
}

test.skipIf(!isRoot)(
  'a disk that is full in mid-batch: nothing is lost, and reading goes on where it stopped when there is room',
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', ledger]);
    ends.push(() => execFileSync('umount', ['-l', ledger]));
    writeMegabytes(8);
    const window = new Window(home.home, ledger);
    await window.hears(hasFault('L004'));
    const checks = doctor(home.home, ledger);
    expect(finding(checks, 'fault-L004')?.fix).toContain('Free some space');
    expect(finding(checks, 'room')?.detail).toContain(ledger);
    const before = window.said.length;
    execFileSync('mount', ['-o', 'remount,size=200m', ledger]);
    await window.hears(lacksFault('L004'), before);
    await window.hears(tells('"entries":321,'), before);
    await window.kill('SIGTERM');
    await sameAsWithoutFault();
  },
  90_000,
);

test.skipIf(process.platform !== 'linux')(
  'a limit on the size of files is told like a full disk, and is over when it is raised',
  async () => {
    writeMegabytes(8);
    const window = new Window(home.home, ledger, { before: ['sh', '-c', 'ulimit -S -f 4096; exec "$@"', 'sh'] });
    await window.hears(hasFault('L004'));
    const before = window.said.length;
    execFileSync('prlimit', ['--pid', String(window.child.pid), '--fsize=unlimited:']);
    await window.hears(tells('"entries":321,'), before);
    await window.kill('SIGTERM');
    await sameAsWithoutFault();
  },
  90_000,
);

test('a ledger that another program locks is told of, and read on when it is free', async () => {
  home.write(userRow(1, null, 'one'));
  const window = new Window(home.home, ledger);
  await window.hears(isView);
  await window.hears(tells('"title":"one"'));
  const other = new Sqlite(ledgerFile(ledger));
  ends.push(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  home.append(assistantRow(2, 1, 'while it is locked'));
  await window.hears(hasFault('L001'));
  expect(finding(doctor(home.home, ledger), 'fault-L001')?.fix).toContain('Close the other program');
  const before = window.said.length;
  other.exec('ROLLBACK');
  await window.hears(lacksFault('L001'), before);
  await window.hears(tells('"entries":2,'), before);
}, 90_000);

test('a ledger that is damaged while it is in use is set aside, and everything is read into a new one', async () => {
  writeMegabytes(4);
  const window = new Window(home.home, ledger);
  await window.hears(tells('"entries":161,'));
  // What the owner has in memory is not looked up again until somebody else has written.
  const other = new Sqlite(ledgerFile(ledger));
  other.prepare("INSERT INTO audit (at, action, thread, detail) VALUES (0, 'test', '', '')").run();
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
  const file = fs.openSync(ledgerFile(ledger), 'r+');
  const { size } = fs.fstatSync(file);
  fs.writeSync(file, Buffer.alloc(size - 8192, 0xa5), 0, size - 8192, 8192);
  fs.closeSync(file);
  const before = window.said.length;
  home.append(userRow(900, 161, 'after the damage'));
  const view = await window.hears((said) => isView(said) && hasFault('L002')(said), before);
  expect(faultsIn(view)?.find((fault) => fault.id === 'L002')?.message).toContain('.damaged-');
  await window.hears(tells('"entries":162,'), before);
  expect(doctor(home.home, ledger).find((check) => check.id === 'ledger-damaged')?.detail).toContain('ledger.db.damaged-');
  await window.kill('SIGTERM');
  await sameAsWithoutFault();
}, 90_000);

test('a thread of which a part is damaged is shown with the rest, and whole again soon; the ledger is not set aside', async () => {
  writeMegabytes(2);
  const id = await (async () => {
    await using read = new HomeLedger(home.home, {}, 'linux', { folder: ledger });
    await read.catchUp();
    return read.ledger.threads.newest(1)[0]?.id ?? '';
  })();
  const other = new Sqlite(ledgerFile(ledger));
  const damaged = other
    .prepare(
      'UPDATE engine_pack_contents SET contents = substr(contents, 1, 30) WHERE pack = (SELECT max(pack) FROM engine_packs)',
    )
    .run();
  expect(damaged.changes).toBe(1);
  other.close();
  const window = new Window(home.home, ledger, { opens: id });
  await window.hears((said) => JSON.stringify(said['timeline'] ?? '').includes('are damaged in the ledger'));
  await window.hears(hasFault('L009'));
  await window.hears(
    (said) => tells('"type":"snapshot"')(said) && tells('"conversation"')(said) && !tells('are damaged in the ledger')(said),
  );
  await window.hears(lacksFault('L009'), window.said.findLastIndex(hasFault('L009')));
  await window.kill('SIGTERM');
  expect(fs.readdirSync(ledger).filter((name) => name.includes('damaged'))).toEqual([]);
  await sameAsWithoutFault();
}, 90_000);

test('a ledger of a newer Loom is shown and not written, and says that Loom is to be updated', async () => {
  home.write(userRow(1, null, 'one'));
  await Ledger.open(ledger, { readonly: false, now: 0, maySetAside: false }).close();
  const newer = new Sqlite(ledgerFile(ledger));
  newer.pragma('user_version = 999');
  newer.close();
  const window = new Window(home.home, ledger);
  const view = await window.hears(isView);
  expect(faultsIn(view)).toContainEqual(
    expect.objectContaining({ id: 'L003', fix: expect.stringContaining('Update') as string }),
  );
  expect(finding(doctor(home.home, ledger), 'fault-L003')?.fix).toContain('Update Loom');
}, 90_000);

test('a ledger folder that is removed while a window runs is begun anew, and every window hears of it', async () => {
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  const first = new Window(home.home, ledger);
  await first.hears(isView);
  const second = new Window(home.home, ledger);
  await second.hears(isView);
  await second.hears(() => JSON.stringify(second.said).includes('"entries":2,'));
  const [ofFirst, ofSecond] = [first.said.length, second.said.length];
  fs.rmSync(ledger, { recursive: true });
  await first.hears((said) => isView(said) && (hasFault('L007')(said) || said['owner'] === false), ofFirst);
  await second.hears(isView, ofSecond);
  home.append(userRow(3, 2, 'two'));
  await first.hears(tells('"turns":2'), ofFirst);
  await second.hears(tells('"turns":2'), ofSecond);
  expect(fs.readdirSync(ledger)).toContain('ledger.db');
}, 90_000);

test.skipIf(!isRoot)(
  'permission that is lost in mid-run is told of by folder and by file, and what was written meanwhile is read when it is back',
  async () => {
    const nobody = 65_534;
    home.write(userRow(1, null, 'one'));
    for (const at of [home.home, ledger]) execFileSync('chown', ['-R', `${nobody}:${nobody}`, at]);
    const window = new Window(home.home, ledger, { uid: nobody });
    await window.hears(tells('"title":"one"'));
    fs.chmodSync(home.folder, 0);
    const fault = faultsIn(await window.hears(hasFault('F001')))?.find(({ id }) => id === 'F001');
    expect(fault?.message).toContain(`${home.folder} (EACCES)`);
    expect(finding(doctor(home.home, ledger), 'fault-F001')?.detail).toContain(home.folder);
    home.append(assistantRow(2, 1, 'while nobody may look'));
    let before = window.said.length;
    fs.chmodSync(home.folder, 0o700);
    await window.hears(lacksFault('F001'), before);
    await window.hears(tells('"entries":2,'), before);
    // It was never said to be gone.
    expect(JSON.stringify(window.said)).not.toContain('"sourceGone":true');

    fs.chmodSync(home.file, 0);
    home.append(userRow(3, 2, 'two'));
    await window.hears(hasFault('F002'), before);
    before = window.said.length;
    fs.chmodSync(home.file, 0o600);
    await window.hears(lacksFault('F002'), before);
    await window.hears(tells('"turns":2'), before);
  },
  90_000,
);

test.skipIf(!isRoot)(
  'a ledger folder that cannot be written says so at once, and is used as soon as it can be',
  async () => {
    const nobody = 65_534;
    home.write(userRow(1, null, 'one'));
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, home.home]);
    fs.chmodSync(ledger, 0o755);
    const window = new Window(home.home, ledger, { uid: nobody });
    await window.hears((said) => String(said['refused']).startsWith('L005'));
    fs.chownSync(ledger, nobody, nobody);
    await window.hears(isView);
    await window.hears(() => JSON.stringify(window.said).includes('"title":"one"'));
  },
  90_000,
);

test('without a place at the ledger `loom doctor` still tells why, and what else it can', () => {
  const file = path.join(ledger, 'file');
  fs.writeFileSync(file, '');
  const checks = doctor(home.home, path.join(file, 'ledger'));
  expect(finding(checks, 'ledger')?.fix).toContain('--ledger');
  expect(checks.map((check) => check.id)).toEqual(expect.arrayContaining(['node', 'claude', 'codex']));
});

test('sessions of the future, of before a clock was set right, are named with the clock', () => {
  home.write(userRow(20_000_000, null, 'written ahead'));
  const clock = finding(doctor(home.home, ledger), 'clock');
  expect(clock?.detail).toContain('written ahead');
  expect(clock?.fix).toContain('Set the clock');
});

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Fault } from '../protocol/faults.ts';
import { ledgerFile } from './database.ts';
import { Ledger } from './ledger.ts';

const owner = { readonly: false, now: 1234, maySetAside: true };

function folder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
}

test('a new ledger is for its person alone', async () => {
  const at = path.join(folder(), 'deep', 'ledger');
  const ledger = Ledger.open(at, owner);
  expect(fs.statSync(ledgerFile(at)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  await ledger.close();
});

test('a damaged ledger is set aside, never overwritten, and a new one begun', async () => {
  const at = folder();
  const bytes = Buffer.from('this was never a database, whatever its name says'.repeat(100));
  fs.writeFileSync(ledgerFile(at), bytes);
  const ledger = Ledger.open(at, owner);
  expect(ledger.setAside).toBe(`${ledgerFile(at)}.damaged-1234`);
  expect(fs.readFileSync(`${ledgerFile(at)}.damaged-1234`)).toEqual(bytes);
  expect(ledger.integrity()).toBe('ok');
  await ledger.close();
});

test('a second damaged ledger of the same moment, after a clock was set back, takes a name of its own', async () => {
  const at = folder();
  for (const text of ['first', 'second']) {
    fs.rmSync(ledgerFile(at), { force: true });
    fs.writeFileSync(ledgerFile(at), text.repeat(2000));
    await Ledger.open(at, owner).close();
  }
  const aside = fs.readdirSync(at).filter((name) => name.includes('.damaged-'));
  expect(aside.toSorted()).toEqual(['ledger.db.damaged-1234', 'ledger.db.damaged-1234-2']);
  expect(fs.readFileSync(path.join(at, 'ledger.db.damaged-1234'), 'latin1')).toContain('firstfirst');
});

test('a ledger in which damage was met is set aside, though it can be opened', async () => {
  const at = folder();
  await Ledger.open(at, owner).close();
  const ledger = Ledger.open(at, { ...owner, damaged: true });
  expect(ledger.setAside).toBe(`${ledgerFile(at)}.damaged-1234`);
  await ledger.close();
});

test('damage that is met only where a table is read sets the ledger aside too', async () => {
  const at = folder();
  await Ledger.open(at, owner).close();
  const db = new Sqlite(ledgerFile(at), { readonly: true });
  const page = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get('record_places') as number;
  const bytes = db.pragma('page_size', { simple: true }) as number;
  db.close();
  const file = fs.openSync(ledgerFile(at), 'r+');
  fs.writeSync(file, Buffer.alloc(bytes, 7), 0, bytes, (page - 1) * bytes);
  fs.closeSync(file);
  expect(() => Ledger.open(at, { ...owner, maySetAside: false })).toThrow(expect.objectContaining({ id: 'L002' }));
  const ledger = Ledger.open(at, owner);
  expect(ledger.setAside).toBe(`${ledgerFile(at)}.damaged-1234`);
  expect(ledger.integrity()).toBe('ok');
  await ledger.close();
});

test('a ledger of a newer Loom that cannot even be read says so', async () => {
  const at = folder();
  await Ledger.open(at, owner).close();
  const db = new Sqlite(ledgerFile(at));
  db.pragma('user_version = 999');
  db.exec('ALTER TABLE threads RENAME COLUMN title TO name');
  db.close();
  expect(() => Ledger.open(at, owner)).toThrow(expect.objectContaining({ id: 'L003' }));
});

test('who does not own the ledger never moves a damaged one', () => {
  const at = folder();
  fs.writeFileSync(ledgerFile(at), 'x'.repeat(5000));
  expect(() => Ledger.open(at, { ...owner, maySetAside: false })).toThrow(expect.objectContaining({ id: 'L002' }));
  expect(fs.readdirSync(at)).toEqual(['ledger.db']);
});

test('a ledger of a newer Loom is opened for reading only', async () => {
  const at = folder();
  await Ledger.open(at, owner).close();
  const db = new Sqlite(ledgerFile(at));
  db.pragma('user_version = 999');
  db.close();
  const ledger = Ledger.open(at, owner);
  expect(ledger.readonly).toBe(true);
  expect(ledger.threads.newest(1)).toEqual([]);
  expect(() => ledger.transact(() => ledger.sources.insert('/home/user/x', 'claude'))).toThrow();
  await ledger.close();
});

test('a folder that cannot be made says so, with what to do', () => {
  const at = path.join(folder(), 'file');
  fs.writeFileSync(at, '');
  let caught: unknown;
  try {
    Ledger.open(path.join(at, 'ledger'), owner);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(Fault);
  expect((caught as Fault).id).toBe('L005');
  expect((caught as Fault).fix).toContain('--ledger');
});

/** A file system of two megabytes, for a disk that is full. Needs the right to mount. */
function smallDisk(): { readonly at: string; readonly end: () => void } | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can make a small disk';
  const at = folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', at], { stdio: 'pipe' });
  } catch (error) {
    return `mount refused: ${error instanceof Error ? error.message.split('\n')[0] : ''}`;
  }
  return { at, end: () => void execFileSync('umount', [at]) };
}

test('a full disk is a fault that says so; what was committed stays, and it goes on when there is room', async (context) => {
  const disk = smallDisk();
  if (typeof disk === 'string') return context.skip(disk);
  try {
    const ledger = Ledger.open(disk.at, owner);
    const insert = (n: number): void =>
      void ledger.transact(() => ledger.sources.insert(`/home/user/${n}/${'x'.repeat(20_000)}`, 'claude'));
    let count = 0;
    let caught: unknown;
    try {
      for (; count < 1000; count++) insert(count);
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code: expect.stringMatching(/SQLITE_FULL|SQLITE_IOERR/u) as string });
    expect(count).toBeGreaterThan(3);
    expect(ledger.sources.all()).toHaveLength(count);
    execFileSync('mount', ['-o', 'remount,size=32m', disk.at]);
    insert(count);
    expect(ledger.sources.all()).toHaveLength(count + 1);
    expect(ledger.integrity()).toBe('ok');
    await ledger.close();
  } finally {
    disk.end();
  }
});

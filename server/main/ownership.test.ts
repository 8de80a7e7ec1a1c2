import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Fault } from '../protocol/faults.ts';
import { publishOwner, readOwner, withdrawOwner } from './owner-record.ts';
import { ownWhenFree, tryOwn } from './ownership.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-owner-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

const ownership = pathToFileURL(path.join(import.meta.dirname, 'ownership.ts')).href;

/** Another process of ours, running `body` with the module's functions and `folder`. */
function run(body: string): ChildProcess {
  const code = `
    import fs from 'node:fs';
    import { setTimeout as pause } from 'node:timers/promises';
    const { tryOwn, ownWhenFree } = await import(${JSON.stringify(ownership)});
    const folder = ${JSON.stringify(folder)};
    ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}
async function line(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output');
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  return data.toString().trim();
}
const hold = `const owned = tryOwn(folder); console.log(owned === undefined ? 'held' : 'owned'); setInterval(() => {}, 1000);`;

const read = () => fs.readFileSync(path.join(folder, 'log'), 'utf8').trim().split('\n');
const until = async (turns: number) => {
  while (!fs.existsSync(path.join(folder, 'log')) || read().length < turns) await pause(20);
};
const mode = (file: string) => fs.statSync(file).mode & 0o777;

test('one process owns the ledger; the next one is told, and owns it after a release', async () => {
  const first = tryOwn(path.join(folder, 'new'));
  expect(first?.stands).toBe(true);
  // Also within one process, and without the second attempt dropping the first one's lock.
  expect(tryOwn(path.join(folder, 'new'))).toBeUndefined();
  const ask = `const owned = tryOwn(folder + '/new'); console.log(owned === undefined ? 'held' : 'owned');`;
  expect(await line(run(ask))).toBe('held');
  first?.release();
  first?.release();
  expect(first?.stands).toBe(false);
  expect(await line(run(ask))).toBe('owned');
});

test('an owner that is killed is followed by another within two seconds', async () => {
  const owner = run(hold);
  expect(await line(owner)).toBe('owned');
  const heir = run(`
    console.log(tryOwn(folder) === undefined ? 'held' : 'owned');
    await ownWhenFree(folder, new AbortController().signal, pause);
    console.log('owned');
    setInterval(() => {}, 1000);`);
  expect(await line(heir)).toBe('held');
  const killed = performance.now();
  owner.kill('SIGKILL');
  expect(await line(heir)).toBe('owned');
  expect(performance.now() - killed).toBeLessThan(2000);
  expect(tryOwn(folder)).toBeUndefined();
});

test('of many processes that race and are killed at any moment, never two own the ledger at once', async () => {
  // Each owner writes its begin and its end into one log that is only appended to; a killed one writes no end.
  const contend = `
    const log = (what) => fs.appendFileSync(folder + '/log', what + ' ' + process.pid + '\\n');
    console.log('ready');
    for (;;) {
      const owned = tryOwn(folder);
      if (owned !== undefined) {
        log('begin');
        await pause(Math.random() * 10);
        log('end');
        owned.release();
      }
      await pause(Math.random() * 5);
    }`;
  const contenders = Array.from({ length: 5 }, () => run(contend));
  await Promise.all(contenders.map(line));
  await until(60);
  const killed = new Set<string>();
  for (const victim of contenders.slice(0, 3)) {
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    killed.add(String(victim.pid));
    await until(read().length + 40);
  }
  for (const rest of contenders.slice(3)) rest.kill('SIGKILL');
  let owner: string | undefined;
  const winners = new Set<string>();
  for (const entry of read()) {
    const [what, pid = ''] = entry.split(' ');
    winners.add(pid);
    if (what === 'begin') {
      expect(owner === undefined || killed.has(owner)).toBe(true);
      owner = pid;
    } else {
      expect(pid).toBe(owner);
      owner = undefined;
    }
  }
  expect(winners.size).toBeGreaterThan(1);
});

test('a process that is killed while it writes the lock file itself leaves nothing that stops the next owner', async () => {
  const writer = run(`
    const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
    const database = new Database(folder + '/owner.db');
    database.pragma('cache_size = 1');
    database.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE');
    for (let i = 0; i < 2000; i++) database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(1000));
    console.log('written');
    setInterval(() => {}, 1000);`);
  expect(await line(writer)).toBe('written');
  expect(fs.statSync(path.join(folder, 'owner.db-journal')).size).toBeGreaterThan(0);
  expect(tryOwn(folder)).toBeUndefined();
  writer.kill('SIGKILL');
  await once(writer, 'exit');
  const owned = tryOwn(folder);
  expect(owned?.stands).toBe(true);
  owned?.release();
});

test('an owner whose folder was replaced below it knows that it owns nothing any more', () => {
  const ledger = path.join(folder, 'ledger');
  const first = tryOwn(ledger);
  fs.renameSync(ledger, path.join(folder, 'away'));
  expect(first?.stands).toBe(false);
  const second = tryOwn(ledger);
  expect(second?.stands).toBe(true);
  expect(first?.stands).toBe(false);
  first?.release();
  second?.release();
});

test('waiting for ownership ends when it is given up', async () => {
  const owned = tryOwn(folder);
  const giveUp = new AbortController();
  let pauses = 0;
  const waited = await ownWhenFree(folder, giveUp.signal, async () => {
    if (++pauses === 3) giveUp.abort();
  });
  expect(waited).toBeUndefined();
  expect(pauses).toBe(3);
  owned?.release();
});

test('a folder that cannot be used is a fault that says which', () => {
  fs.writeFileSync(path.join(folder, 'file'), '');
  expect(() => tryOwn(path.join(folder, 'file'))).toThrow(Fault);
  expect(() => tryOwn(path.join(folder, 'file/below'))).toThrow(expect.objectContaining({ id: 'L005' }));
  fs.mkdirSync(path.join(folder, 'damaged'));
  fs.writeFileSync(path.join(folder, 'damaged/owner.db'), 'this is no database'.repeat(100));
  expect(() => tryOwn(path.join(folder, 'damaged'))).toThrow(
    expect.objectContaining({ id: 'L005', detail: expect.stringContaining('SQLITE_NOTADB') }),
  );
});

test.skipIf(process.platform === 'win32')('the files of the owner are closed to other people', () => {
  const ledger = path.join(folder, 'ledger');
  const owned = tryOwn(ledger);
  if (owned === undefined) throw new Error('not owned');
  publishOwner(owned, { pid: 1, start: '2', socket: '/s', since: 3 });
  expect([mode(ledger), mode(path.join(ledger, 'owner.db')), mode(path.join(ledger, 'owner.json'))]).toEqual([
    0o700, 0o600, 0o600,
  ]);
  owned.release();
});

test('the owner is published for others to see, and withdrawn', () => {
  const owned = tryOwn(folder);
  if (owned === undefined) throw new Error('not owned');
  expect(readOwner(folder)).toBeUndefined();
  publishOwner(owned, { pid: 4711, start: '58051', socket: '/run/loom.sock', since: 5 });
  publishOwner(owned, { pid: 4711, start: '58051', socket: '/run/loom.sock', since: 6 });
  expect(readOwner(folder)).toEqual({ pid: 4711, start: '58051', socket: '/run/loom.sock', since: 6 });
  fs.writeFileSync(path.join(folder, 'owner.json'), '{"pid":"x"');
  expect(readOwner(folder)).toBeUndefined();
  withdrawOwner(owned);
  withdrawOwner(owned);
  expect(fs.readdirSync(folder)).toEqual(['owner.db']);
  owned.release();
});

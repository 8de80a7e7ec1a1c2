import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockState } from './file-locks.ts';
import { machineOf, thisSystem, type System } from './machine.ts';
import { darwinStarts, linuxStart, windowsStarts } from './process-start.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-machine-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

const system = (more: Partial<System> = {}): System => ({
  text: () => undefined,
  run: () => undefined,
  alive: () => true,
  now: () => 0,
  systemRoot: 'C:\\Windows',
  ...more,
});

const stat = (name: string, state = 'S') =>
  `4711 (${name}) ${state} 1 4711 4711 0 -1 4194560 2035 0 0 0 12 3 0 0 20 0 11 0 58051 1069056000 12000 18446744073709551615 1 1 0 0\n`;

test('on Linux the start is field 22, whatever the name of the program', () => {
  expect(linuxStart(stat('node'))).toBe('58051');
  expect(linuxStart(stat('a) S 1 2 3 (b c)'))).toBe('58051');
  expect(linuxStart(stat('('))).toBe('58051');
});

test('a zombie and a text that is no stat have no start', () => {
  expect(linuxStart(stat('node', 'Z'))).toBeUndefined();
  expect(linuxStart('')).toBeUndefined();
  expect(linuxStart('4711 (node) S 1')).toBeUndefined();
});

test('on macOS the start is the text that ps prints', () => {
  const starts = darwinStarts('    1 Mon Sep 14 08:00:01 2026    \n  501 Thu Sep  3 09:05:00 2026\nrubbish\n');
  expect([...starts]).toEqual([
    [1, 'Mon Sep 14 08:00:01 2026'],
    [501, 'Thu Sep  3 09:05:00 2026'],
  ]);
});

test('on Windows the start is the file time of the creation', () => {
  expect([
    ...windowsStarts('4 134338716010000000\r\n9120 134338720000000001\r\n\r\nGet-CimInstance : Access denied\r\n'),
  ]).toEqual([
    [4, '134338716010000000'],
    [9120, '134338720000000001'],
  ]);
});

test('where a program must list the processes, one listing answers for a while, and a younger process asks for a new one', () => {
  let now = 0;
  const listings = ['  1 first\n', '  1 first\n  2 second\n', '  1 third\n'];
  let runs = 0;
  const machine = machineOf('darwin', system({ now: () => now, run: () => listings[runs++], alive: (pid) => pid !== 9 }));
  expect(machine.processStart(1)).toBe('first');
  expect(machine.processStart(2)).toBeUndefined();
  expect(runs).toBe(1);
  now = 300;
  expect(machine.processStart(2)).toBe('second');
  expect(runs).toBe(2);
  expect(machine.processStart(9)).toBeUndefined();
  expect(machine.processStart(1.5)).toBeUndefined();
  expect(machine.processStart(-1)).toBeUndefined();
  expect(runs).toBe(2);
  now = 5000;
  expect(machine.processStart(1)).toBe('third');
});

test('Windows is asked through the whole path of its PowerShell', () => {
  const asked: string[] = [];
  machineOf('win32', system({ run: (argv) => void asked.push(argv[0]), systemRoot: 'D:\\Win' })).processStart(5);
  expect(asked).toEqual(['D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe']);
});

const recorded = `1: POSIX  ADVISORY  WRITE 812 08:02:1311 0 EOF
1: -> POSIX  ADVISORY  WRITE 999 08:02:1311 0 EOF
2: FLOCK  ADVISORY  WRITE 4711 fe:00:2197 0 EOF
3: FLOCK  ADVISORY  READ 4712 fe:00:2198 0 EOF
4: OFDLCK ADVISORY  WRITE -1 fe:00:2199 0 0
5: LEASE  ACTIVE    WRITE 77 fe:00:2200 0 EOF
6: FLOCK  ADVISORY  WRITE 5000 00:1d:300 0 EOF
`;
const device = (major: bigint, minor: bigint) =>
  ((major & 0xfffn) << 8n) | ((major & ~0xfffn) << 32n) | (minor & 0xffn) | ((minor & ~0xffn) << 12n);

test('on Linux an exclusive lock is told with its holder: flock, fcntl and open file description', () => {
  expect(lockState(recorded, device(0xfen, 0n), 2197n)).toEqual({ held: true, pid: 4711 });
  expect(lockState(recorded, device(8n, 2n), 1311n)).toEqual({ held: true, pid: 812 });
  expect(lockState(recorded, device(0xfen, 0n), 2199n)).toEqual({ held: true, pid: null });
});

test('a shared lock, a lease, a waiting process and the same number on another device are no lock on the file', () => {
  const none = { held: false, pid: null };
  expect(lockState(recorded, device(0xfen, 0n), 2198n)).toEqual(none);
  expect(lockState(recorded, device(0xfen, 0n), 2200n)).toEqual(none);
  expect(lockState(recorded, device(8n, 1n), 1311n)).toEqual(none);
  expect(lockState('1: -> FLOCK  ADVISORY  WRITE 999 08:02:1311 0 EOF\n', device(8n, 2n), 1311n)).toEqual(none);
  expect(lockState('rubbish\n', 0n, 0n)).toEqual(none);
});

test('on file systems without a device of their own the number of the file decides', () => {
  expect(lockState(recorded, device(0n, 0x2an), 300n)).toEqual({ held: true, pid: 5000 });
});

test('where locks cannot be told, that is said', () => {
  expect(machineOf('darwin', system()).isLocked('/x')).toBeUndefined();
  expect(machineOf('win32', system()).isLocked('C:\\x')).toBeUndefined();
  expect(machineOf('linux', system()).isLocked('/x')).toBeUndefined();
});

test('files and folders that are not there, not readable or not small are absent', () => {
  const machine = machineOf('linux', system());
  fs.writeFileSync(path.join(folder, 'a'), 'text');
  fs.writeFileSync(path.join(folder, 'big'), Buffer.alloc(1024 * 1024 + 1));
  expect(machine.list(folder)).toEqual(['a', 'big']);
  expect(machine.list(path.join(folder, 'a'))).toEqual([]);
  expect(machine.text(path.join(folder, 'a'))).toBe('text');
  expect(machine.text(path.join(folder, 'big'))).toBeUndefined();
  expect(machine.text(folder)).toBeUndefined();
  expect(machine.text('\0')).toBeUndefined();
  expect(machine.isFile(path.join(folder, 'a'))).toBe(true);
  expect(machine.isFile(folder)).toBe(false);
  expect(machine.isFile('\0')).toBe(false);
});

const linux = process.platform === 'linux';

test.runIf(linux)('a real process has one start while it lives and none after', async () => {
  const machine = machineOf('linux', thisSystem());
  const child = spawn('sleep', ['60']);
  children.push(child);
  const pid = child.pid ?? 0;
  const start = machine.processStart(pid);
  expect(start).toMatch(/^\d+$/);
  expect(machine.processStart(pid)).toBe(start);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(machine.processStart(pid)).toBeUndefined();
});

test.runIf(linux)('a real fcntl lock, as SQLite takes it, is seen while it is held', () => {
  const machine = machineOf('linux', thisSystem());
  const file = path.join(folder, 'a.db');
  const database = new Database(file);
  database.exec('CREATE TABLE t (a)');
  expect(machine.isLocked(file)).toEqual({ held: false, pid: null });
  database.exec('BEGIN EXCLUSIVE');
  expect(machine.isLocked(file)).toEqual({ held: true, pid: process.pid });
  database.exec('COMMIT');
  expect(machine.isLocked(file)).toEqual({ held: false, pid: null });
  database.close();
  expect(machine.isLocked(path.join(folder, 'none'))).toEqual({ held: false, pid: null });
});

const flock = linux && spawnSync('flock', ['--version']).status === 0;

test.runIf(flock)('a real flock is seen while it is held', async () => {
  const machine = machineOf('linux', thisSystem());
  const file = path.join(folder, 'writer.lock');
  fs.writeFileSync(file, '');
  // Without a child of its own, flock(1) itself keeps the lock until it ends.
  const child = spawn('flock', ['--no-fork', file, 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  expect(machine.isLocked(file)).toEqual({ held: true, pid: child.pid });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(machine.isLocked(file)).toEqual({ held: false, pid: null });
});

test.runIf(linux)('ps of this system is understood in the form that macOS prints', () => {
  const starts = darwinStarts(
    execFileSync('ps', ['-axo', 'pid=,lstart='], { encoding: 'utf8', env: { LC_ALL: 'C', PATH: process.env['PATH'] } }),
  );
  expect(starts.get(process.pid)).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/);
});

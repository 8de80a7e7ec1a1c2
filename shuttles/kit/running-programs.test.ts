import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { machineOf, thisSystem } from './machine.ts';
import type { System } from './machine.ts';
import { darwinFolders, darwinPrograms, linuxPrograms, runningPrograms } from './running-programs.ts';

const stat = (pid: number, parent: number, state = 'S'): string =>
  `${pid} (a) S (b) ${state} ${parent} 4711 4711 0 -1 4194560 2035 0 0 0 12 3 0 0 20 0 11 0 58051 1069056000 12000\n`;

test('Linux tells of each runtime its parent, its arguments and when it was started', () => {
  const texts: Readonly<Record<string, string>> = {
    '/proc/stat': 'cpu 1 2\nbtime 1796000000\n',
    '/proc/7/comm': 'MainThread\n',
    '/proc/7/stat': stat(7, 3),
    '/proc/7/cmdline': 'node\0/x/My Apps/gemini\0--resume\0a\0',
    '/proc/8/comm': 'bash\n',
    '/proc/8/stat': stat(8, 3),
    '/proc/9/comm': 'pi\n',
    '/proc/9/stat': stat(9, 3, 'Z'),
  };
  const text = (file: string): string | undefined => texts[file];
  expect(linuxPrograms(['self', '7', '8', '9', '10', '0'], text)).toEqual([
    { pid: 7, parent: 3, argv: ['node', '/x/My Apps/gemini', '--resume', 'a'], startedAt: 1_796_000_580_510 },
  ]);
  expect(linuxPrograms(['7'], (file) => (file === '/proc/stat' ? '' : texts[file]))).toEqual([]);
});

test('macOS tells the same through ps, and the folder through lsof', () => {
  const listing = [
    '  501     1 Thu Sep  3 09:05:00 2026 node /usr/local/bin/gemini --resume a',
    '  502     1 Thu Sep  3 09:05:01 2026 pi',
    '  503     1 Thu Sep  3 09:05:01 2026 /Applications/Safari.app/Contents/MacOS/Safari',
    'rubbish',
  ].join('\n');
  expect(darwinPrograms(listing)).toMatchObject([
    {
      pid: 501,
      parent: 1,
      argv: ['node', '/usr/local/bin/gemini', '--resume', 'a'],
      startedAt: Date.parse('Thu Sep 3 09:05:00 2026'),
    },
    { pid: 502, argv: ['pi'] },
  ]);
  expect([...darwinFolders('p501\nfcwd\nn/Users/me/shop\np502\nfcwd\nn/Users/me/a b\n')]).toEqual([
    [501, '/Users/me/shop'],
    [502, '/Users/me/a b'],
  ]);
});

test('macOS asks for the folders of fitting programs only, and asks again after ten seconds', () => {
  let now = 0;
  const asked: string[] = [];
  const system: System = {
    text: () => undefined,
    alive: () => true,
    now: () => now,
    systemRoot: '',
    run: (argv) => {
      asked.push(argv.join(' '));
      return argv[0] === '/bin/ps'
        ? '  502     1 Thu Sep  3 09:05:01 2026 pi\n  7 1 Thu Sep  3 09:05:01 2026 node x\n'
        : 'p502\nfcwd\nn/a\n';
    },
  };
  const machine = machineOf('darwin', system);
  const ask = () => machine.programs?.(([title]) => title === 'pi').map(({ cwd }) => cwd);
  expect([ask(), ask()]).toEqual([['/a'], ['/a']]);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatch(/-p 502$/u);
  now = 10_000;
  ask();
  expect(asked).toHaveLength(4);
  expect(machineOf('win32', system).programs?.(() => true)).toEqual([]);
});

test('on Linux a process that was another program twice is looked at again in the tenth listing only', () => {
  const comms = new Map([
    ['7', 'bash'],
    ['8', 'pi'],
  ]);
  const asked: string[] = [];
  let now = 0;
  const text = (file: string): string | undefined => {
    const [, pid = '', name] = /^\/proc\/(\d+)\/(\w+)$/u.exec(file) ?? [];
    if (name === 'comm') asked.push(pid);
    return file === '/proc/stat'
      ? 'btime 1796000000\n'
      : name === 'comm'
        ? comms.get(pid)
        : name === 'stat'
          ? stat(Number(pid), 1)
          : 'pi\0';
  };
  const system: System = { text, run: () => undefined, alive: () => true, link: () => '/a', now: () => now, systemRoot: '' };
  const programs = runningPrograms('linux', system, () => [...comms.keys(), 'self']);
  const ask = (): readonly number[] => {
    now += 1000;
    return programs(() => true).map(({ pid }) => pid);
  };
  for (let i = 0; i < 10; i++) expect(ask()).toEqual([8]);
  expect(asked.filter((pid) => pid === '7')).toHaveLength(2);
  comms.set('9', 'node');
  comms.set('7', 'pi');
  expect(ask().toSorted((a, b) => a - b)).toEqual([7, 8, 9]);
});

test.runIf(process.platform === 'linux')('a program that really runs is found with its title and its folder', async () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-programs-')));
  const child = spawn(process.execPath, ['-e', "process.title = 'pi'; console.log('on'); setInterval(() => undefined, 1000)"], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const found = machineOf('linux', thisSystem())
    .programs?.(([title, ...rest]) => title === 'pi' && rest.length === 0)
    .find(({ pid }) => pid === child.pid);
  expect(found).toMatchObject({ parent: process.pid, argv: ['pi'], cwd: folder });
  expect(Math.abs((found?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
});

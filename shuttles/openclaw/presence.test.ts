import { expect, test } from 'vitest';
import type { Environment, Machine } from '../contract/shuttle.ts';
import { openclawPresence } from './presence.ts';

const id = '01a0667f-1680-79a2-81b3-ff254144af7e';
const agents = '/home/user/.openclaw/agents';
const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
/** The machine was started at 12:00, process 42 ten minutes later. */
const boot = Date.UTC(2026, 8, 10, 12) / 1000;
const start = '60000';
const later = new Date((boot + 700) * 1000).toISOString();
const before = new Date((boot + 500) * 1000).toISOString();

function machine(
  lock: string,
  facts: { start?: string; command?: string; transcript?: boolean; text?: Readonly<Record<string, string>> } = {},
): Machine {
  const { command = 'node\0/usr/lib/node_modules/openclaw/openclaw.mjs\0gateway', transcript = true } = facts;
  const texts: Readonly<Record<string, string>> = {
    [`${agents}/main/sessions/${id}.jsonl.lock`]: lock,
    '/proc/stat': `cpu 1 2\nbtime ${boot}\n`,
    '/proc/42/cmdline': command,
    '/proc/1/cmdline': '/sbin/init',
    ...facts.text,
  };
  return {
    list: (folder) => (folder === agents ? ['main'] : folder === `${agents}/main/sessions` ? [`${id}.jsonl.lock`, 'x.lock'] : []),
    text: (path) => texts[path],
    isFile: (path) => transcript && path === `${agents}/main/sessions/${id}.jsonl`,
    processStart: (pid) => (pid === 42 ? (facts.start ?? start) : pid === 1 ? '5' : undefined),
    isLocked: () => undefined,
  };
}

test('a lock is a holder when its process lives, runs OpenClaw and was started before it', () => {
  expect(openclawPresence).toHaveProperty('holders');
  expect(openclawPresence.holders(environment, machine(JSON.stringify({ pid: 42, createdAt: later })))).toEqual([
    {
      nativeId: id,
      pid: 42,
      activity: 'working',
      since: Date.parse(later),
      evidence: 'lock file of a running process that was started before it',
    },
  ]);
  const [holder] = openclawPresence.holders(
    environment,
    machine(JSON.stringify({ pid: 42, createdAt: before, starttime: 60000 })),
  );
  expect(holder?.evidence).toBe('lock file of a running process, its start time matches');
});

test('a lock of a dead process, of a number that was given again, or that says nothing, holds nothing', () => {
  const stale: readonly (readonly [string, Parameters<typeof machine>[1]?])[] = [
    [''],
    ['{"pid":'],
    ['{}'],
    ['[]'],
    [JSON.stringify({ pid: 999_999, createdAt: later })],
    [JSON.stringify({ pid: 42, createdAt: before })],
    [JSON.stringify({ pid: 42 })],
    [JSON.stringify({ pid: '42', createdAt: later })],
    [JSON.stringify({ pid: 42, createdAt: later, starttime: 59999 })],
    [JSON.stringify({ pid: 1, createdAt: later })],
    [JSON.stringify({ pid: 42, createdAt: later }), { command: 'vim\0notes.txt' }],
    [JSON.stringify({ pid: 42, createdAt: later }), { transcript: false }],
    [JSON.stringify({ pid: 42, createdAt: later }), { text: { '/proc/stat': '' } }],
  ];
  for (const [lock, facts] of stale) expect(openclawPresence.holders(environment, machine(lock, facts)), lock).toEqual([]);
});

test('start times are compared in each platform’s own form', () => {
  const created = Date.UTC(2026, 8, 14, 9, 10);
  const lock = JSON.stringify({ pid: 42, createdAt: new Date(created).toISOString() });
  const filetime = (time: number): string => String(BigInt(time + 11_644_473_600_000) * 10_000n);
  const on = (platform: 'darwin' | 'win32', started: string): number => {
    const folder = platform === 'win32' ? 'C:\\Users\\user\\.openclaw\\agents' : agents;
    const slash = platform === 'win32' ? '\\' : '/';
    const base = machine(lock, { start: started });
    const name = `${id}.jsonl`;
    const sessions = [folder, 'main', 'sessions'].join(slash);
    return openclawPresence.holders(
      { platform, home: platform === 'win32' ? 'C:\\Users\\user' : '/home/user', variables: {} },
      {
        ...base,
        list: (path) => (path === folder ? ['main'] : path === sessions ? [`${name}.lock`] : []),
        text: (path) => (path === [sessions, `${name}.lock`].join(slash) ? lock : undefined),
        isFile: (path) => path === [sessions, name].join(slash),
      },
    ).length;
  };
  expect([on('darwin', 'Mon Sep 14 09:05:00 2026 UTC'), on('darwin', 'Mon Sep 14 09:15:00 2026 UTC'), on('darwin', '?')]).toEqual(
    [1, 0, 0],
  );
  expect([on('win32', filetime(created - 5000)), on('win32', filetime(created + 5000)), on('win32', '?')]).toEqual([1, 0, 0]);
});

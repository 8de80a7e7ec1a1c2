import { expect, test } from 'vitest';
import type { Environment, Machine } from '../contract/shuttle.ts';
import { codexPresence } from './presence.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const folder = '/home/user/.codex/thread-writer-locks';
const held = '01a22a63-5268-72d2-9d6b-88a762a10057';
const stale = '01a22a64-63c3-79c3-9a24-f975df31a015';

function machine(names: readonly string[], isLocked: Machine['isLocked']): Machine {
  return {
    list: (path) => (path === folder ? names : []),
    text: () => undefined,
    isFile: () => true,
    processStart: () => undefined,
    isLocked,
  };
}

test('a thread is held when its lock is held; a lock file that stayed behind says nothing', () => {
  const names = [`${held}.lock`, `${stale}.lock`, '.coordination.lock', 'notes.txt', `${held}.lock.bak`];
  const asked: string[] = [];
  const holders = codexPresence.holders(
    environment,
    machine(names, (path) => {
      asked.push(path);
      return { held: path === `${folder}/${held}.lock`, pid: 4711 };
    }),
  );
  expect(holders).toEqual([{ nativeId: held, pid: 4711, activity: 'unknown', evidence: 'writer lock held' }]);
  expect(asked).toEqual([`${folder}/${held}.lock`, `${folder}/${stale}.lock`]);
});

test('where locks cannot be told, nothing is claimed', () => {
  expect(
    codexPresence.holders(
      environment,
      machine([`${held}.lock`], () => undefined),
    ),
  ).toEqual([]);
  expect(
    codexPresence.holders(
      environment,
      machine([], () => ({ held: true, pid: null })),
    ),
  ).toEqual([]);
});

test('on Windows and under CODEX_HOME the folder is found by that platform’s rules', () => {
  const seen: string[] = [];
  const listing: Machine = { ...machine([], () => undefined), list: (path) => (seen.push(path), []) };
  codexPresence.holders({ platform: 'win32', home: 'C:\\Users\\user', variables: {} }, listing);
  codexPresence.holders({ platform: 'darwin', home: '/Users/user', variables: { CODEX_HOME: '/data/codex' } }, listing);
  expect(seen).toEqual(['C:\\Users\\user\\.codex\\thread-writer-locks', '/data/codex/thread-writer-locks']);
});

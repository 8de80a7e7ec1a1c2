import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Environment, Machine } from '../contract/shuttle.ts';
import { fixtures } from './fixture-records.ts';
import { claudePresence } from './presence.ts';

const linux: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const snapshot = (name: string): string => readFileSync(`${fixtures}claude/19-live-registry/snapshots/${name}.json`, 'utf8');

function machine(files: Readonly<Record<string, string | readonly string[]>>, starts: Readonly<Record<number, string>>): Machine {
  const reads = new Map<string, number>();
  return {
    list: (folder) => (folder === '/home/user/.claude/sessions' ? Object.keys(files) : []),
    text: (path) => {
      const found = files[path.slice('/home/user/.claude/sessions/'.length)];
      if (found === undefined || typeof found === 'string') return found;
      const read = reads.get(path) ?? 0;
      reads.set(path, read + 1);
      return found[Math.min(read, found.length - 1)];
    },
    isFile: () => true,
    processStart: (pid) => starts[pid],
    isLocked: () => undefined,
  };
}

const entry = (pid: number): string => `{"pid":${pid},"sessionId":"d0a3d4e3-76d4-455e-b592-171feec675ec","status":"busy"}`;

test.each([
  ['busy', 'working'],
  ['shell', 'working'],
  ['idle', 'idle'],
  ['renamed', 'idle'],
  ['waiting-input', 'waiting', 'input needed'],
  ['waiting-permission', 'waiting', 'permission prompt'],
])('a process that says %s is %s', (name, activity, waitingFor?: string) => {
  expect(claudePresence.holders(linux, machine({ '25824.json': snapshot(name) }, { 25824: '283709' }))).toEqual([
    {
      nativeId: '81d72da0-4617-4573-ba1b-86c34b135e03',
      pid: 25824,
      activity,
      surface: 'cli',
      ...(waitingFor === undefined ? {} : { waitingFor }),
      since: 1796009753411,
      evidence: 'registry entry of a running process, its start time matches',
    },
  ]);
});

test('an entry that a killed process left behind holds nothing, nor does one whose number another process has now', () => {
  expect(claudePresence.holders(linux, machine({ '25824.json': snapshot('idle') }, {}))).toEqual([]);
  expect(claudePresence.holders(linux, machine({ '25824.json': snapshot('idle') }, { 25824: '999' }))).toEqual([]);
});

test('an entry that is being written is read once more', () => {
  const torn = snapshot('busy').slice(0, 100);
  expect(claudePresence.holders(linux, machine({ '25824.json': [torn, snapshot('busy')] }, { 25824: '283709' }))).toHaveLength(1);
  expect(claudePresence.holders(linux, machine({ '25824.json': torn }, { 25824: '283709' }))).toEqual([]);
});

test('versions without a status or a start time hold their session, with what is not known said', () => {
  const old =
    '{"pid":7,"sessionId":"d0a3d4e3-76d4-455e-b592-171feec675ec","cwd":"/srv","startedAt":1,"kind":"interactive","entrypoint":"cli"}';
  const [holder] = claudePresence.holders(linux, machine({ '7.json': old }, { 7: '55' }));
  expect(holder).toMatchObject({ activity: 'unknown', pid: 7 });
  expect(holder?.evidence).toContain('not recorded');
});

test('two processes on one session are two holders', () => {
  const both = claudePresence.holders(
    linux,
    machine({ '40001.json': entry(40001), '40002.json': entry(40002) }, { 40001: '1', 40002: '2' }),
  );
  expect(both.map((holder) => holder.pid)).toEqual([40001, 40002]);
});

test('keys, foreign files, other numbers and bad ids are passed over', () => {
  const files = {
    '25824.0123abcd.key': 'secret',
    'notes.json': snapshot('idle'),
    '5.json': snapshot('idle'),
    '6.json': '{"pid":6,"sessionId":"../../x"}',
    '8.json': '[1]',
  };
  expect(claudePresence.holders(linux, machine(files, { 5: '283709', 6: '1', 8: '1', 25824: '283709' }))).toEqual([]);
});

import { expect, test } from 'vitest';
import type { Environment, Machine } from '../contract/shuttle.ts';
import { piPresence } from './presence.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const session = '01a22a64-c81f-72c7-8bc5-d5d4c4c88d40';

function machineOf(files: Readonly<Record<string, string>>, running: readonly number[] = [700]): Machine {
  return {
    list: (folder) => (folder === '/proc' ? ['1', '700', '701', '702', 'self', 'cpuinfo', '0', '99999999999'] : []),
    text: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
    isFile: () => false,
    processStart: (pid) => (running.includes(pid) ? '4711' : undefined),
    isLocked: () => undefined,
  };
}
const working = {
  '/proc/1/comm': 'systemd\n',
  '/proc/700/comm': 'pi\n',
  '/proc/700/task/700/children': '701 702 ',
  '/proc/701/comm': 'bash\n',
  '/proc/701/environ': `HOME=/home/user\0AI_AGENT=pi\0PI_SESSION_ID=${session}\0PI_SESSION_FILE=/x.jsonl\0`,
  '/proc/702/environ': `PI_SESSION_ID=${session}\0`,
};

test('a pi that runs a command is found by the session that the command was started for', () => {
  expect(piPresence.holders(environment, machineOf(working))).toEqual([
    { nativeId: session, pid: 700, activity: 'working', evidence: 'runs a command that was started for this session' },
  ]);
});

test('an idle pi, other programs that carry the variable, and a process that is gone hold nothing', () => {
  expect(piPresence.holders(environment, machineOf({ '/proc/700/comm': 'pi\n', '/proc/700/task/700/children': '' }))).toEqual([]);
  expect(piPresence.holders(environment, machineOf({ ...working, '/proc/700/comm': 'pi-hole\n' }))).toEqual([]);
  expect(piPresence.holders(environment, machineOf(working, []))).toEqual([]);
});

test('a variable whose value is no session id is not believed', () => {
  const hostile = { ...working, '/proc/701/environ': 'XPI_SESSION_ID=a\0PI_SESSION_ID=--help\0', '/proc/702/environ': '' };
  expect(piPresence.holders(environment, machineOf(hostile))).toEqual([]);
});

test('macOS and Windows tell nothing', () => {
  for (const platform of ['darwin', 'win32'] as const)
    expect(piPresence.holders({ ...environment, platform }, machineOf(working))).toEqual([]);
});

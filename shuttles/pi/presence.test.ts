import { expect, test } from 'vitest';
import type { Environment, Machine, RunningProgram } from '../contract/shuttle.ts';
import { piPresence } from './presence.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const session = '01a22a64-c81f-72c7-8bc5-d5d4c4c88d40';
const other = '01a22a64-c81f-72c7-8bc5-d5d4c4c88d41';
const sessions = '/home/user/.pi/agent/sessions';
const shop = `${sessions}/--home-user-shop--`;

interface Sketch {
  readonly texts?: Readonly<Record<string, string>>;
  readonly running?: readonly Partial<RunningProgram>[];
  /** By id: when it was made and written to last, and whose it says it is. */
  readonly files?: Readonly<Record<string, readonly [madeAt: number, modifiedAt: number, cwd?: string]>>;
}

function machineOf({ texts = {}, running = [{}], files = {} }: Sketch): Machine {
  const programs = running.map((one): RunningProgram => ({
    pid: 700,
    parent: 1,
    argv: ['pi'],
    cwd: '/home/user/shop',
    startedAt: 1_000_000,
    ...one,
  }));
  return {
    list: (folder) =>
      folder === sessions ? ['--home-user-shop--'] : folder === shop ? Object.keys(files).map((id) => `x_${id}.jsonl`) : [],
    text: (path) => (Object.hasOwn(texts, path) ? texts[path] : undefined),
    isFile: () => false,
    processStart: () => undefined,
    isLocked: () => undefined,
    programs: (fits) => programs.filter(({ argv }) => fits(argv)),
    glance: (path) => {
      const id = path.slice(`${shop}/x_`.length, -'.jsonl'.length);
      const [madeAt, modifiedAt, cwd = '/home/user/shop'] = files[id] ?? [0, 0];
      return { madeAt, modifiedAt, head: `${JSON.stringify({ type: 'session', version: 3, id, cwd })}\n{"type":"mess` };
    },
  };
}
const working = {
  '/proc/700/task/700/children': '701 702 ',
  '/proc/701/environ': `HOME=/home/user\0AI_AGENT=pi\0PI_SESSION_ID=${session}\0PI_SESSION_FILE=/x.jsonl\0`,
  '/proc/702/environ': `PI_SESSION_ID=${session}\0`,
};

test('a pi that runs a command is found by the session that the command was started for', () => {
  expect(piPresence.holders(environment, machineOf({ texts: working }))).toEqual([
    { nativeId: session, pid: 700, activity: 'working', evidence: 'runs a command that was started for this session' },
  ]);
});

test('a pi that runs none has the session of its folder that was written to last since it was started', () => {
  const files = { [session]: [900_000, 1_200_000], [other]: [900_000, 1_100_000] } as const;
  for (const platform of ['linux', 'darwin'] as const)
    expect(piPresence.holders({ ...environment, platform }, machineOf({ files }))).toMatchObject([
      { nativeId: session, pid: 700, activity: 'unknown', since: 1_000_000 },
    ]);
});

test('of several in one folder it is said that one of them has a session, not which', () => {
  const files = { [session]: [900_000, 1_200_000], [other]: [900_000, 1_100_000] } as const;
  expect(piPresence.holders(environment, machineOf({ files, running: [{}, { pid: 800 }] }))).toMatchObject([
    { nativeId: session, pid: null },
    { nativeId: other, pid: null },
  ]);
});

test.for([
  ['was not written to since', [900_000, 950_000]],
  ['was written once and never again, as by another program', [1_100_000, 1_100_000]],
  ['is of another folder whose name is made the same', [900_000, 1_200_000, '/home/user-shop']],
] as const)('a session that %s is not believed to be open', ([, file]) => {
  expect(piPresence.holders(environment, machineOf({ files: { [session]: file } }))).toEqual([]);
});

test('other programs hold nothing, nor does a pi without a session', () => {
  expect(piPresence.holders(environment, machineOf({}))).toEqual([]);
  const files = { [session]: [900_000, 1_200_000] } as const;
  for (const argv of [['pi-hole'], ['pi', '--x'], ['node', 'pi']])
    expect(piPresence.holders(environment, machineOf({ files, texts: working, running: [{ argv }] }))).toEqual([]);
});

test('a variable whose value is no session id is not believed', () => {
  const texts = { ...working, '/proc/701/environ': 'XPI_SESSION_ID=a\0PI_SESSION_ID=--help\0', '/proc/702/environ': '' };
  expect(piPresence.holders(environment, machineOf({ texts }))).toEqual([]);
});

test('Windows tells nothing, and where there are no sessions no program is looked for', () => {
  const files = { [session]: [900_000, 1_200_000] } as const;
  expect(piPresence.holders({ ...environment, platform: 'win32' }, machineOf({ files }))).toEqual([]);
  const machine: Machine = {
    ...machineOf({ files }),
    list: () => [],
    programs: () => {
      throw new Error('looked for');
    },
  };
  expect(piPresence.holders(environment, machine)).toEqual([]);
});

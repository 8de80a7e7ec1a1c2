import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Environment, Machine, RunningProgram } from '../contract/shuttle.ts';
import { geminiPresence } from './presence.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const session = 'f8e9b9bb-5146-4236-9fe8-b542369c8e1f';
const root = '/home/user/.gemini/tmp';
const script = '/usr/lib/node_modules/.bin/gemini';

interface Sketch {
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly project?: string;
  readonly texts?: Readonly<Record<string, string>>;
  readonly modifiedAt?: number;
}

/** A program that was started at 1,000 s and starts itself again, and one session, which was made at 900 s. */
function machineOf({
  argv = ['node', script],
  cwd = '/home/user/shop',
  project = 'shop',
  texts = { [`${root}/shop/.project_root`]: '/home/user/shop' },
  modifiedAt = 1_200_000,
}: Sketch): Machine {
  const programs: readonly RunningProgram[] = [
    { pid: 700, parent: 1, argv, cwd, startedAt: 1_000_000 },
    { pid: 701, parent: 700, argv: ['/usr/bin/node', '--max-old-space-size=12052', ...argv.slice(1)], cwd, startedAt: 1_001_000 },
  ];
  return {
    list: (folder) =>
      folder === root ? [project] : folder === `${root}/${project}/chats` ? ['session-2026-11-30T02-58-f8e9b9bb.jsonl', 'x'] : [],
    text: (path) => (Object.hasOwn(texts, path) ? texts[path] : undefined),
    isFile: () => false,
    processStart: () => undefined,
    isLocked: () => undefined,
    programs: (fits) => programs.filter((program) => fits(program.argv)),
    glance: () => ({ madeAt: 900_000, modifiedAt, head: `{"sessionId":"${session}","projectHash":"x"}\n{"$set"` }),
  };
}

test('a running program has the session of its folder that it wrote to; that it starts itself again makes no second one', () => {
  for (const platform of ['linux', 'darwin'] as const)
    expect(geminiPresence.holders({ ...environment, platform }, machineOf({}))).toMatchObject([
      { nativeId: session, pid: 700, activity: 'unknown', since: 1_000_000 },
    ]);
});

test.for([
  ['its marker', 'anything', { [`${root}/anything/.project_root`]: '/home/user/shop\n' }],
  ['the list of projects', 'shop', { '/home/user/.gemini/projects.json': '{"projects":{"/home/user/shop":"shop"}}' }],
  ['the hash of its path', createHash('sha256').update('/home/user/shop').digest('hex'), {}],
] as const)("a project's folder is known by %s", ([, project, texts]) => {
  expect(geminiPresence.holders(environment, machineOf({ project, texts }))).toHaveLength(1);
});

test('a program that was started with a session has it, before it writes', () => {
  const argv = ['node', '/x/node_modules/@google/gemini-cli/bundle/gemini.js', '--resume', session];
  expect(geminiPresence.holders(environment, machineOf({ argv, modifiedAt: 950_000 }))).toMatchObject([
    { nativeId: session, pid: 700, evidence: 'a running program that was started with this session' },
  ]);
  for (const named of ['latest', '--yolo', '0'])
    expect(geminiPresence.holders(environment, machineOf({ argv: [...argv.slice(0, 3), named], modifiedAt: 950_000 }))).toEqual(
      [],
    );
});

test('a program of another folder, one that has written nothing, other programs and Windows tell nothing', () => {
  expect(geminiPresence.holders(environment, machineOf({ cwd: '/home/user/blog' }))).toEqual([]);
  expect(geminiPresence.holders(environment, machineOf({ modifiedAt: 950_000 }))).toEqual([]);
  expect(geminiPresence.holders(environment, machineOf({ argv: ['node', '/x/gemini-proxy'] }))).toEqual([]);
  expect(geminiPresence.holders(environment, machineOf({ argv: ['node', '/x/server.js', script] }))).toEqual([]);
  expect(geminiPresence.holders({ ...environment, platform: 'win32' }, machineOf({}))).toEqual([]);
});

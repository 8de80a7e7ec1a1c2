/** What stands in the way of a hand-over: each a clear refusal or a clear word, and neither side's files are changed. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { continueThread } from '../../server/drive/continue.ts';
import type { ContinueDependencies } from '../../server/drive/continue.ts';
import { isOlder } from '../../shuttles/kit/version.ts';
import type { ContinueParams } from '../../server/protocol/requests.ts';
import type { HarnessStatus } from '../../server/protocol/views.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { AntigravityHome } from '../antigravity-home.ts';
import type { HomeLedger } from '../home-ledger.ts';
import { dependencies, handOver, homeWith, id, paramsOf } from './hand-over.ts';
import { codexFiles, ledgerOf, statusesOf, threadOf } from './read-home.ts';

const codex: HarnessStatus = {
  harness: 'codex',
  roots: [],
  installed: '/usr/bin/codex',
  canReceive: true,
  reason: null,
  modes: ['native', 'prompt'],
  version: '0.171.0',
  verified: [],
  losses: [],
};

function ask(home: HomeLedger, over: Partial<ContinueDependencies>, params: Partial<ContinueParams> = {}) {
  return continueThread(paramsOf(params), { ...dependencies(home), ...over });
}

/** Of everything below the home: names and contents. */
function filesOf({ home }: HomeLedger): readonly (readonly [string, string])[] {
  return fs
    .readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => [file, fs.readFileSync(file, 'latin1')] as const);
}

async function expectRefused(home: HomeLedger, asked: () => Promise<unknown>, fault: { id: string; detail?: RegExp }) {
  const was = filesOf(home);
  await expect(asked()).rejects.toMatchObject({
    id: fault.id,
    ...(fault.detail === undefined ? {} : { detail: expect.stringMatching(fault.detail) as string }),
  });
  expect(filesOf(home)).toEqual(was);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
  expect(home.ledger.liveSessions()).toEqual([]);
}

test('a thread in which nothing was said', async () => {
  await using home = await ledgerOf({}, homeWith({ exchanges: [['<command-name>/exit</command-name>', '']] }));
  await expectRefused(home, () => handOver(home, {}), { id: 'C003' });
});

test('a program that is not installed', async () => {
  await using home = await ledgerOf();
  const missing = { ...codex, installed: null, canReceive: false, modes: [], reason: 'Codex was not found on this machine.' };
  await expectRefused(home, () => ask(home, { harnesses: [missing] }), { id: 'C001', detail: /not found/u });
  // Its sessions are read by a desktop app, say: one can be written, but a prompt needs the program.
  const folderOnly = { ...codex, installed: null };
  await expectRefused(home, () => ask(home, { harnesses: [folderOnly] }, { mode: 'prompt' }), { id: 'C001' });
  expect((await ask(home, { harnesses: [folderOnly] })).warnings.join(' ')).toContain('not on PATH');
});

const needs = (oldest: string): readonly Shuttle[] =>
  shuttles.map((shuttle) =>
    shuttle.harness !== 'codex' || 'absent' in shuttle.launch ? shuttle : { ...shuttle, launch: { ...shuttle.launch, oldest } },
  );

test('a program that is too old', async () => {
  await using home = await ledgerOf();
  const old = { harnesses: [codex], shuttles: needs('0.180.0') };
  await expectRefused(home, () => ask(home, old), { id: 'C012', detail: /Codex 0\.171\.0 .* 0\.180\.0/u });
  expect((await ask(home, old, { dryRun: true })).warnings.join(' ')).toContain('too old');
  // Which version it is could not be told: that stops nobody.
  expect((await ask(home, { ...old, harnesses: [{ ...codex, version: null }] })).lease?.epoch).toBe(1);
});

test('versions are compared number by number', () => {
  for (const [version, oldest, older] of [
    ['0.39.0', '0.171', true],
    ['0.171.0', '0.171', false],
    ['2.1.99', '2.1.100', true],
    ['2.1.100-beta.1', '2.1.100', false],
    ['3', '2.9.9', false],
    ['2026.7.1', '2026.7.2', true],
  ] as const)
    expect(isOlder(version, oldest), `${version} ${oldest}`).toBe(older);
});

test('a program to which nobody is logged in is said, and the thread goes all the same', async () => {
  await using home = await ledgerOf();
  const result = await ask(home, { harnesses: [codex], isLoggedIn: () => Promise.resolve(false) });
  expect(result.warnings.join(' ')).toContain('Codex says that nobody is logged in');
  expect(result.lease).toEqual({ epoch: 1, holder: 'codex' });
  for (const answer of [true, null]) {
    const told = await ask(home, { harnesses: [codex], isLoggedIn: () => Promise.resolve(answer) });
    expect(told.warnings.join(' ')).not.toContain('logged in');
  }
});

test('the version of the program that is there is known to the writer', async () => {
  await using home = await ledgerOf();
  const { path: file } = await ask(home, { harnesses: [codex] });
  expect(fs.readFileSync(file, 'utf8')).toContain('"cli_version":"0.171.0"');
});

test('a folder of the target that cannot be written to', async () => {
  await using home = await ledgerOf();
  fs.writeFileSync(path.join(home.home, '.codex'), 'no folder');
  await expectRefused(home, () => handOver(home, {}), { id: 'C005', detail: /\.codex/u });
});

test('a session of that id that is there already is never written over', async () => {
  await using home = await ledgerOf();
  const bytes = () => new Uint8Array(16).fill(7);
  const now = Date.UTC(2026, 10, 30, 12);
  const same = { randomBytes: bytes, now: () => now };
  const { path: planned } = await ask(home, same, { dryRun: true });
  fs.mkdirSync(path.dirname(planned), { recursive: true });
  fs.writeFileSync(planned, 'somebody else’s');
  await expectRefused(home, () => ask(home, same), { id: 'C005', detail: /there already/u });
  expect(await statusesOf(home)).toEqual(['refused']);
  expect((await ask(home, {})).lease?.epoch).toBe(1);
});

test('a thread that is being driven: by whom is said, and it can be forked', async () => {
  await using home = await ledgerOf();
  const holder = { nativeId: id, pid: 4711, activity: 'working', evidence: 'its registry entry' } as const;
  const busy = { holders: (harness: string) => (harness === 'claude' ? [holder] : []) };
  await expectRefused(home, () => ask(home, busy), { id: 'C002', detail: /Claude Code.*4711/u });
  await expectRefused(home, () => ask(home, busy, { dryRun: true }), { id: 'C002' });
  const forked = await ask(home, busy, { force: true });
  expect(forked.warnings.join(' ')).toContain('Forked from its last recorded state');
});

test('a folder that does not exist any more is said, and a session for it can still be written', async () => {
  await using home = await ledgerOf({}, homeWith({ cwd: '/home/user/gone', exchanges: [['Build the cart.', 'Built.']] }));
  const { warnings } = await handOver(home, {});
  expect(warnings.join(' ')).toContain('/home/user/gone does not exist');
});

test('a way that an agent does not have, and an agent that there is not', async () => {
  using antigravity = new AntigravityHome();
  fs.cpSync(homeWith({ exchanges: [['Build the cart.', 'Built.']] }), antigravity.home, { recursive: true });
  await using home = await ledgerOf({}, antigravity.home);
  await expectRefused(home, () => handOver(home, { harness: 'antigravity', mode: 'native' }), { id: 'C004' });
  await expectRefused(home, () => handOver(home, { harness: 'nobody' as 'codex' }), { id: 'C004' });
  expect(codexFiles(home)).toEqual([]);
});

/** `loom snapshot` and what `loom doctor` says of it, from outside: streams, shapes, exit statuses, and text that is safe for a terminal. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DiffResult, SnapshotView, ThreadChanges, WorldRestoreResult } from '../../server/protocol/world.ts';
import type { Check } from '../../server/main/commands/doctor.ts';
import { LoomProgram } from './program.ts';
import type { Ran } from './program.ts';
import { filesOf, Worktrees, write } from './worktrees.ts';

let program: LoomProgram;
beforeAll(() => {
  program = new LoomProgram();
}, 120_000);
afterAll(() => program[Symbol.dispose]());

test('a worktree is kept, compared and taken back by the commands, each as text and as JSON', async () => {
  using worktrees = new Worktrees();
  const ledger = path.join(worktrees.folder, 'ledger');
  const loom = (...args: readonly string[]): Promise<Ran> => program.run(worktrees.home, ledger, args);
  // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape that it then checks
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const ran = await loom(...args, '--json');
    expect(ran, ran.err).toMatchObject({ status: 0, err: '' });
    return JSON.parse(ran.out) as T;
  };
  const root = worktrees.repository({ 'a.txt': 'one\n', 'gone.txt': 'gone\n' });
  expect(await json<SnapshotView>('snapshot', 'take', '--cwd', root)).toMatchObject({
    number: 1,
    worktree: root,
    branch: 'main',
  });
  write(root, { 'a.txt': 'one\n\u001b]0;title\u0007two\n', 'gone.txt': null, 'bin.dat': '\0\u0001' });
  const taken = await loom('snapshot', 'take', '--cwd', path.join(root, '.'));
  expect(taken.out).toBe(`Snapshot 2 of ${root} (main)\n`);

  const text = await loom('snapshot', 'diff', '1', '2');
  expect(text.status).toBe(0);
  expect(text.out).not.toContain('\u001b');
  expect(text.out).toContain('+two');
  expect(text.out).toContain('--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone');
  expect(text.out).toContain('diff --git a/bin.dat b/bin.dat\nnew file\nNot shown');
  expect((await loom('snapshot', 'diff', '1', '--stat')).out).toBe('M a.txt  +1 -0\nA bin.dat  not text\nD gone.txt  +0 -1\n');
  const diff = await json<DiffResult>('snapshot', 'diff', '1', '2');
  expect(diff.files.map(({ path: name, change }) => [name, change])).toEqual([
    ['a.txt', 'modified'],
    ['bin.dat', 'added'],
    ['gone.txt', 'deleted'],
  ]);

  const span = ['--before', '1', '--after', '2'];
  const start = filesOf(root);
  const dry = await loom('snapshot', 'restore', ...span, '--dry-run');
  expect(dry.out).toBe('write    a.txt\ndelete   bin.dat\nwrite    gone.txt\n');
  expect(filesOf(root)).toEqual(start);
  const one = await json<WorldRestoreResult>('snapshot', 'restore', ...span, '--path', 'gone.txt');
  expect(one.steps).toEqual([{ path: 'gone.txt', action: 'write', note: '' }]);
  expect(filesOf(root)).toEqual({ ...start, 'gone.txt': 'gone\n' });
  await json('snapshot', 'restore', '--before', String(one.undo?.before), '--after', String(one.undo?.after));
  expect(filesOf(root)).toEqual(start);
  write(root, { 'a.txt': 'another\n' });
  const refused = await loom('snapshot', 'restore', ...span);
  expect(refused.status).toBe(1);
  expect(refused.err).toMatch(/^G004: .*a\.txt/mu);
  const lost = await loom('snapshot', 'restore', ...span, '--overwrite');
  expect(lost.out).toMatch(/To take it back: loom snapshot restore --before \d+ --after \d+/u);
  expect(filesOf(root)).toEqual({ 'a.txt': 'one\n', 'gone.txt': 'gone\n' });

  const { snapshots, changes } = await json<{ snapshots: SnapshotView[]; changes: ThreadChanges | null }>('snapshot', 'list');
  expect(snapshots.map(({ number }) => number)).toEqual(snapshots.map(({ number }) => number).toSorted((a, b) => b - a));
  expect(changes).toBeNull();
  expect((await loom('snapshot', 'list', '--limit', '1')).out).toMatch(/^ +\d+  \d{4}-\d\d-\d\d \d\d:\d\d  safety/u);

  for (const wrong of [
    ['take', 'x'],
    ['diff'],
    ['diff', '1', 'two'],
    ['restore', '--before', '1'],
    ['take', '--turn', '1'],
    ['eat'],
  ])
    expect((await loom('snapshot', ...wrong)).status, wrong.join(' ')).toBe(2);
  expect((await loom('snapshot', 'diff', '1', '99')).err).toMatch(/^G005: /u);
  const plain = path.join(worktrees.folder, 'plain');
  fs.mkdirSync(plain);
  expect(await loom('snapshot', 'take', '--cwd', plain)).toMatchObject({ status: 1 });
  const { checks } = await json<{ checks: Check[] }>('doctor');
  expect(checks.find(({ id }) => id === 'git')?.detail).toMatch(/^git version/u);
  expect(checks.find(({ id }) => id === 'snapshots')?.detail).toMatch(/snapshots of 1 worktrees in/u);
}, 240_000);

/** What the index knows of unchanged folders never hides anything: the quick way of looking finds what looking at everything finds. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hold } from '../../server/world/keep.ts';
import { differences, warm } from '../../server/world/listing.ts';
import { settle } from '../../server/world/quick-take.ts';
import { SnapshotStore } from '../../server/world/snapshot-store.ts';
import { take } from '../../server/world/take.ts';
import type { Taken } from '../../server/world/take.ts';
import { headNow, worktreeOf } from '../../server/world/worktree.ts';
import { filesOf, Worktrees, write } from './worktrees.ts';
import type { Kept } from './worktrees.ts';

async function warmed(worktrees: Worktrees, root: string): Promise<Kept> {
  const kept = await worktrees.open(root);
  await kept.take();
  await rest(kept);
  return kept;
}

async function rest({ store, worktree }: Kept): Promise<void> {
  await settle(store);
  await warm(store, worktree);
  expect(store.isWarm).toBe(true);
}

/** Takes a snapshot once both ways of looking have found the same. */
async function takeTheSame(kept: Kept): Promise<Taken> {
  const { store, worktree } = kept;
  const found = await differences(store, worktree, undefined);
  store.isWarm = false;
  const plain = await differences(store, worktree, undefined);
  store.isWarm = true;
  if (!(found instanceof Map && plain instanceof Map)) throw new Error('git failed');
  expect(found).toEqual(plain);
  return kept.take();
}

test('a folder that becomes a repository of its own while it stands is named and not entered, and entered once it is none any more', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n', '.gitignore': '*.skip\n' });
  write(root, { 'inner/x.skip': 'x', 'deep/er/x.skip': 'x' });
  const kept = await warmed(worktrees, root);
  for (const name of ['inner', 'deep/er']) {
    const folder = path.join(root, name);
    worktrees.git(folder, 'init', '-q');
    write(folder, { 'n.txt': 'n\n' });
    expect((await takeTheSame(kept)).leftOut).toEqual([{ path: name, reason: 'nested' }]);
    await rest(kept);
    fs.rmSync(path.join(folder, '.git'), { recursive: true });
    expect((await takeTheSame(kept)).leftOutTotal).toBe(0);
    await rest(kept);
  }
});

test('lists of ignored files that change in place, and files that come behind the back of a folder, are seen', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n', '.gitignore': '*.log\n', 'sub/.gitignore': '*.tmp\n' });
  write(root, { 'x.log': 'log', 'sub/x.tmp': 'tmp', 'sub/x.bak': 'bak' });
  const kept = await warmed(worktrees, root);
  const exclude = path.join(root, '.git/info/exclude');
  fs.mkdirSync(path.dirname(exclude), { recursive: true });
  const steps: readonly (() => void)[] = [
    () => fs.writeFileSync(path.join(root, '.gitignore'), '*.bak\n'),
    () => fs.writeFileSync(path.join(root, 'sub/.gitignore'), '*.bat\n'),
    () => {
      // As an archive does it that sets times back.
      const { atime, mtime } = fs.statSync(path.join(root, 'sub'));
      write(root, { 'sub/late.txt': 'late\n' });
      fs.utimesSync(path.join(root, 'sub'), atime, mtime);
    },
    () => write(root, { 'sub/late.txt': null, 'sub/new/er/file.txt': 'new\n' }),
    () => fs.renameSync(path.join(root, 'sub'), path.join(root, 'moved')),
    () => fs.symlinkSync('moved', path.join(root, 'sub')),
  ];
  for (const step of steps) {
    step();
    await takeTheSame(kept);
    await rest(kept);
    expect(await differences(kept.store, kept.worktree, undefined)).toEqual(new Map());
  }
});

test('a snapshot after a few changes starts one git, whatever is in the worktree, and an unchanged one too', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n % 6}/${n}.txt`, `${n}\n`])));
  const log = path.join(worktrees.folder, 'runs');
  const git = path.join(worktrees.folder, 'counting-git');
  fs.writeFileSync(git, `#!/bin/sh\necho "$*" >> '${log}'\nexec git "$@"\n`, { mode: 0o755 });
  const program = { ...worktrees.program, file: git };
  const runs = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    fs.rmSync(log, { force: true });
    await work();
    return fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : [];
  };
  const worktree = await worktreeOf(program, root, worktrees.home);
  if ('none' in worktree) throw new Error(worktree.text);
  const store = await SnapshotStore.open(program, worktrees.stores, worktree, [], true);
  const takeOne = async (): Promise<void> => {
    const taken = await take(store, worktree, { elapsed: () => 0 });
    if ('failed' in taken) throw new Error(taken.failed);
    expect((await headNow(program, worktree)).branch).toBe('main');
    await hold(store, [1], taken.tree);
  };
  await takeOne();
  await settle(store);
  await warm(store, worktree);
  for (let round = 0; round < 3; round++) {
    write(root, { 'f1/1.txt': `${round}`, 'f2/2.txt': round === 1 ? null : `${round}`, [`new/${round}.txt`]: 'new' });
    // The one that gives objects was started by the first.
    expect((await runs(takeOne)).map((run) => /(status|\S+) --/u.exec(run)?.[1])).toEqual(['status']);
    expect(await runs(() => settle(store))).toHaveLength(1);
    expect(await runs(takeOne)).toHaveLength(1);
  }
  store.objects.close();
});

test('where HEAD stands is read as git tells it', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository();
  const id = worktrees.git(root, 'rev-parse', 'HEAD').trim();
  const worktree = await worktreeOf(worktrees.program, root, worktrees.home);
  if ('none' in worktree) throw new Error(worktree.text);
  const now = () => headNow(worktrees.program, worktree);
  expect(await now()).toEqual({ head: id, branch: 'main' });
  for (const branch of ['feature/ünder one', 'ü/a-b.c'].map((name) => name.replace(' ', '-'))) {
    worktrees.git(root, 'checkout', '-q', '-b', branch);
    expect(await now()).toEqual({ head: id, branch });
  }
  worktrees.git(root, 'pack-refs', '--all');
  expect(await now()).toEqual({ head: id, branch: 'ü/a-b.c' });
  // Without a git, that is.
  const none = { ...worktrees.program, file: path.join(worktrees.folder, 'no-git') };
  expect(await headNow(none, worktree)).toEqual({ head: id, branch: 'ü/a-b.c' });
  worktrees.git(root, 'commit', '-q', '--allow-empty', '-m', 'later');
  const later = worktrees.git(root, 'rev-parse', 'HEAD').trim();
  expect(await headNow(none, worktree)).toEqual({ head: later, branch: 'ü/a-b.c' });
  worktrees.git(root, 'reset', '-q', '--soft', id);
  worktrees.git(root, 'checkout', '-q', '--detach');
  expect(await now()).toEqual({ head: id, branch: null });
  worktrees.git(root, 'checkout', '-q', '--orphan', 'fresh');
  expect(await now()).toEqual({ head: null, branch: 'fresh' });
  worktrees.git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  worktrees.git(root, 'symbolic-ref', 'HEAD', 'refs/heads/alias');
  expect((await now()).head).toBe(id);
  expect(filesOf(root)).toEqual({ 'a.txt': 'a\n' });

  const side = path.join(worktrees.folder, 'side');
  worktrees.git(root, 'worktree', 'add', '-q', '-b', 'side', side, id);
  const other = await worktreeOf(worktrees.program, side, worktrees.home);
  if ('none' in other) throw new Error(other.text);
  expect(await headNow(worktrees.program, other)).toEqual({ head: id, branch: 'side' });
});

test.each([
  ['a byte that is no UTF-8', Buffer.from([0xe8]), Buffer.from([0xe9])],
  ['a blank that is none for git', Buffer.from(''), Buffer.from('\u00a0')],
])('branches whose names differ only by %s are never taken for each other, packed or not', async (_, one, other) => {
  using worktrees = new Worktrees();
  const root = worktrees.repository();
  const first = worktrees.git(root, 'rev-parse', 'HEAD').trim();
  worktrees.git(root, 'commit', '-q', '--allow-empty', '-m', 'later');
  const later = worktrees.git(root, 'rev-parse', 'HEAD').trim();
  const worktree = await worktreeOf(worktrees.program, root, worktrees.home);
  if ('none' in worktree) throw new Error(worktree.text);
  const branch = (end: Buffer): Buffer => Buffer.concat([Buffer.from('refs/heads/caf'), end, Buffer.from('\n')]);
  const packed = [Buffer.from(`${first} `), branch(one), Buffer.from(`${later} `), branch(other)];
  fs.writeFileSync(path.join(root, '.git/packed-refs'), Buffer.concat(packed));
  for (const [end, head] of [
    [one, first],
    [other, later],
  ] as const) {
    fs.writeFileSync(path.join(root, '.git/HEAD'), Buffer.concat([Buffer.from('ref: '), branch(end)]));
    expect(await headNow(worktrees.program, worktree)).toEqual({ head, branch: `caf${end.toString()}` });
    expect((await worktreeOf(worktrees.program, root, worktrees.home)) as unknown).toMatchObject({
      head,
      branch: `caf${end.toString()}`,
    });
  }
});

test('an index stays as old as the look by which it learnt of folders, so that git trusts no time that is as new as that', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  const kept = await warmed(worktrees, root);
  const index = (): number => fs.statSync(path.join(kept.store.folder, indexOf(kept))).mtimeMs;
  const looked = index();
  write(root, { 'sub/new.txt': 'new\n', 'a.txt': null });
  await takeTheSame(kept);
  await settle(kept.store);
  expect(index()).toBe(looked);
  write(root, { 'sub/later.txt': 'later\n' });
  expect((await takeTheSame(kept)).changed).toBe(1);
});

function indexOf({ store }: Kept): string {
  const [name] = fs.readdirSync(store.folder).filter((one) => one.startsWith('index-'));
  if (name === undefined) throw new Error('there is an index');
  return name;
}

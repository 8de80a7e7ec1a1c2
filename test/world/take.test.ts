/** Snapshots of real worktrees: everything that is there, as it is, and nothing of the person's repository touched. */
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { blobOf } from '../../server/world/blob.ts';
import { compact, held, hold, letGo, sizeOf } from '../../server/world/keep.ts';
import { rawFrom, rawOf, shown } from '../../server/world/raw-path.ts';
import { settle } from '../../server/world/quick-take.ts';
import { take, takeBudget } from '../../server/world/take.ts';
import { sidesOf } from '../../server/world/tree-diff.ts';
import { worktreeOf } from '../../server/world/worktree.ts';
import { cases } from '../home-ledger.ts';
import { diffTrees, filesOf, Worktrees, write } from './worktrees.ts';
import type { Kept } from './worktrees.ts';

/** The files of a tree, like `filesOf`. */
async function inTree(kept: Kept, tree: string): Promise<Readonly<Record<string, string>>> {
  const listed = await kept.store.git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]);
  const names = rawOf(listed.stdout)
    .split('\0')
    .filter((name) => name !== '');
  const sides = await sidesOf(kept.store, tree, names);
  const out: Record<string, string> = {};
  for (const [name, side] of sides) {
    const blob = await blobOf(kept.store, side.object);
    if (!blob.ok) throw new Error(blob.reason);
    out[name] = `${{ file: '', executable: 'x:', link: 'link:' }[side.mode]}${blob.bytes.toString('latin1')}`;
  }
  return out;
}

function setUp(worktrees: Worktrees, name: string): string {
  const folder = path.join(worktrees.folder, 'case');
  execFileSync('sh', [path.join(cases, name, 'setup.sh'), folder], { stdio: 'pipe' });
  return folder;
}

/** Everything of the person's own git folder, byte for byte. */
function gitFolder(root: string): ReadonlyMap<string, string> {
  const out = new Map<string, string>();
  for (const entry of fs.readdirSync(path.join(root, '.git'), { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) out.set(file, `${fs.statSync(file).mtimeMs} ${fs.readFileSync(file, 'latin1')}`);
  }
  return out;
}

test('tracked, changed, staged, untracked and executable files and links are held as they lie there; ignored ones are not', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({
    'a.txt': 'a\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    '.gitignore': 'build/\n*.log\n',
    '.gitattributes': '* text=auto eol=lf\n*.txt filter=up\n',
  });
  worktrees.git(root, 'config', 'filter.up.clean', 'tr a-z A-Z');
  worktrees.git(root, 'config', 'core.autocrlf', 'true');
  write(root, {
    'a.txt': 'changed\r\n',
    'staged.txt': 'staged\n',
    'new/deep.txt': 'new\n',
    'build/out.o': 'o',
    'x.log': 'log',
    'kept.log': 'tracked though ignored\n',
  });
  worktrees.git(root, 'add', 'staged.txt');
  worktrees.git(root, 'add', '-f', 'kept.log');
  fs.chmodSync(path.join(root, 'a.txt'), 0o755);
  fs.symlinkSync('nowhere', path.join(root, 'dangling'));
  fs.symlinkSync('.', path.join(root, 'loop'));
  const before = gitFolder(root);
  const kept = await worktrees.open(root);
  const taken = await kept.take();
  const { 'build/out.o': _o, 'x.log': _log, ...expected } = filesOf(root);
  expect(await inTree(kept, taken.tree)).toEqual(expected);
  expect(taken.leftOutTotal).toBe(0);
  expect(gitFolder(root)).toEqual(before);

  // What is tracked though ignored is followed like the rest.
  write(root, { 'kept.log': 'changed\n', 'staged.txt': null });
  const next = await kept.take();
  expect((await diffTrees(kept.store, taken.tree, next.tree)).map(({ raw, after }) => [raw, after !== null])).toEqual([
    ['kept.log', true],
    ['staged.txt', false],
  ]);
  expect((await kept.take()).tree).toBe(next.tree);
  expect(gitFolder(root)).toEqual(before);
});

test('a repository without a commit, and a worktree of a repository, are snapshotted; the person sees nothing of it', async () => {
  using worktrees = new Worktrees();
  const unborn = worktrees.repository({}, 'unborn');
  write(unborn, { 'a.txt': 'a\n' });
  const kept = await worktrees.open(unborn);
  expect(kept.worktree).toMatchObject({ head: null, branch: 'main' });
  expect(await inTree(kept, (await kept.take()).tree)).toEqual({ 'a.txt': 'a\n' });

  const root = worktrees.repository();
  worktrees.git(root, 'worktree', 'add', '-q', '-b', 'side', '../side');
  const side = path.join(worktrees.folder, 'side');
  write(side, { 'b.txt': 'b\n' });
  const status = worktrees.git(root, 'status', '--porcelain=v2', '--branch');
  const both = [await worktrees.open(root), await worktrees.open(side)];
  expect(both[0]?.worktree.common).toBe(both[1]?.worktree.common);
  expect(both[0]?.store.folder).not.toBe(both[1]?.store.folder);
  expect(await inTree(both[1]!, (await both[1]!.take()).tree)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  expect(worktrees.git(root, 'status', '--porcelain=v2', '--branch')).toBe(status);
  expect(worktrees.git(root, 'for-each-ref')).not.toContain('loom');
});

test('submodules and nested repositories are named and not entered', async () => {
  using worktrees = new Worktrees();
  const inner = worktrees.repository({ 'i.txt': 'i\n' }, 'inner');
  const root = worktrees.repository();
  worktrees.git(root, 'submodule', '--quiet', 'add', inner, 'sub');
  const nested = path.join(root, 'nested');
  fs.mkdirSync(nested);
  worktrees.git(nested, 'init', '-q');
  write(nested, { 'n.txt': 'n\n' });
  const kept = await worktrees.open(root);
  const taken = await kept.take();
  expect(taken.leftOut.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: 'nested', reason: 'nested' },
    { path: 'sub', reason: 'nested' },
  ]);
  expect(Object.keys(await inTree(kept, taken.tree))).toEqual(['.gitmodules', 'a.txt']);
});

test('a sparse checkout holds what is checked out', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' });
  worktrees.git(root, 'sparse-checkout', 'set', 'in');
  const kept = await worktrees.open(root);
  expect(await inTree(kept, (await kept.take()).tree)).toEqual({ 'in/a.txt': 'a\n' });
});

test('names of any bytes survive', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({});
  const names = [
    'a b',
    'tab\there',
    'line\nfeed',
    '"quoted\'',
    '-dash',
    ':(top)magic',
    '*glob?[x]',
    'back\\slash',
    'ünïcode',
    '日本',
    '\\x41',
  ].map((name) => Buffer.from(name));
  names.push(Buffer.from([0x62, 0xff, 0xfe]), Buffer.from('e\u0301'));
  for (const name of names) fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), name);
  const kept = await worktrees.open(root);
  expect(await inTree(kept, (await kept.take()).tree)).toEqual(filesOf(root));
  for (const name of names) expect(rawFrom(shown(rawOf(name)))).toBe(rawOf(name));
});

test('what is too large, special or over the budget is named with its reason, and stays out', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n', 'grows.txt': 'small' });
  const kept = await worktrees.open(root);
  const first = await kept.take();
  write(root, { 'grows.txt': 'x'.repeat(3000), 'large.bin': 'y'.repeat(2000) });
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  const budget = { ...takeBudget, file: 1000 };
  const taken = await kept.take({ budget });
  expect(taken.leftOut.toSorted((a, b) => a.path.localeCompare(b.path)).map(({ path: name, reason }) => [name, reason])).toEqual([
    ['grows.txt', 'large'],
    ['large.bin', 'large'],
  ]);
  expect(Object.keys(await inTree(kept, taken.tree))).toEqual(['a.txt']);
  expect(Object.keys(await inTree(kept, first.tree))).toEqual(['a.txt', 'grows.txt']);

  write(root, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`many/${i}.txt`, `${i}\n`])));
  const few = await kept.take({ budget: { ...budget, files: 5 } });
  expect(few.leftOut.filter(({ reason }) => reason === 'budget')).toHaveLength(15);
  const slow = await worktrees.open(worktrees.repository({ 'a.txt': 'a' }, 'slow'));
  let time = 0;
  expect((await slow.take({ budget: { ...budget, ms: 5 }, elapsed: () => (time += 10) })).leftOut).toEqual([
    { path: 'a.txt', reason: 'budget', bytes: 1 },
  ]);
  expect((await slow.take()).leftOutTotal).toBe(0);
});

test('a file that never rests while it is read is left out and named, and what stands still is whole', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'still.txt': 's\n' });
  const kept = await worktrees.open(root);
  const restless = path.join(root, 'restless.txt');
  const writer = setInterval(() => fs.writeFileSync(restless, String(Math.random())), 1);
  try {
    fs.writeFileSync(restless, 'x');
    const taken = await kept.take();
    const files = await inTree(kept, taken.tree);
    expect(files['still.txt']).toBe('s\n');
    if (taken.leftOutTotal > 0) expect(taken.leftOut).toEqual([{ path: 'restless.txt', reason: 'changing' }]);
    else expect(files['restless.txt']).toMatch(/^(?:x|0\.\d+|\d[\d.e-]*)$/u);
  } finally {
    clearInterval(writer);
  }
});

test('what a killed git left does not stop the next one, and its files are cleared away', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository();
  const kept = await worktrees.open(root);
  const { tree } = await kept.take();
  fs.writeFileSync(path.join(kept.store.folder, 'index-dead.lock'), '');
  fs.mkdirSync(path.join(kept.store.folder, 'objects/pack'), { recursive: true });
  fs.writeFileSync(path.join(kept.store.folder, 'objects/pack/tmp_pack_AAAA'), 'half');
  write(root, { 'b.txt': 'b\n' });
  const again = await worktrees.open(root);
  const taken = await again.take();
  expect((await diffTrees(again.store, tree, taken.tree)).map(({ raw }) => raw)).toEqual(['b.txt']);
  expect(fs.readdirSync(path.join(kept.store.folder, 'objects/pack'))).not.toContain('tmp_pack_AAAA');
});

test("what the person's gc drops stays in snapshots, and what snapshots let go leaves the store", async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n' });
  const kept = await worktrees.open(root);
  write(root, { 'noise.txt': Array.from({ length: 3000 }, () => Math.random()).join('\n') });
  const first = (await kept.take()).tree;
  await hold(kept.store, [1], first);
  write(root, { 'noise.txt': null, 'b.txt': 'b\n' });
  const second = (await kept.take()).tree;
  await hold(kept.store, [2], second);
  worktrees.git(root, 'gc', '-q', '--prune=now');
  await compact(kept.store);
  expect(await held(kept.store)).toEqual(new Set([1, 2]));
  expect(Object.keys(await inTree(kept, first))).toEqual(['a.txt', 'noise.txt']);
  const { bytes } = sizeOf(kept.store);
  await settle(kept.store);
  await letGo(kept.store, [1]);
  await compact(kept.store);
  expect(sizeOf(kept.store).bytes).toBeLessThan(bytes / 2);
  expect((await blobOf(kept.store, first)).ok).toBe(false);
  expect(Object.keys(await inTree(kept, second))).toEqual(['a.txt', 'b.txt']);
  // The index builds on what is kept.
  expect((await kept.take()).tree).toBe(second);
});

test('home folders, roots, bare repositories, folders without git and none at all are refused in words', async () => {
  using worktrees = new Worktrees();
  const of = async (folder: string, home = worktrees.home) => {
    const found = await worktreeOf(worktrees.program, folder, home);
    return 'none' in found ? found.none : found.root;
  };
  const root = worktrees.repository();
  expect(await of(path.join(root))).toBe(root);
  expect(await of(root, root)).toBe('home');
  expect(await of(path.join(worktrees.folder, 'none'))).toBe('gone');
  fs.mkdirSync(path.join(worktrees.folder, 'plain'));
  expect(await of(path.join(worktrees.folder, 'plain'))).toBe('noRepository');
  worktrees.git(worktrees.folder, 'init', '-q', '--bare', 'bare.git');
  expect(await of(path.join(worktrees.folder, 'bare.git'))).toBe('bare');
  expect(await of(path.join(root, '.git'))).toBe('bare');
  expect(
    await worktreeOf({ ...worktrees.program, file: path.join(worktrees.folder, 'no-git') }, root, worktrees.home),
  ).toMatchObject({ none: 'gitMissing' });
  const old = path.join(worktrees.folder, 'old-git');
  fs.writeFileSync(old, '#!/bin/sh\necho git version 2.24.9\n', { mode: 0o755 });
  expect(await worktreeOf({ ...worktrees.program, file: old }, root, worktrees.home)).toMatchObject({ none: 'gitOld' });
});

test('a repository of another user is refused with what to do, and no name of a folder is a word of the command', async ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root can give a folder to another user');
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n' }, 'shop; touch here');
  for (const folder of [root, path.join(root, '.git')]) fs.chownSync(folder, 65_534, 65_534);
  const found = await worktreeOf(worktrees.program, root, worktrees.home);
  expect(found).toMatchObject({ none: 'owner' });
  const [, command = ''] = 'text' in found ? found.text.split('say so in its top folder: ') : [];
  expect(command).toBe('git config --global --add safe.directory "$PWD"');
  worktrees.git(root, 'config', '--global', '--add', 'safe.directory', root);
  expect(await worktreeOf(worktrees.program, root, worktrees.home)).toMatchObject({ root });
});

test('a full disk, or a store that cannot be written, is told and leaves no tree', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository();
  const kept = await worktrees.open(root);
  fs.rmSync(path.join(kept.store.folder, 'objects'), { recursive: true });
  fs.writeFileSync(path.join(kept.store.folder, 'objects'), 'no folder');
  expect(await take(kept.store, kept.worktree, { elapsed: () => 0 })).toHaveProperty('failed');
});

test('a large untracked file, node_modules, an unborn repository at home and a folder without git', async () => {
  using worktrees = new Worktrees();
  const folder = setUp(worktrees, '37-git-big-and-home');
  const kept = await worktrees.open(path.join(folder, 'repo'));
  const taken = await kept.take();
  expect(taken.leftOut).toEqual([{ path: 'data.bin', reason: 'large', bytes: 629_145_600 }]);
  expect(taken.changed).toBe(3002);
  expect((await kept.take()).changed).toBe(0);
  expect(await worktreeOf(worktrees.program, path.join(folder, 'homerepo'), path.join(folder, 'homerepo'))).toMatchObject({
    none: 'home',
  });
  expect(await worktreeOf(worktrees.program, path.join(folder, 'notgit'), worktrees.home)).toMatchObject({
    none: 'noRepository',
  });
  expect(fs.readdirSync(path.join(folder, 'notgit'), { recursive: true })).toEqual(['sub', path.join('sub', 'x.txt')]);
}, 60_000);

test('signing, hooks, filters, a missing name and a lock of another git do not matter and are not run', async () => {
  using worktrees = new Worktrees();
  const folder = setUp(worktrees, '40-git-gpg-hooks-lock');
  const root = path.join(folder, 'repo');
  const index = fs.readFileSync(path.join(root, '.git/index'));
  const kept = await worktrees.open(root);
  const taken = await kept.take();
  expect(await inTree(kept, taken.tree)).toMatchObject({ 'a.txt': 'a\nb\n' });
  expect(fs.existsSync(path.join(folder, 'hook.log'))).toBe(false);
  expect(fs.existsSync(path.join(folder, 'filter.log'))).toBe(false);
  expect(fs.readFileSync(path.join(root, '.git/index'))).toEqual(index);
});

test('worktrees of a bare container are snapshotted, the container itself is none, and no configuration changes, whatever GIT_ variables are set', async () => {
  using worktrees = new Worktrees();
  const folder = setUp(worktrees, '43-git-bare-worktrees');
  const configs = ['repo/.bare/config', 'src/.git/config'].map((name) => path.join(folder, name));
  const before = configs.map((file) => fs.readFileSync(file, 'utf8'));
  const list = worktrees.git(path.join(folder, 'src'), 'worktree', 'list');
  const variables = {
    GIT_DIR: path.join(folder, 'repo/.bare/worktrees/main'),
    GIT_INDEX_FILE: '/nonexistent',
    GIT_WORK_TREE: '/',
  };
  Object.assign(process.env, variables);
  try {
    for (const name of ['repo/main', 'repo/feat', 'src', 'src-wt']) {
      const kept = await worktrees.open(path.join(folder, name));
      expect(await inTree(kept, (await kept.take()).tree), name).toEqual({ 'a.txt': 'a\n' });
    }
    expect(await worktreeOf(worktrees.program, path.join(folder, 'repo'), worktrees.home)).toMatchObject({ none: 'bare' });
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
  expect(configs.map((file) => fs.readFileSync(file, 'utf8'))).toEqual(before);
  expect(worktrees.git(path.join(folder, 'src'), 'worktree', 'list')).toBe(list);
});

/** Snapshots in a real ledger: rows stand for trees that can be read, worktrees do not mix, bounds hold, restores can be taken back. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Fault } from '../../server/protocol/faults.ts';
import { held, sizeOf } from '../../server/world/keep.ts';
import { cases } from '../home-ledger.ts';
import { LedgerWorktrees } from './ledger-worktrees.ts';
import { filesOf, write } from './worktrees.ts';

const asked = { cause: 'asked' } as const;
const all = { paths: null, hunk: null, dryRun: false, overwrite: false } as const;
const paths = (files: readonly { readonly raw: string }[]): readonly string[] => files.map(({ raw }) => raw);

test('a snapshot is a row with its tree, head and branch, and what lies between two is told file by file', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository({ 'a.txt': 'a\n', 'old name.txt': 'moved\nmoved\nmoved\n' });
  const before = await at.snapshots.take(root, asked);
  expect(before).toMatchObject({ number: 1, cause: 'asked', branch: 'main', left_out_total: 0, pruned: 0 });
  expect(before.head).toMatch(/^[0-9a-f]{40}$/u);
  write(root, { 'a.txt': 'a\nb\n', 'new.txt': 'x\n', 'old name.txt': null, 'new name.txt': 'moved\nmoved\nmoved\n' });
  const after = await at.snapshots.take(path.join(root, '.'), { cause: 'turnEnd', thread: 7, conversation: 3, entry: 9 });
  expect(at.table.ofThread(7)).toEqual([after]);
  const diffs = await at.snapshots.diff(before.number, after.number);
  expect(diffs.map(({ raw, from, added, removed }) => [raw, from, added, removed])).toEqual([
    ['a.txt', undefined, 1, 0],
    ['new name.txt', 'old name.txt', 0, 0],
    ['new.txt', undefined, 1, 0],
  ]);
  const content = await at.snapshots.content(before.number, 'old name.txt');
  expect(content).toMatchObject({ ok: true, binary: false, bytes: Buffer.from('moved\nmoved\nmoved\n') });
  expect(await at.snapshots.content(after.number, 'old name.txt')).toEqual({ ok: false, reason: 'missing', size: 0 });
  // Many pairs at once are as one after another.
  const [forth, none, back] = await at.snapshots.diffs([
    [1, 2],
    [2, 2],
    [2, 1],
  ]);
  expect(forth).toEqual(diffs);
  expect(none).toEqual([]);
  expect(paths(back ?? [])).toEqual(['a.txt', 'new.txt', 'old name.txt']);
});

test('one tree is kept for several occasions, and an end that is told twice only once', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository();
  const rows = await at.snapshots.takeFor(root, () => [
    { cause: 'turnEnd', thread: 1, conversation: 1, entry: 4 },
    { cause: 'turnStart', thread: 2, conversation: 8, entry: 9 },
  ]);
  expect(rows.map(({ number, thread, tree }) => [number, thread, tree === rows[0]?.tree])).toEqual([
    [1, 1, true],
    [2, 2, true],
  ]);
  const end = { cause: 'turnEnd', thread: 2, conversation: 8, entry: 9 } as const;
  expect(await at.snapshots.takeFor(root, () => [end])).toHaveLength(1);
  expect(await at.snapshots.takeFor(root, () => [end])).toHaveLength(0);
  write(root, { 'a.txt': 'changed\n' });
  expect(await at.snapshots.takeFor(root, () => [end])).toHaveLength(1);
});

test('two worktrees of one repository are snapshotted at once, each by itself, with numbers that never meet', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository({ 'a.txt': 'a\n' });
  const other = path.join(at.worktrees.folder, 'other');
  at.worktrees.git(root, 'worktree', 'add', '-q', '-b', 'side', other);
  const taken = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const where = n % 2 === 0 ? root : other;
      write(where, { [`${n}.txt`]: `${n}\n` });
      return at.snapshots.take(where, asked);
    }),
  );
  expect(new Set(taken.map(({ number }) => number)).size).toBe(6);
  const worktrees = at.table.worktrees();
  expect(worktrees.map(({ root: one }) => one).toSorted()).toEqual([root, other].toSorted());
  expect(new Set(worktrees.map(({ common }) => common)).size).toBe(1);
  for (const row of taken) expect(row.branch).toBe(at.table.worktree(row.worktree)?.root === root ? 'main' : 'side');
  const [mine, theirs] = [taken[0]?.number ?? 0, taken[1]?.number ?? 0];
  await expect(at.snapshots.diff(mine, theirs)).rejects.toThrow(/of two worktrees/u);
});

test('what the ledger itself writes inside of a worktree is in no snapshot', async () => {
  await using at = new LedgerWorktrees({ folder: 'repo/[odd] ledger/é' });
  const root = at.worktrees.repository({ 'a.txt': 'a\n' });
  at.worktrees.git(root, 'rm', '-rq', '--cached', '.');
  at.worktrees.git(root, 'add', 'a.txt');
  const first = await at.snapshots.take(root, asked);
  write(root, { '[odd] ledger/other.txt': 'x\n' });
  const second = await at.snapshots.take(root, asked);
  expect(paths(await at.snapshots.diff(first.number, second.number))).toEqual(['[odd] ledger/other.txt']);
});

test("the person's lists of ignored files count as they are now, the repository's own after the one for all", async () => {
  await using at = new LedgerWorktrees();
  fs.mkdirSync(path.join(at.worktrees.home, '.config/git'), { recursive: true });
  fs.writeFileSync(path.join(at.worktrees.home, '.config/git/ignore'), '*.log\nünter/\n');
  const root = at.worktrees.repository();
  write(root, { 'a.log': 'a\n', 'keep.log': 'k\n', 'ünter/x': 'x\n' });
  const first = await at.snapshots.take(root, asked);
  fs.appendFileSync(path.join(root, '.git/info/exclude'), '\n!keep.log\n');
  const second = await at.snapshots.take(root, asked);
  expect(paths(await at.snapshots.diff(first.number, second.number))).toEqual(['keep.log']);
});

test('old snapshots go by count and by age, the newest stays, and what is gone says so', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository();
  for (let n = 0; n < 5; n++) {
    write(root, { 'a.txt': `${n}\n` });
    await at.snapshots.take(root, asked);
  }
  const [worktree] = at.table.worktrees();
  if (worktree === undefined) throw new Error('there is a worktree');
  expect(await at.snapshots.tidy(worktree, { count: 3, ageMs: 1e9, bytes: 1e9 })).toBe(2);
  expect(at.table.ofWorktree(worktree.number, -1).map(({ pruned }) => pruned)).toEqual([0, 0, 0, 1, 1]);
  expect(await at.snapshots.content(1, 'a.txt')).toEqual({ ok: false, reason: 'pruned', size: 0 });
  await expect(at.snapshots.diff(1, 5)).rejects.toThrow(Fault);
  expect(await at.snapshots.content(3, 'a.txt')).toMatchObject({ ok: true, bytes: Buffer.from('2\n') });
  at.now += 1000;
  expect(await at.snapshots.tidy(worktree, { count: 3, ageMs: 500, bytes: 1e9 })).toBe(2);
  expect(await at.snapshots.content(5, 'a.txt')).toMatchObject({ ok: true, bytes: Buffer.from('4\n') });
  // A store that stays too large lets go of all but the newest, and no more.
  write(root, { 'a.txt': 'x\n' });
  await at.snapshots.take(root, asked);
  expect(await at.snapshots.tidy(worktree, { count: 99, ageMs: 1e9, bytes: 1 })).toBe(1);
  expect(await at.snapshots.content(6, 'a.txt')).toMatchObject({ ok: true });
  // And the next one is as good as ever.
  write(root, { 'a.txt': '4\n' });
  const next = await at.snapshots.take(root, asked);
  expect(await at.snapshots.content(next.number, 'a.txt')).toMatchObject({ ok: true, bytes: Buffer.from('4\n') });
});

test('what stands beside the largest pack is packed with it once it is much: versions become differences', async () => {
  await using at = new LedgerWorktrees();
  // Hexadecimal digits of hashes: they halve, and have nothing in common.
  const lines = (file: number): string =>
    Array.from({ length: 2000 }, (_, line) => createHash('sha256').update(`${file} ${line}`).digest('hex')).join('\n');
  const names = Array.from({ length: 40 }, (_, n) => `src/${n}.txt`);
  const root = at.worktrees.repository(Object.fromEntries(names.map((name, n) => [name, lines(n)])));
  await at.snapshots.take(root, asked);
  const [worktree] = at.table.worktrees();
  const store = worktree === undefined ? undefined : at.snapshots.storeOf(worktree);
  if (worktree === undefined || store === undefined) throw new Error('there is a store');
  const change = async (files: readonly string[], words: string): Promise<void> => {
    for (const name of files) fs.appendFileSync(path.join(root, name), words);
    await at.snapshots.take(root, asked);
  };
  await at.snapshots.tidy(worktree);
  const whole = sizeOf(store);
  expect(whole).toMatchObject({ loose: 0, packs: 1, beside: 0 });
  await change(names.slice(0, 2), 'little\n');
  await at.snapshots.tidy(worktree);
  const little = sizeOf(store);
  expect(little, 'two files are not worth it').toMatchObject({ packs: 2, packed: whole.packed });
  expect(little.beside).toBeGreaterThan(1000);
  await change(names.slice(2, 32), 'much\n');
  const much = sizeOf(store);
  expect(much.beside).toBeGreaterThan(1024 * 1024);
  await at.snapshots.tidy(worktree);
  const after = sizeOf(store);
  expect(after).toMatchObject({ loose: 0, packs: 1, beside: 0 });
  // None is left for the next snapshot to make.
  const folders = fs.readdirSync(path.join(store.folder, 'objects')).filter((name) => /^[0-9a-f]{2}$/u.test(name));
  expect(folders).toHaveLength(256);
  expect(after.packed - whole.packed).toBeLessThan(much.beside / 50);
  expect(await at.snapshots.content(3, 'src/2.txt')).toMatchObject({ ok: true, bytes: Buffer.from(`${lines(2)}much\n`) });
  expect(await at.snapshots.content(1, 'src/2.txt')).toMatchObject({ ok: true, bytes: Buffer.from(lines(2)) });
});

test('a tree that a killed process kept without a row is dropped, and its number is given again', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository();
  const first = await at.snapshots.take(root, asked);
  const [worktree] = at.table.worktrees();
  const store = worktree === undefined ? undefined : at.snapshots.storeOf(worktree);
  if (worktree === undefined || store === undefined) throw new Error('there is a store');
  await store.git(['update-ref', 'refs/loom/2', first.tree]);
  await store.git(['update-ref', 'refs/loom/9', first.tree]);
  write(root, { 'a.txt': 'next\n' });
  const second = await at.snapshots.take(root, asked);
  expect(second.number).toBe(2);
  await at.snapshots.tidy(worktree);
  expect(await held(store)).toEqual(new Set([1, 2]));
});

test('a store that lost what its index names is read anew', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  await at.snapshots.take(root, asked);
  const [worktree] = at.table.worktrees();
  const store = worktree === undefined ? undefined : at.snapshots.storeOf(worktree);
  if (store === undefined) throw new Error('there is a store');
  for (const name of fs.readdirSync(path.join(store.folder, 'objects')))
    if (/^[0-9a-f]{2}$/u.test(name)) fs.rmSync(path.join(store.folder, 'objects', name), { recursive: true });
  write(root, { 'b.txt': 'bb\n' });
  const row = await at.open().take(root, asked);
  expect(await at.snapshots.content(row.number, 'a.txt')).toMatchObject({ ok: true, bytes: Buffer.from('a\n') });
});

test('a worktree that is gone for good leaves its store, and its rows say so', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository();
  await at.snapshots.take(root, asked);
  const [worktree] = at.table.worktrees();
  if (worktree === undefined) throw new Error('there is a worktree');
  fs.rmSync(root, { recursive: true });
  await expect(at.snapshots.take(root, asked)).rejects.toThrow(/does not exist/u);
  expect(await at.snapshots.content(1, 'a.txt')).toMatchObject({ ok: true });
  await at.snapshots.forget(worktree);
  expect(await at.snapshots.content(1, 'a.txt')).toEqual({ ok: false, reason: 'pruned', size: 0 });
  expect(fs.readdirSync(path.join(at.ledger.folder, 'snapshots'))).toEqual([]);
});

test('a restore shows what it will do, names conflicts before anything is touched, and can be taken back', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const before = await at.snapshots.take(root, asked);
  write(root, { 'a.txt': 'two\n', 'b.txt': 'bb\n', 'c.txt': 'c\n' });
  const after = await at.snapshots.take(root, asked);
  write(root, { 'a.txt': 'three\n' });
  const start = filesOf(root);
  const dry = await at.snapshots.restore(before.number, after.number, { ...all, dryRun: true });
  expect(dry.files.map(({ raw, action }) => [raw, action])).toEqual([
    ['a.txt', 'conflict'],
    ['b.txt', 'write'],
    ['c.txt', 'delete'],
  ]);
  expect(dry.done).toBeNull();
  await expect(at.snapshots.restore(before.number, after.number, all)).rejects.toThrow(/a\.txt/u);
  expect(filesOf(root)).toEqual(start);
  const some = await at.snapshots.restore(before.number, after.number, { ...all, paths: ['b.txt'] });
  expect(filesOf(root)).toEqual({ ...start, 'b.txt': 'b\n' });
  expect(some.done).not.toBeNull();
  const whole = await at.snapshots.restore(before.number, after.number, { ...all, overwrite: true });
  expect(filesOf(root)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  await at.snapshots.restore(whole.safety.number, whole.done?.number ?? 0, all);
  expect(filesOf(root)).toEqual({ ...start, 'b.txt': 'b\n' });
});

test('38-git-restore-untracked: a restore touches only what the turn did, after a snapshot of what was there', async () => {
  await using at = new LedgerWorktrees();
  const folder = path.join(at.worktrees.folder, 'case');
  execFileSync('sh', [path.join(cases, '38-git-restore-untracked', 'setup.sh'), folder], { stdio: 'pipe' });
  const root = path.join(folder, 'repo');
  const index = (): string => at.worktrees.git(root, 'diff', '--cached', '--name-status');
  const s1 = await at.snapshots.take(root, asked);
  const staged = index();
  execFileSync('sh', [path.join(folder, 'after.sh')], { cwd: root });
  // The agent's turn ends here; what the person makes later is none of it.
  const later = fs.readFileSync(path.join(root, 'user-made-later.txt'), 'utf8');
  fs.rmSync(path.join(root, 'user-made-later.txt'));
  const end = await at.snapshots.take(root, asked);
  fs.writeFileSync(path.join(root, 'user-made-later.txt'), later);
  const start = filesOf(root);
  const planned = await at.snapshots.restore(s1.number, end.number, { ...all, dryRun: true });
  expect(planned.files.map(({ raw, action }) => [raw, action])).toEqual([
    ['agent-made.txt', 'delete'],
    ['staged.txt', 'write'],
    ['tracked.txt', 'write'],
  ]);
  const restored = await at.snapshots.restore(s1.number, end.number, all);
  expect(filesOf(root)).toEqual({
    '.gitignore': 'build/\noutput/\n',
    'build/o.o': 'obj\n',
    'notes-untracked.txt': 'mine\n',
    'output/results.jsonl': 'precious\nmore\n',
    'staged.txt': 'staged\n',
    'tracked.txt': 'one\n',
    'user-made-later.txt': 'later\n',
  });
  expect(index()).toBe(staged);
  expect(await at.snapshots.content(restored.safety.number, 'agent-made.txt')).toMatchObject({ bytes: Buffer.from('agent\n') });
  await at.snapshots.restore(restored.safety.number, restored.done?.number ?? 0, all);
  expect(filesOf(root)).toEqual(start);
  // Of everything since S1, also the person's own later file is only named, and what is not chosen stays.
  const now = await at.snapshots.take(root, asked);
  const wide = await at.snapshots.restore(s1.number, now.number, { ...all, dryRun: true });
  expect(wide.files.find(({ raw }) => raw === 'user-made-later.txt')?.action).toBe('delete');
  await at.snapshots.restore(s1.number, now.number, { ...all, paths: ['tracked.txt'] });
  expect(filesOf(root)).toEqual({ ...start, 'tracked.txt': 'one\n' });
});

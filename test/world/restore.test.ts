/** Restores between real snapshots: every turn in every order, later changes kept, nothing else touched, all or nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { applyRestore, recoverRestore, RestoreRefused } from '../../server/world/restore.ts';
import type { RestoreMoment } from '../../server/world/restore.ts';
import { planRestore } from '../../server/world/restore-plan.ts';
import type { PlannedFile, PlanOptions } from '../../server/world/restore-plan.ts';
import { diffTrees, filesOf, Worktrees, write } from './worktrees.ts';
import type { Kept } from './worktrees.ts';

async function plan(
  kept: Kept,
  before: string,
  after: string,
  options: Partial<PlanOptions> = {},
): Promise<readonly PlannedFile[]> {
  const now = await kept.take();
  const diffs = await diffTrees(kept.store, before, after, false);
  return planRestore(kept.program, kept.store, kept.worktree, diffs, now.tree, { overwrite: false, hunk: null, ...options });
}
async function restore(kept: Kept, before: string, after: string): Promise<readonly PlannedFile[]> {
  const planned = await plan(kept, before, after);
  await applyRestore(kept.store, kept.worktree.root, planned, 'test');
  return planned;
}

const lines = (...changed: readonly [number, string][]): string =>
  Array.from({ length: 40 }, (_, i) => `${changed.find(([at]) => at === i)?.[1] ?? `line ${i}`}\n`).join('');

/** What each of four turns does; each can be taken back alone, whatever was taken back before it. */
const turns: readonly Readonly<Record<string, string | null>>[] = [
  { 'shared.txt': lines([2, 'one']), 'new.txt': 'made by one\n' },
  { 'shared.txt': lines([2, 'one'], [15, 'two']), 'gone.txt': null, 'deep/er/made.txt': 'two\n' },
  { 'shared.txt': lines([2, 'one'], [15, 'two'], [28, 'three']), 'moved.txt': 'kept\n', 'kept.txt': null },
  { 'shared.txt': lines([2, 'one'], [15, 'two'], [28, 'three'], [38, 'four']), 'binary.bin': '\0\u0001four' },
];
const first = { 'shared.txt': lines(), 'gone.txt': 'gone\n', 'kept.txt': 'kept\n', 'binary.bin': '\0\u0001' };

/** The files when only the turns of this set have been done. */
function expected(done: ReadonlySet<number>): Readonly<Record<string, string>> {
  const marks = (['one', 'two', 'three', 'four'] as const).flatMap((word, turn): readonly [number, string][] =>
    done.has(turn) ? [[[2, 15, 28, 38][turn] ?? 0, word]] : [],
  );
  return {
    'shared.txt': lines(...marks),
    ...(done.has(0) ? { 'new.txt': 'made by one\n' } : {}),
    ...(done.has(1) ? { 'deep/er/made.txt': 'two\n' } : { 'gone.txt': 'gone\n' }),
    ...(done.has(2) ? { 'moved.txt': 'kept\n' } : { 'kept.txt': 'kept\n' }),
    'binary.bin': done.has(3) ? '\0\u0001four' : '\0\u0001',
    'mine.txt': 'the person\n',
  };
}

function orders(of: readonly number[]): readonly (readonly number[])[] {
  return of.length === 0 ? [[]] : of.flatMap((one) => orders(of.filter((other) => other !== one)).map((rest) => [one, ...rest]));
}

test('each of four turns is taken back in every order, and each order ends where no turn was', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository(first);
  const kept = await worktrees.open(root);
  const trees = [(await kept.take()).tree];
  for (const turn of turns) {
    write(root, turn);
    trees.push((await kept.take()).tree);
  }
  // The person's own file comes after all turns, untracked.
  write(root, { 'mine.txt': 'the person\n' });
  const end = (await kept.take()).tree;
  for (const order of orders([0, 1, 2, 3])) {
    const done = new Set([0, 1, 2, 3]);
    for (const turn of order) {
      const planned = await restore(kept, trees[turn] ?? '', trees[turn + 1] ?? '');
      expect(planned.filter(({ action }) => action === 'conflict')).toEqual([]);
      done.delete(turn);
      expect(filesOf(root), `order ${order.join()} after ${turn}`).toEqual(expected(done));
    }
    // Undone as a whole: the way back is a restore too.
    await restore(kept, end, (await kept.take()).tree);
    expect(filesOf(root)).toEqual(expected(new Set([0, 1, 2, 3])));
  }
}, 120_000);

test('later changes at the same lines are a conflict that is named, and nothing of the file is touched', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  write(root, { 'a.txt': 'two\n', 'b.txt': 'bb\n' });
  const after = (await kept.take()).tree;
  write(root, { 'a.txt': 'three\n' });
  const planned = await plan(kept, before, after);
  expect(planned.map(({ raw, action }) => [raw, action])).toEqual([
    ['a.txt', 'conflict'],
    ['b.txt', 'write'],
  ]);
  await applyRestore(kept.store, root, planned, 'x');
  expect(filesOf(root)).toEqual({ 'a.txt': 'three\n', 'b.txt': 'b\n' });
  await applyRestore(kept.store, root, await plan(kept, before, after, { overwrite: true }), 'y');
  expect(filesOf(root)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
});

test('one hunk of a file is taken back, and the others stay', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': lines() });
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  write(root, { 'a.txt': lines([3, 'x'], [30, 'y']) });
  const after = (await kept.take()).tree;
  await applyRestore(kept.store, root, await plan(kept, before, after, { hunk: 0 }), 'x');
  expect(filesOf(root)).toEqual({ 'a.txt': lines([30, 'y']) });
  expect((await plan(kept, before, after, { hunk: 9 }))[0]?.action).toBe('conflict');
});

test('links, modes and names of any bytes are put back as they were', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'run.sh': 'echo\n', 'target.txt': 't\n' });
  fs.chmodSync(path.join(root, 'run.sh'), 0o755);
  fs.symlinkSync('target.txt', path.join(root, 'link'));
  const odd = Buffer.concat([Buffer.from(`${root}/odd \n"name' `), Buffer.from([0xff, 0xfe])]);
  fs.writeFileSync(odd, 'odd');
  const kept = await worktrees.open(root);
  const start = filesOf(root);
  const before = (await kept.take()).tree;
  fs.chmodSync(path.join(root, 'run.sh'), 0o644);
  fs.rmSync(path.join(root, 'link'));
  fs.writeFileSync(path.join(root, 'link'), 'a file now');
  fs.rmSync(odd);
  const after = (await kept.take()).tree;
  await restore(kept, before, after);
  expect(filesOf(root)).toEqual(start);
  expect(fs.readFileSync(odd, 'utf8')).toBe('odd');
});

test('no link is followed out of the worktree, and then nothing is changed', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'sub/a.txt': 'a\n', 'b.txt': 'b\n' });
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  write(root, { 'sub/a.txt': null, 'b.txt': 'bb\n' });
  const after = (await kept.take()).tree;
  const outside = path.join(worktrees.folder, 'outside');
  fs.mkdirSync(outside);
  fs.rmdirSync(path.join(root, 'sub'));
  fs.symlinkSync(outside, path.join(root, 'sub'));
  await expect(restore(kept, before, after)).rejects.toThrow(RestoreRefused);
  expect(fs.readdirSync(outside)).toEqual([]);
  expect(filesOf(root)).toEqual({ 'b.txt': 'bb\n', sub: `link:${outside}` });
});

test('a file that no snapshot holds is not written over', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n' });
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  write(root, { 'a.txt': null });
  const after = (await kept.take()).tree;
  write(root, { 'a.txt': 'x'.repeat(5000) });
  const now = await kept.take({ budget: { file: 1000, total: 1e6, files: 100, ms: 1e6 } });
  expect(now.leftOut).toEqual([{ path: 'a.txt', reason: 'large', bytes: 5000 }]);
  const planned = await planRestore(
    kept.program,
    kept.store,
    kept.worktree,
    await diffTrees(kept.store, before, after, false),
    now.tree,
    {
      overwrite: true,
      hunk: null,
    },
  );
  expect(planned[0]?.action).toBe('conflict');
});

test('a file that somebody changes while it is restored stops the whole', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  write(root, { 'a.txt': 'aa\n', 'b.txt': 'bb\n' });
  const after = (await kept.take()).tree;
  const planned = await plan(kept, before, after);
  const attempt = applyRestore(kept.store, root, planned, 'x', (moment) => {
    if (moment === 'journaled') write(root, { 'b.txt': 'meanwhile\n' });
  });
  await expect(attempt).rejects.toThrow('b.txt was changed meanwhile');
  expect(filesOf(root)).toEqual({ 'a.txt': 'aa\n', 'b.txt': 'meanwhile\n' });
});

/** A file and a link become folders, folders become a file and a link, one inside of another. */
const swapped: readonly [before: () => Readonly<Record<string, string>>, swap: (root: string) => void] = [
  () => ({ file: 'file\n', 'folder/a.txt': 'a\n', 'folder/in/b.txt': 'b\n', 'deep/er/folder/c.txt': 'c\n', 'kept.txt': 'k\n' }),
  (root) => {
    for (const name of ['file', 'folder', 'deep/er/folder']) fs.rmSync(path.join(root, name), { recursive: true });
    write(root, { 'file/x.txt': 'x\n', 'file/in/y.txt': 'y\n', folder: 'a file\n', 'kept.txt': 'kk\n' });
    fs.symlinkSync('nowhere', path.join(root, 'deep/er/folder'));
  },
];

test('a file that became a folder, and a folder that became a file or a link, are taken back, and back again', async () => {
  using worktrees = new Worktrees();
  const [files, swap] = swapped;
  const root = worktrees.repository(files());
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  swap(root);
  const after = (await kept.take()).tree;
  const changed = filesOf(root);
  for (let round = 0; round < 2; round++) {
    await restore(kept, before, after);
    expect(filesOf(root)).toEqual(files());
    await restore(kept, after, before);
    expect(filesOf(root)).toEqual(changed);
  }
});

test('a folder in the place of a file stays when something else lies in it, be it ignored or an empty folder', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ a: 'a\n', '.gitignore': '*.log\n' });
  const kept = await worktrees.open(root);
  const before = (await kept.take()).tree;
  fs.rmSync(path.join(root, 'a'));
  write(root, { 'a/b.txt': 'b\n' });
  const after = (await kept.take()).tree;
  const others: readonly (() => void)[] = [
    () => write(root, { 'a/mine.txt': 'mine\n' }),
    () => write(root, { 'a/x.log': 'log\n' }),
    () => fs.mkdirSync(path.join(root, 'a/empty')),
  ];
  for (const other of others) {
    other();
    const planned = await plan(kept, before, after);
    expect(planned.map(({ raw, action }) => [raw, action])).toEqual([
      ['a', 'conflict'],
      ['a/b.txt', 'delete'],
    ]);
    for (const name of fs.readdirSync(path.join(root, 'a')))
      if (name !== 'b.txt') fs.rmSync(path.join(root, 'a', name), { recursive: true });
  }
  // What comes into it after the plan was made stops the whole.
  const planned = await plan(kept, before, after);
  const attempt = applyRestore(kept.store, root, planned, 'x', (moment) => {
    if (moment === 'replacing') write(root, { 'a/late.log': 'late\n' });
  });
  await expect(attempt).rejects.toThrow(RestoreRefused);
  expect(filesOf(root)).toEqual({ '.gitignore': '*.log\n', 'a/b.txt': 'b\n', 'a/late.log': 'late\n' });
  // One of the two alone has no place.
  const alone = planned.filter(({ raw }) => raw === 'a');
  await expect(applyRestore(kept.store, root, alone, 'x')).rejects.toThrow(RestoreRefused);
  expect(Object.keys(filesOf(root))).toHaveLength(3);
});

test.each([1, 2, 3, 5, 7, 9, 11, 13])(
  'killed at moment %i of a restore of files and folders that changed places',
  async (nth) => {
    using worktrees = new Worktrees();
    const [files, swap] = swapped;
    const root = worktrees.repository(files());
    const kept = await worktrees.open(root);
    const before = (await kept.take()).tree;
    swap(root);
    const changed = filesOf(root);
    const planned = await plan(kept, before, (await kept.take()).tree);
    let count = 0;
    const copy = path.join(worktrees.folder, 'copy');
    await applyRestore(kept.store, root, planned, 'x', (moment) => {
      if (moment !== 'replacing' && moment !== 'replaced') return;
      if (++count !== nth) return;
      fs.cpSync(root, path.join(copy, 'repo'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      fs.cpSync(kept.store.folder, path.join(copy, 'store'), { recursive: true });
    });
    expect(filesOf(root)).toEqual(files());
    expect(count).toBeGreaterThanOrEqual(nth);
    for (const [place, name] of [
      [root, 'repo'],
      [kept.store.folder, 'store'],
    ] as const) {
      fs.rmSync(place, { recursive: true });
      fs.renameSync(path.join(copy, name), place);
    }
    const again = await worktrees.open(root);
    await recoverRestore(again.store);
    expect(filesOf(root)).toEqual(changed);
    expect(await recoverRestore(again.store)).toEqual([]);
  },
);

test.each(['staging', 'journaled', 'replacing', 'replaced', 'done'] as const)(
  'killed at every "%s", the worktree is as before or as after',
  async (at: RestoreMoment) => {
    using worktrees = new Worktrees();
    const files = { 'a.txt': 'a\n', 'deep/b.txt': 'b\n', 'c.txt': 'c\n' };
    const root = worktrees.repository(files);
    const kept = await worktrees.open(root);
    const before = (await kept.take()).tree;
    write(root, { 'a.txt': 'aa\n', 'deep/b.txt': null, 'd.txt': 'd\n' });
    fs.chmodSync(path.join(root, 'c.txt'), 0o755);
    fs.rmdirSync(path.join(root, 'deep'));
    const changed = filesOf(root);
    const after = (await kept.take()).tree;
    const isDead = at === 'done';
    for (let nth = 0; nth < 4; nth++) {
      const planned = await plan(kept, before, after);
      let count = 0;
      // What a kill leaves is what the disk holds at that moment: a copy of it is taken, and looked at like the next process would.
      let left: string | undefined;
      await applyRestore(kept.store, root, planned, 'x', (moment) => {
        if (moment !== at || count++ !== nth) return;
        left = path.join(worktrees.folder, `left-${nth}`);
        fs.cpSync(root, path.join(left, 'repo'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
        fs.cpSync(kept.store.folder, path.join(left, 'store'), { recursive: true });
      });
      expect(filesOf(root)).toEqual({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n', 'c.txt': 'c\n' });
      await restore(kept, after, (await kept.take()).tree);
      expect(filesOf(root)).toEqual(changed);
      if (left === undefined) break;
      // The copy takes the places of the originals, and the next process opens them.
      const away = path.join(worktrees.folder, `away-${nth}`);
      fs.renameSync(root, away);
      fs.renameSync(path.join(left, 'repo'), root);
      const storeAway = `${kept.store.folder}-away-${nth}`;
      fs.renameSync(kept.store.folder, storeAway);
      fs.renameSync(path.join(left, 'store'), kept.store.folder);
      const again = await worktrees.open(root);
      await recoverRestore(again.store);
      expect(filesOf(root), `${at} ${nth}`).toEqual(isDead ? { 'a.txt': 'a\n', 'deep/b.txt': 'b\n', 'c.txt': 'c\n' } : changed);
      expect(await recoverRestore(again.store)).toEqual([]);
      fs.rmSync(root, { recursive: true });
      fs.renameSync(away, root);
      fs.rmSync(kept.store.folder, { recursive: true });
      fs.renameSync(storeAway, kept.store.folder);
    }
  },
  60_000,
);

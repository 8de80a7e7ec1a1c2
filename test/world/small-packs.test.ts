/** Each snapshot leaves a small pack; many become one, and nothing that a snapshot holds is lost by that, whoever reads meanwhile or kills it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { WorktreeRow } from '../../server/ledger/snapshots-table.ts';
import { packSmall, sizeOf } from '../../server/world/keep.ts';
import { packsIn } from '../../server/world/pack.ts';
import type { SnapshotStore } from '../../server/world/snapshot-store.ts';
import { keepBounds, manySmall } from '../../server/world/tidy.ts';
import { LedgerWorktrees } from './ledger-worktrees.ts';
import { write } from './worktrees.ts';

const asked = { cause: 'asked' } as const;
const skip = process.platform === 'win32';
const names = Array.from({ length: 12 }, (_, n) => `folder ${n % 3}/${n}.txt`);
/** Hexadecimal digits of hashes have nothing in common. */
const lines = Array.from({ length: 200 }, (_, line) => createHash('sha256').update(`${line}`).digest('hex')).join('\n');
const textOf = (round: number): string => `round ${round}\n${lines}`;

class Many extends LedgerWorktrees {
  readonly root = this.worktrees.repository(Object.fromEntries(names.map((name) => [name, `${name}\n${lines}`])));
  readonly #taken = new Map<number, { readonly name: string; readonly text: string }>();

  get worktree(): WorktreeRow {
    const [worktree] = this.table.worktrees();
    if (worktree === undefined) throw new Error('there is a worktree');
    return worktree;
  }
  get store(): SnapshotStore {
    const store = this.snapshots.storeOf(this.worktree);
    if (store === undefined) throw new Error('there is a store');
    return store;
  }
  get packs(): readonly string[] {
    return fs.readdirSync(packsIn(this.store.folder)).filter((name) => name.endsWith('.pack'));
  }

  /** So many snapshots, of which each leaves a pack. */
  async takeMany(count: number): Promise<void> {
    if (this.#taken.size === 0) {
      await this.snapshots.take(this.root, asked);
      await this.snapshots.settled();
    }
    for (let n = 0; n < count; n++) {
      const round = this.#taken.size;
      const name = names[round % names.length] ?? '';
      write(this.root, { [name]: textOf(round) });
      const { number } = await this.snapshots.take(this.root, asked);
      this.#taken.set(number, { name, text: textOf(round) });
    }
    await this.snapshots.settled();
  }
  /** Git finds nothing wrong, each list has its pack, and each snapshot holds what it was taken of. */
  async check(): Promise<void> {
    const { folder } = this.store;
    const said = execFileSync('git', ['--git-dir', folder, 'fsck', '--full', '--strict', '--no-dangling'], { encoding: 'utf8' });
    expect(said).toBe('');
    const lists = fs.readdirSync(packsIn(folder)).filter((name) => name.endsWith('.idx'));
    expect(lists.map((name) => name.replace(/idx$/u, 'pack')).toSorted()).toEqual(this.packs.toSorted());
    for (const [number, { name, text }] of this.#taken)
      expect(await this.snapshots.content(number, name)).toMatchObject({ ok: true, bytes: Buffer.from(text) });
  }
}

test('tidying makes one pack of many small ones, with versions as differences, while somebody reads', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(manySmall - 1);
  expect(sizeOf(at.store)).toMatchObject({ small: manySmall - 1, packs: manySmall - 1 });
  await at.snapshots.tidy(at.worktree);
  expect(at.packs, 'a few are left').toHaveLength(manySmall - 1);
  await at.takeMany(1);
  const before = sizeOf(at.store);
  await Promise.all([at.snapshots.tidy(at.worktree), at.check()]);
  expect(at.packs).toHaveLength(1);
  expect(sizeOf(at.store)).toMatchObject({ packs: 1, small: 1, loose: before.loose });
  expect(sizeOf(at.store).packed).toBeLessThan(before.beside / 4);
  await at.check();
  // And goes on: the one that was made before is one of them.
  await at.takeMany(manySmall - 1);
  await at.snapshots.tidy(at.worktree);
  expect(at.packs).toHaveLength(1);
  await at.check();
});

test('a kill at any step of it leaves every object, and what is left over is cleared away', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(4);
  const folder = packsIn(at.store.folder);
  const before = path.join(at.worktrees.folder, 'before');
  fs.cpSync(folder, before, { recursive: true });
  const old = at.packs;
  await packSmall(at.store);
  expect(at.packs).toHaveLength(1);
  const made = at.packs;
  for (let left = 0; left <= old.length; left++) {
    // The packs go one after another, then their lists.
    for (const [index, name] of old.entries()) {
      const list = name.replace(/pack$/u, 'idx');
      fs.cpSync(path.join(before, list), path.join(folder, list));
      if (index < left) fs.cpSync(path.join(before, name), path.join(folder, name));
    }
    const next = at.open();
    await next.take(at.root, asked);
    await next.settled();
    expect(at.packs).toEqual(expect.arrayContaining([...made, ...old.slice(0, left)]));
    await at.check();
  }
  await packSmall(at.store);
  expect(at.packs).toHaveLength(1);
  await at.check();
});

test('where git cannot make one of them all stay', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(3);
  const packs = at.packs;
  const end = new AbortController();
  end.abort();
  await packSmall(at.store, end.signal);
  expect(at.packs).toEqual(packs);
  await at.check();
});

test('what a git that was broken off had written of it is cleared away', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(3);
  const packs = at.packs;
  const folder = packsIn(at.store.folder);
  const end = new AbortController();
  const merging = packSmall(at.store, end.signal);
  // As it leaves one when it is killed, or when the disk is full.
  fs.writeFileSync(path.join(folder, 'tmp_pack_x1Y2z3'), 'PACK');
  end.abort();
  await merging;
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  expect(at.packs).toEqual(packs);
  await at.check();
});

test('what newer versions of git keep beside a pack goes with it', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(3);
  execFileSync('git', ['--git-dir', at.store.folder, 'config', 'pack.writeReverseIndex', 'true']);
  for (let round = 0; round < 2; round++) {
    await packSmall(at.store);
    await at.takeMany(2);
  }
  await packSmall(at.store);
  const files = fs.readdirSync(packsIn(at.store.folder));
  expect(new Set(files.map((name) => name.slice(0, name.indexOf('.')))).size).toBe(1);
  await at.check();
});

test.for(['cut', 'changed'] as const)('a pack that is %s stays, and the others become one', { skip }, async (damage) => {
  await using at = new Many();
  await at.takeMany(5);
  const [name = ''] = at.packs;
  const file = path.join(packsIn(at.store.folder), name);
  const bytes = fs.readFileSync(file);
  const damaged = damage === 'cut' ? bytes.subarray(0, 50) : bytes.map((byte, index) => (index === 30 ? byte ^ 0xff : byte));
  const replace = (content: Uint8Array): void => {
    fs.rmSync(file);
    fs.writeFileSync(file, content);
  };
  replace(damaged);
  await packSmall(at.store);
  expect(at.packs).toHaveLength(2);
  expect(at.packs).toContain(name);
  // Nothing of it was lost by that.
  replace(bytes);
  at.store.objects.close();
  await at.check();
});

test('what no row could be written for does not outlive the packing that drops it', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(2);
  write(at.root, { [names[0] ?? '']: 'nobody keeps this\n' });
  const failing = at.snapshots.takeFor(at.root, () => {
    throw new Error('the ledger is full');
  });
  await expect(failing).rejects.toThrow('the ledger is full');
  // All but the newest go: the store is packed anew.
  expect(await at.snapshots.tidy(at.worktree, { ...keepBounds, count: 1 })).toBe(2);
  const { number } = await at.snapshots.take(at.root, asked);
  expect(await at.snapshots.content(number, names[0] ?? '')).toMatchObject({ ok: true });
  await at.snapshots.settled();
  execFileSync('git', ['--git-dir', at.store.folder, 'fsck', '--full', '--strict', '--no-dangling'], { stdio: 'pipe' });
});

test('the index follows once the answer is out, and a snapshot that comes first makes it follow', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(1);
  const { store } = at;
  write(at.root, { [names[0] ?? '']: 'second\n' });
  await at.snapshots.take(at.root, asked);
  expect(store.unsettled).toBeDefined();
  await at.snapshots.settled();
  expect(store.unsettled).toBeUndefined();
  write(at.root, { [names[0] ?? '']: 'third\n' });
  const third = await at.snapshots.take(at.root, asked);
  const same = await at.snapshots.take(at.root, asked);
  expect(same.tree).toBe(third.tree);
  expect(store.unsettled).toBeUndefined();
});

test('a store whose index was taken away begins anew, and what is gone from the worktree is gone', { skip }, async () => {
  await using at = new Many();
  await at.takeMany(1);
  const { store } = at;
  for (const isSettled of [true, false]) {
    const name = names[isSettled ? 1 : 2] ?? '';
    write(at.root, { [names[0] ?? '']: `${isSettled}\n` });
    if (!isSettled) await at.snapshots.take(at.root, asked);
    for (const file of fs.readdirSync(store.folder)) if (file.startsWith('index-')) fs.rmSync(path.join(store.folder, file));
    await at.snapshots.settled();
    write(at.root, { [name]: null });
    const { number } = await at.snapshots.take(at.root, asked);
    expect(await at.snapshots.content(number, name)).toMatchObject({ ok: false, reason: 'missing' });
    await at.snapshots.settled();
  }
});

/** A snapshot taken the quick way is the one that is taken by reading everything: after any changes, tree for tree. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { warm } from '../../server/world/listing.ts';
import { settle } from '../../server/world/quick-take.ts';
import { SnapshotStore } from '../../server/world/snapshot-store.ts';
import { take } from '../../server/world/take.ts';
import { Worktrees, write } from './worktrees.ts';
import type { Kept } from './worktrees.ts';

let stores = 0;
/** As a store that has seen nothing yet takes it. */
async function anew(worktrees: Worktrees, kept: Kept): Promise<string> {
  const store = await SnapshotStore.open(worktrees.program, path.join(worktrees.folder, `stores-${++stores}`), kept.worktree);
  const taken = await take(store, kept.worktree, { elapsed: () => performance.now() });
  if ('failed' in taken) throw new Error(taken.failed);
  return taken.tree;
}

/** Names that meet: files where folders are, names that sort differently with a slash behind them, a newline, bytes that are no text. */
const names = [
  'a',
  'a/b',
  'a/b/c',
  'a.txt',
  'a-',
  'b/x y',
  'b/ü',
  'b/ü/z',
  'line\nbreak',
  'deep/er/and/deeper',
  'deep/er/x',
  'z',
];
const change = fc.record({
  name: fc.constantFrom(...names),
  does: fc.constantFrom('write', 'write', 'write', 'remove', 'execute', 'link'),
  text: fc.string({ maxLength: 6 }),
});

function apply(
  root: string,
  { name, does, text }: { readonly name: string; readonly does: string; readonly text: string },
): void {
  const file = path.join(root, name);
  // What stands in the way of its folders goes.
  const parts = name.split('/');
  for (const [index] of parts.slice(1).entries()) {
    const above = path.join(root, ...parts.slice(0, index + 1));
    if (fs.lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(above);
  }
  if (does !== 'execute') fs.rmSync(file, { recursive: true, force: true });
  else if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) fs.chmodSync(file, 0o755);
  if (does !== 'write' && does !== 'link') return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (does === 'write') fs.writeFileSync(file, text);
  else fs.symlinkSync(`to ${text.replaceAll('\0', '')}`, file);
}

test('after any changes the tree is the one that everything read anew gives, and so is the next one', async () => {
  using worktrees = new Worktrees();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 4 }),
      fc.boolean(),
      async (rounds, warms) => {
        const root = worktrees.repository({ z: 'z\n', 'b/y': 'y\n' }, `repo-${++count}`);
        const kept = await worktrees.open(root);
        await kept.take();
        for (const changes of rounds) {
          for (const one of changes) apply(root, one);
          if (warms) {
            await settle(kept.store);
            await warm(kept.store, kept.worktree);
            expect(kept.store.isWarm).toBe(true);
          }
          const { tree } = await kept.take();
          expect(tree).toBe(await anew(worktrees, kept));
        }
        // The index has followed: nothing is left to be found.
        await settle(kept.store);
        expect((await kept.store.git(['write-tree'], { worktree: kept.worktree })).stdout.toString('latin1').trim()).toBe(
          kept.store.newest,
        );
        expect((await kept.take()).changed).toBe(0);
      },
    ),
    { seed: 6, numRuns: 12, endOnFailure: true },
  );
}, 300_000);

test('what changes between the snapshot and the index that follows it is found by the next one', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const kept = await worktrees.open(root);
  await kept.take();
  write(root, { 'a.txt': '1\n', 'new.txt': '1\n' });
  await kept.take();
  expect(kept.store.unsettled?.size).toBe(2);
  // The same size, and before git has looked again.
  write(root, { 'a.txt': '2\n', 'new.txt': '2\n', 'b.txt': null });
  await settle(kept.store);
  const second = await kept.take();
  expect(second.changed).toBe(3);
  expect(second.tree).toBe(await anew(worktrees, kept));
});

test('a process that ends before the index has followed leaves nothing that the next one does not find', async () => {
  using worktrees = new Worktrees();
  const root = worktrees.repository({ 'a.txt': 'a\n' });
  const kept = await worktrees.open(root);
  await kept.take();
  write(root, { 'a.txt': '1\n' });
  const { tree } = await kept.take();
  const next = await worktrees.open(root);
  expect((await next.take()).tree).toBe(tree);
});

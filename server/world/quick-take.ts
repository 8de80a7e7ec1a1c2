/**
 * A snapshot after a few files changed, without a pass over the index: the files' content goes into the store, and the tree is the one
 * before with these files in it. The index follows afterwards (`settle`), and is told exactly what the tree holds, never what lies in the
 * worktree by then: what changed in between is found changed by the next snapshot. A kill before that leaves an index that is
 * behind, and then the next snapshot is taken the long way.
 */
import { editTree } from './edit-tree.ts';
import type { TreeFile } from './edit-tree.ts';
import { bytesOf, listBytes } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Worktree } from './worktree.ts';

export interface QuickFile {
  readonly raw: RawPath;
  readonly mode: TreeFile['mode'] | 'link';
}

const mostFiles = 300;
/** Entries of the index whose facts git does not know; it reads each of these files at every look. */
const mostUnseen = 200;

/** The tree; undefined: it has to be taken the long way, or a file did not rest. Nothing is changed but that objects may have come. */
export async function quickTake(
  store: SnapshotStore,
  worktree: Worktree,
  added: readonly QuickFile[],
  removed: readonly RawPath[],
  rests: () => boolean,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const base = store.newest;
  if (base === null || added.length + removed.length > mostFiles || process.platform === 'win32') return undefined;
  if (added.some(({ raw, mode }) => mode === 'link' || raw.includes('\n'))) return undefined;
  const changes = new Map<RawPath, TreeFile | null>(removed.map((raw) => [raw, null]));
  if (added.length > 0) {
    const input = Buffer.concat(added.flatMap(({ raw }) => [bytesOf(raw), Buffer.from('\n')]));
    const run = await store.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { worktree, signal, input });
    const objects = run.stdout.toString('latin1').trim().split('\n');
    if (!run.ok || objects.length !== added.length || !rests()) return undefined;
    for (const [index, { raw, mode }] of added.entries())
      if (mode !== 'link') changes.set(raw, { mode, object: objects[index] ?? '' });
  }
  const tree = await editTree(store, base, changes, signal);
  if (tree === undefined) return undefined;
  store.newest = tree;
  store.unsettled = changes;
  return tree;
}

/** The index becomes what the newest tree holds. Only in the worktree's lane; to be done before the next snapshot. */
export async function settle(store: SnapshotStore, worktree: Worktree): Promise<void> {
  const changes = store.unsettled;
  if (changes === undefined) return;
  store.unsettled = undefined;
  const gone = [...changes].flatMap(([raw, file]) => (file === null ? [raw] : []));
  const lines = [...changes].flatMap(([raw, file]) => (file === null ? [] : [`${file.mode} ${file.object}\t${raw}`]));
  const removed =
    gone.length === 0 ||
    (await store.git(['update-index', '-z', '--force-remove', '--stdin'], { worktree, input: listBytes(gone) })).ok;
  const put =
    removed && (lines.length === 0 || (await store.git(['update-index', '-z', '--index-info'], { input: listBytes(lines) })).ok);
  // The tree is as it is; what the index now stands for is found out the long way.
  if (!put) store.newest = null;
  store.unseen += lines.length;
  if (store.unseen < mostUnseen) return;
  store.unseen = 0;
  await store.git(['update-index', '-q', '--refresh'], { worktree });
}

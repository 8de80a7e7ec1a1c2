/**
 * A snapshot after a few files changed, without a pass over the index: the files' content goes into the store, and the tree is the one
 * before with these files in it. The index follows afterwards (`settle`), and is told exactly what the tree holds, never what lies in the
 * worktree by then: what changed in between is found changed by the next snapshot. A kill before that leaves an index that is
 * behind, and then the next snapshot is taken the long way.
 */
import fs from 'node:fs';
import { editTree, keepTree } from './edit-tree.ts';
import type { TreeFile } from './edit-tree.ts';
import { objectId } from './loose-object.ts';
import { packEntry } from './pack.ts';
import type { PackEntry } from './pack.ts';
import { bytesOf, fileOf, listBytes } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Worktree } from './worktree.ts';

export interface QuickFile {
  readonly raw: RawPath;
  readonly mode: TreeFile['mode'] | 'link';
  readonly size: number;
}

const mostFiles = 300;
/** Bytes of all files together that are read in this process, which others wait for; more is git's work. */
const mostRead = 2 * 1024 * 1024;

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
  if (!store.isPlain || added.some(({ raw, mode }) => mode === 'link' || raw.includes('\n'))) return undefined;
  const isSmall = added.reduce((sum, { size }) => sum + size, 0) <= mostRead;
  const contents = isSmall ? contentsOf(worktree, added) : undefined;
  const objects = isSmall
    ? contents?.map((content) => objectId('blob', content))
    : await hashAndKeep(store, worktree, added, signal);
  if (objects?.length !== added.length || !rests()) return undefined;
  const changes = new Map<RawPath, TreeFile | null>(removed.map((raw) => [raw, null]));
  for (const [index, { raw, mode }] of added.entries())
    if (mode !== 'link') changes.set(raw, { mode, object: objects[index] ?? '' });
  try {
    const [tree, blobs] = await Promise.all([editTree(store, base, changes), blobsOf(objects, contents ?? [])]);
    if (tree === undefined || signal?.aborted === true || !(await keepTree(store, tree, blobs))) return undefined;
    store.newest = tree.id;
    store.unsettled = changes;
    return tree.id;
  } catch (error) {
    // What is wrong with the store is told by git, on the long way.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}

/** undefined: one is not as it was found. */
function contentsOf({ root }: Worktree, files: readonly QuickFile[]): readonly Buffer[] | undefined {
  const contents = files.map(({ raw, size }) => plainContent(fileOf(root, raw), size));
  return contents.every((content) => content !== undefined) ? contents : undefined;
}

/** `ids`: of the contents, in their order. */
async function blobsOf(ids: readonly string[], contents: readonly Buffer[]): Promise<readonly PackEntry[]> {
  // First the trees are asked for: git reads them meanwhile.
  await new Promise((resolve) => setImmediate(resolve));
  const byId = new Map(contents.map((content, index) => [ids[index] ?? '', content]));
  return Promise.all([...byId].map(([id, content]) => packEntry('blob', id, content)));
}

/** undefined: it is no plain file any more, or not of that size. No link is followed, and nothing that does not end is waited for. */
function plainContent(file: Buffer | string, size: number): Buffer | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile() || stat.size !== size) return undefined;
    const content = fs.readFileSync(descriptor);
    return content.length === size ? content : undefined;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

async function hashAndKeep(
  store: SnapshotStore,
  worktree: Worktree,
  files: readonly QuickFile[],
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  const input = Buffer.concat(files.flatMap(({ raw }) => [bytesOf(raw), Buffer.from('\n')]));
  const run = await store.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { worktree, signal, input });
  return run.ok ? run.stdout.toString('latin1').trim().split('\n') : undefined;
}

/** The index becomes what the newest tree holds; where it is lost, that tree is forgotten. Only in the worktree's lane; to be done before the next snapshot. */
export async function settle(store: SnapshotStore): Promise<void> {
  if (store.newest !== null && !store.hasIndex) return store.dropIndex();
  const changes = store.unsettled;
  if (changes === undefined) return;
  store.unsettled = undefined;
  // Mode 0: the path goes.
  const lines = [...changes].map(([raw, file]) => `${file?.mode ?? '0'} ${file?.object ?? '0'.repeat(40)}\t${raw}`);
  const put = (await store.git(['update-index', '-z', '--index-info'], { input: listBytes(lines) })).ok;
  store.dateIndex();
  // The tree is as it is; what the index now stands for is found out the long way.
  if (!put) store.newest = null;
  store.unseen += changes.size;
  store.drift += changes.size;
}

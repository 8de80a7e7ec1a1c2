/**
 * Which paths of a worktree differ from its store's index. The plain way looks at every file and every folder. Once the index is warm, git
 * remembers of each folder what it held (its untracked cache) and looks only into those whose times changed; what that cannot tell, that an
 * unchanged folder became or ceased to be a repository of its own, is looked at here, and then the plain way is gone.
 */
import fs from 'node:fs';
import type { GitEnd } from './git.ts';
import { writeLoose } from './loose-object.ts';
import { fileOf, rawList } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import { setHead } from './refs.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Worktree } from './worktree.ts';

/** Paths with a slash behind them are repositories of their own; the value says whether the index has it. */
export type Differences = Map<RawPath, boolean>;

export async function differences(
  store: SnapshotStore,
  worktree: Worktree,
  signal: AbortSignal | undefined,
): Promise<Differences | GitEnd> {
  if (store.isWarm) {
    const run = await store.git(status(store), { worktree, signal });
    const found = run.ok ? parseStatus(run.stdout) : undefined;
    store.isWarm = found !== undefined;
    if (found !== undefined && repositoriesAreThose(worktree, found)) return found;
  }
  const listed = await store.git(
    ['ls-files', '-z', '-t', '--others', '--modified', '--deleted', '--exclude-standard', '--full-name'],
    { worktree, signal },
  );
  // `-t` puts a letter and a space before each path, `?` for those that the index has not.
  return listed.ok ? new Map(rawList(listed.stdout).map((entry) => [entry.slice(2), !entry.startsWith('?')])) : listed;
}

/** Files whose facts git does not know yet from which on it is told to look, and paths that changed since the commit that it compares with. */
const manyUnseen = 50;
const farDrift = 500;

/** Lets the index learn what it can, for the next listing. Only in the worktree's lane, when nobody waits. */
export async function warm(store: SnapshotStore, worktree: Worktree): Promise<void> {
  if (store.newest === null || store.unsettled !== undefined || !store.isPlain) return;
  if (store.isWarm && store.unseen < manyUnseen && store.drift < farDrift) return;
  if (!store.isWarm || store.drift >= farDrift) {
    // Status compares the index with a commit; it is of no other use, and nobody's name stands in it.
    const content = `tree ${store.newest}\nauthor Loom <> 0 +0000\ncommitter Loom <> 0 +0000\n\n`;
    setHead(store, await writeLoose(store.folder, 'commit', Buffer.from(content, 'latin1')));
    store.drift = 0;
  }
  store.markLook();
  // This one writes the index.
  const run = await store.git(status(store), { worktree, variables: { GIT_OPTIONAL_LOCKS: '1' } });
  store.dateIndex();
  store.unseen = 0;
  store.isWarm = run.ok;
}

function status({ trustsFolders }: SnapshotStore): readonly string[] {
  return [
    '-c',
    `core.untrackedCache=${trustsFolders}`,
    // Git keeps what it knows of folders only for the way of listing that is configured.
    '-c',
    'status.showUntrackedFiles=all',
    'status',
    '--porcelain=v2',
    '-z',
    '--no-renames',
  ];
}

/** undefined: it says something else than which files differ. */
function parseStatus(stdout: Buffer): Differences | undefined {
  const out: Differences = new Map();
  for (const line of rawList(stdout)) {
    if (line.startsWith('? ')) out.set(line.slice(2), false);
    else {
      // `1 XY SUB MODE MODE MODE ID ID PATH`: Y is what differs between the index and the worktree.
      const [, state, raw] = /^1 .(.) \S+ \S+ \S+ \S+ \S+ \S+ ([^]+)$/u.exec(line) ?? [];
      if (state === undefined || raw === undefined) return undefined;
      if (state !== '.') out.set(raw, true);
    }
  }
  return out;
}

/** Is each repository of its own that is named still one, and does no new file lie in one that is not? */
function repositoriesAreThose({ root }: Worktree, found: Differences): boolean {
  const folders = new Set<RawPath>();
  for (const [raw, isHeld] of found) {
    if (isHeld) continue;
    if (raw.endsWith('/') && !hasRepository(root, raw)) return false;
    const parts = raw.replace(/\/$/u, '').split('/').slice(0, -1);
    for (; parts.length > 0 && !folders.has(parts.join('/')); parts.pop()) folders.add(parts.join('/'));
  }
  return ![...folders].some((folder) => hasRepository(root, `${folder}/`));
}

function hasRepository(root: string, folder: RawPath): boolean {
  return fs.existsSync(fileOf(root, `${folder}.git`));
}

/** What `loom doctor` says of snapshots: the git that takes them, what their stores hold, and which folders have none and why. */
import type { Ledger } from '../../ledger/ledger.ts';
import { sizeOf } from '../../world/keep.ts';
import { runGit } from '../../world/git.ts';
import { SnapshotStore } from '../../world/snapshot-store.ts';
import { worktreeOf } from '../../world/worktree.ts';
import { gitProgram, storesIn } from '../snapshots-of.ts';
import type { Check } from './doctor.ts';

/** Threads that are looked at for folders without snapshots, and folders that are named. */
const mostThreads = 200;
const mostFolders = 10;
const recentMs = 14 * 24 * 60 * 60_000;

export async function snapshotChecks(ledger: Ledger, home: string, searchPath: string, now: number): Promise<readonly Check[]> {
  const table = ledger.snapshots;
  if (table === undefined) return [];
  const program = { ...gitProgram(ledger.folder, home, searchPath), nowhere: ledger.folder };
  const version = await runGit(program, ['--version'], { cwd: ledger.folder, timeoutMs: 10_000 });
  const git: Check = {
    id: 'git',
    ok: version.ok,
    detail: version.ok
      ? version.stdout.toString('utf8').trim()
      : 'the git program was not found: no snapshots of worktrees are taken',
    fix: 'Install git 2.25 or newer, and start Loom with it on PATH.',
  };
  if (!version.ok) return [git];
  const worktrees = table.worktrees();
  let bytes = 0;
  for (const { root } of worktrees) {
    const store = SnapshotStore.known(program, storesIn(ledger.folder), root);
    if (store !== undefined) bytes += sizeOf(store).bytes;
  }
  const count = worktrees.reduce(
    (sum, { number }) => sum + table.ofWorktree(number, -1).filter((row) => row.pruned === 0).length,
    0,
  );
  const kept: Check = {
    id: 'snapshots',
    ok: true,
    detail: `${count} snapshots of ${worktrees.length} worktrees in ${(bytes / 1e6).toFixed(1)} MB: ${storesIn(ledger.folder)}`,
    fix: '',
  };
  const folders = new Set(
    ledger.threads
      .newest(mostThreads)
      .filter(({ cwd, updated_at }) => cwd !== '' && updated_at > now - recentMs)
      .map(({ cwd }) => cwd),
  );
  const without: Check[] = [];
  for (const folder of [...folders].slice(0, mostFolders)) {
    const worktree = await worktreeOf(program, folder, home);
    if (!('none' in worktree) || worktree.none === 'gone') continue;
    // A folder without a repository is nobody's mistake; one that git refuses can be helped.
    const ok = ['noRepository', 'bare', 'home', 'filesystemRoot'].includes(worktree.none);
    without.push({ id: 'snapshots-none', ok, detail: worktree.text, fix: 'See what git itself says in that folder.' });
  }
  return [git, kept, ...without];
}

/** For tests: real repositories in a temp folder with a home of their own, and a store of snapshots over each. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { GitProgram } from '../../server/world/git.ts';
import { SnapshotStore } from '../../server/world/snapshot-store.ts';
import { take } from '../../server/world/take.ts';
import type { TakeOptions, Taken } from '../../server/world/take.ts';
import { diffPairs } from '../../server/world/tree-diff.ts';
import type { FileDiff } from '../../server/world/tree-diff.ts';
import { worktreeOf } from '../../server/world/worktree.ts';
import type { Worktree } from '../../server/world/worktree.ts';

export class Worktrees implements Disposable {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-worktrees-')));
  readonly home = path.join(this.folder, 'home');
  readonly stores = path.join(this.folder, 'stores');
  readonly program: GitProgram;

  constructor() {
    const nowhere = path.join(this.folder, 'nowhere');
    fs.mkdirSync(this.home);
    fs.mkdirSync(nowhere);
    this.program = { file: 'git', path: process.env['PATH'] ?? '', home: this.home, nowhere };
  }

  git(cwd: string, ...argv: readonly string[]): string {
    return execFileSync(
      'git',
      ['-c', 'user.name=dev', '-c', 'user.email=dev@example.invalid', '-c', 'protocol.file.allow=always', ...argv],
      {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' },
      },
    );
  }

  /** A repository with these files committed; with none, an unborn one. */
  repository(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }, name = 'repo'): string {
    const root = path.join(this.folder, name);
    fs.mkdirSync(root, { recursive: true });
    this.git(root, 'init', '-q', '-b', 'main');
    write(root, files);
    if (Object.keys(files).length > 0) {
      this.git(root, 'add', '-A');
      this.git(root, 'commit', '-qm', 'first');
    }
    return root;
  }

  async open(root: string): Promise<Kept> {
    const worktree = await worktreeOf(this.program, root, this.home);
    if ('none' in worktree) throw new Error(worktree.text);
    return new Kept(this.program, worktree, await SnapshotStore.open(this.program, this.stores, worktree, [this.stores], true));
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A worktree and its store. */
export class Kept {
  readonly program: GitProgram;
  readonly worktree: Worktree;
  readonly store: SnapshotStore;

  constructor(program: GitProgram, worktree: Worktree, store: SnapshotStore) {
    this.program = program;
    this.worktree = worktree;
    this.store = store;
  }

  async take(options: Partial<TakeOptions> = {}): Promise<Taken> {
    const taken = await take(this.store, this.worktree, { elapsed: () => performance.now(), ...options });
    if ('failed' in taken) throw new Error(taken.failed);
    return taken;
  }
}

/** null: the file goes. */
export function write(root: string, files: Readonly<Record<string, string | Buffer | null>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    if (content === null) fs.rmSync(file);
    else {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content);
    }
  }
}

/** Every file below the folder but git's own, by names as latin1: its bytes, `link:` and its target, or `x:` before those of an executable. */
export function filesOf(root: string): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  const walk = (folder: Buffer, above: string): void => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const file = Buffer.concat([folder, Buffer.from('/'), entry.name]);
      const name = `${above}${entry.name.toString('latin1')}`;
      if (name === '.git') continue;
      if (entry.isDirectory()) walk(file, `${name}/`);
      else if (entry.isSymbolicLink()) out[name] = `link:${fs.readlinkSync(file)}`;
      else if (entry.isFile())
        out[name] = `${(fs.statSync(file).mode & 0o100) === 0 ? '' : 'x:'}${fs.readFileSync(file, 'latin1')}`;
    }
  };
  walk(Buffer.from(root), '');
  return out;
}

/** What differs between two trees. */
export async function diffTrees(
  store: SnapshotStore,
  before: string,
  after: string,
  renames = true,
): Promise<readonly FileDiff[]> {
  return (await diffPairs(store, [[before, after]], renames))[0] ?? [];
}

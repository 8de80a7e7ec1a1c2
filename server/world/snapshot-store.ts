/**
 * Loom's own git store for one worktree: a folder of objects and an index that belong to Loom alone. No object is borrowed from the
 * person's repository, so that their `git gc` cannot break a snapshot, and nothing of ours is in their refs, index or configuration.
 * Files are stored as their bytes lie in the worktree: `info/attributes` switches every conversion off (line endings, filters, LFS).
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { runGit, startGit } from './git.ts';
import type { GitEnd, GitProgram, GitRun } from './git.ts';
import type { TreeFile } from './edit-tree.ts';
import type { KnownLists } from './held-objects.ts';
import { ObjectReader } from './object-reader.ts';
import { clearLists, packsIn } from './pack.ts';
import { rawOf } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import { RecentTrees } from './recent-trees.ts';
import { clearHalf, namesIn } from './store-files.ts';
import type { Worktree } from './worktree.ts';

/** Paths that the person tracks although they are ignored, as of one state of their index. */
interface TrackedIgnored {
  readonly stamp: string;
  readonly paths: readonly string[];
  readonly held: ReadonlySet<string>;
}

export class SnapshotStore {
  readonly folder: string;
  readonly ignored = new Map<string, TrackedIgnored>();
  /** The tree that the index stands for, as far as this process has written one. */
  newest: string | null = null;
  /** What the newest tree holds and the index does not yet; undefined: they are one. */
  unsettled: ReadonlyMap<RawPath, TreeFile | null> | undefined;
  /** Files of the index whose facts git does not know yet, or does not trust. */
  unseen = 0;
  /** Do the times of the worktree's folders tell when their entries changed? */
  readonly trustsFolders: boolean;
  /** The index knows which folders hold nothing new, and a commit is named that is not far from it. */
  isWarm = false;
  /** Paths that changed since that commit, at most. */
  drift = 0;
  readonly objects: ObjectReader;
  readonly trees = new RecentTrees();
  /** For `missingIn`. */
  readonly packLists: KnownLists = new Map();
  readonly #program: GitProgram;
  #index: string;
  #isPlain: boolean | undefined;

  private constructor(program: GitProgram, folder: string, trustsFolders = false) {
    this.#program = program;
    this.folder = folder;
    this.trustsFolders = trustsFolders;
    this.objects = new ObjectReader(() =>
      startGit(program, ['cat-file', '--batch'], { cwd: folder, variables: { GIT_DIR: folder } }),
    );
    this.#index = newestIndex(folder) ?? `${indexPrefix}none`;
  }

  /** The store of this worktree below `stores`, made when it is not there. What a killed run left in it is cleared away. */
  static async open(
    program: GitProgram,
    stores: string,
    worktree: Worktree,
    hidden: readonly string[] = [stores],
    trustsFolders = false,
  ): Promise<SnapshotStore> {
    const store = new SnapshotStore(program, folderOf(stores, worktree.root), trustsFolders);
    if (!store.isThere) await store.#make(stores, worktree);
    else store.#clear();
    store.#takeIndex();
    store.copyExcludes(worktree, hidden);
    return store;
  }

  /** For reading: nothing of it is changed. undefined: there is none. */
  static known(program: GitProgram, stores: string, root: string): SnapshotStore | undefined {
    const store = new SnapshotStore(program, folderOf(stores, root));
    return store.isThere ? store : undefined;
  }

  /** Not once somebody took it away, or another process took the store over: what is known of it is not true any more then. */
  get hasIndex(): boolean {
    return fs.existsSync(path.join(this.folder, this.#index));
  }

  /** The next snapshot reads every file anew. */
  dropIndex(): void {
    fs.rmSync(path.join(this.folder, this.#index), { force: true });
    this.ignored.clear();
    this.newest = null;
    this.unsettled = undefined;
    this.unseen = 0;
    this.isWarm = false;
  }

  /** Are its objects named by SHA-1 and its refs files, so that both can be written without git? */
  get isPlain(): boolean {
    this.#isPlain ??= !/objectformat\s*=\s*sha256|refstorage/iu.test(readable(path.join(this.folder, 'config')));
    return this.#isPlain;
  }

  get isThere(): boolean {
    return fs.existsSync(path.join(this.folder, 'HEAD'));
  }

  /** What the index learns of the worktree from now on it learns by one look: `dateIndex` afterwards. */
  markLook(): void {
    fs.writeFileSync(path.join(this.folder, lookFile), '');
  }

  /**
   * The index becomes as old as the beginning of the last look: git trusts the times of nothing that changed since, so that a second change
   * in the same tick of the clock is not passed over.
   */
  dateIndex(): void {
    const look = fs.statSync(path.join(this.folder, lookFile), { throwIfNoEntry: false });
    const index = path.join(this.folder, this.#index);
    if (look === undefined || !fs.existsSync(index)) return;
    const seconds = Math.floor(look.mtimeMs) / 1000;
    fs.utimesSync(index, seconds, seconds);
  }

  /** git on this store alone; with `worktree`, over those files. */
  git(argv: readonly string[], run: Omit<GitRun, 'cwd'> & { readonly worktree?: Worktree } = {}): Promise<GitEnd> {
    const { worktree, ...rest } = run;
    return runGit(this.#program, argv, {
      ...rest,
      cwd: worktree?.root ?? this.folder,
      variables: {
        GIT_DIR: this.folder,
        GIT_INDEX_FILE: path.join(this.folder, this.#index),
        ...(worktree === undefined ? {} : { GIT_WORK_TREE: worktree.root }),
        ...run.variables,
      },
    });
  }

  /** git on the person's repository, for reading. */
  asPerson(argv: readonly string[], worktree: Worktree): Promise<GitEnd> {
    return runGit(this.#program, argv, { cwd: worktree.root, asPerson: true });
  }

  async #make(stores: string, worktree: Worktree): Promise<void> {
    fs.mkdirSync(stores, { recursive: true, mode: 0o700 });
    const making = fs.mkdtempSync(path.join(stores, 'making-'));
    const made = await runGit(this.#program, ['init', '--quiet', '--bare', '--template=', making], { cwd: stores });
    if (!made.ok) throw new Error(`git could not make a store for snapshots: ${made.stderr.trim().slice(0, 300)}`);
    fs.mkdirSync(path.join(making, 'info'), { recursive: true });
    fs.writeFileSync(path.join(making, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding -eol\n');
    const settings = {
      'core.bare': 'false',
      'core.autocrlf': 'false',
      'core.safecrlf': 'false',
      'core.symlinks': process.platform === 'win32' ? 'false' : 'true',
      'core.fileMode': process.platform === 'win32' ? 'false' : 'true',
      'core.ignoreCase': String(worktree.ignoresCase),
      'core.precomposeUnicode': process.platform === 'darwin' ? 'true' : 'false',
      'core.logAllRefUpdates': 'false',
      'index.version': '4',
      'gc.auto': '0',
    };
    // Later values win over those that git has just put there.
    const lines = Object.entries(settings).map(([name, value]) => {
      const [section = '', key = ''] = name.split('.');
      return `[${section}]\n\t${key} = ${value}\n`;
    });
    fs.appendFileSync(path.join(making, 'config'), lines.join(''));
    fs.writeFileSync(path.join(making, 'loom-worktree'), worktree.root);
    fs.renameSync(making, this.folder);
  }

  /**
   * The index gets a name of this process's own: a git that outlived a killed Loom may still write, and then writes another one. It keeps
   * its time, by which git knows which files may have changed in the moment after it was written.
   */
  #takeIndex(): void {
    const mine = `${indexPrefix}${randomBytes(6).toString('hex')}`;
    const newest = newestIndex(this.folder);
    if (newest !== undefined) fs.renameSync(path.join(this.folder, newest), path.join(this.folder, mine));
    this.#index = mine;
    for (const name of namesIn(this.folder))
      if (name.startsWith(indexPrefix) && name !== mine) fs.rmSync(path.join(this.folder, name), { force: true });
  }

  /** Only Loom's owner uses it, one work at a time: a lock that is there was left by a killed run. */
  clearLocks(): void {
    for (const name of [`${this.#index}.lock`, 'config.lock', 'packed-refs.lock'])
      fs.rmSync(path.join(this.folder, name), { force: true });
  }

  /** Half-written objects too. */
  #clear(): void {
    this.clearLocks();
    clearLists(this.folder);
    const objects = path.join(this.folder, 'objects');
    clearHalf(objects);
    clearHalf(packsIn(this.folder));
    for (const name of namesIn(objects)) if (/^[0-9a-f]{2}$/u.test(name)) clearHalf(path.join(objects, name));
  }

  /** What the person's own lists ignore, and the `hidden` folders that lie inside of the worktree. */
  copyExcludes({ excludes, root }: Worktree, hidden: readonly string[]): void {
    const own = hidden
      .map((folder) => path.relative(root, realOf(folder)))
      .filter((inside) => inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside))
      .map((inside) => rawOf(Buffer.from(`/${escaped(inside.split(path.sep).join('/'))}/`, 'utf8')));
    // The last pattern that fits counts: the repository's own list after the one for all.
    const text = [...excludes.map((file) => readable(file)).toReversed(), ...own].join('\n');
    const file = path.join(this.folder, 'info', 'exclude');
    if (readable(file) !== text) fs.writeFileSync(file, text, 'latin1');
  }
}

const indexPrefix = 'index-';
const lookFile = 'loom-look';

function newestIndex(folder: string): string | undefined {
  return namesIn(folder)
    .filter((name) => name.startsWith(indexPrefix) && !name.endsWith('.lock'))
    .map((name) => ({ name, at: fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.at - a.at)[0]?.name;
}

function folderOf(stores: string, root: string): string {
  return path.join(stores, `${createHash('sha256').update(root).digest('hex').slice(0, 24)}.git`);
}

/** A path as a pattern that is only itself. */
function escaped(inside: string): string {
  return inside.replace(/[\\*?[\] ]/gu, '\\$&');
}

function realOf(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return folder;
  }
}

function readable(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

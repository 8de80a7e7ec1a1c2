/**
 * Which worktree a folder is in, as the person's own git tells it. Read only: nothing of the repository is written, no lock is taken. A
 * folder that must not or cannot be snapshotted has a reason; `home` and `filesystem root` are refused even when they are repositories.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isOld, oldestGit, parseVersion, runGit } from './git.ts';
import type { GitProgram } from './git.ts';

export interface Worktree {
  /** Absolute, behind links. */
  readonly root: string;
  /** The repository's common folder: equal for all worktrees of a repository. */
  readonly common: string;
  /** Commit id; null: none yet. */
  readonly head: string | null;
  /** null: detached. */
  readonly branch: string | null;
  /** The person's own lists of ignored files beside `.gitignore`: those that exist. */
  readonly excludes: readonly string[];
  /** The person's index: what is tracked although it is ignored. */
  readonly index: string;
  readonly ignoresCase: boolean;
}
type Head = Pick<Worktree, 'head' | 'branch'>;
export type NoWorktree = {
  readonly none: 'gitMissing' | 'gitOld' | 'gone' | 'noRepository' | 'bare' | 'home' | 'filesystemRoot' | 'owner' | 'failed';
  /** A whole sentence. */
  readonly text: string;
};

export async function worktreeOf(program: GitProgram, folder: string, home: string): Promise<Worktree | NoWorktree> {
  let real: string;
  try {
    real = fs.realpathSync.native(folder);
    if (!fs.statSync(real).isDirectory()) return gone(folder);
  } catch {
    return gone(folder);
  }
  const unfit = await unfitGit(program, real);
  if (unfit !== undefined) return unfit;
  const asked = await runGit(
    program,
    [
      'rev-parse',
      '--is-bare-repository',
      '--is-inside-work-tree',
      '--show-toplevel',
      '--git-common-dir',
      '--git-path',
      'index',
      '--git-path',
      'info/exclude',
    ],
    { cwd: real, asPerson: true, timeoutMs: 10_000 },
  );
  if (!asked.ok) return refused(asked.stderr, real);
  const [bare = '', inside = '', top = '', common = '', index = '', exclude = ''] = asked.stdout.toString('utf8').split('\n');
  if (inside !== 'true') return bareOf(real);
  const root = realOf(top);
  if (root === undefined || bare === 'true') return bareOf(real);
  if (isFilesystemRoot(root))
    return { none: 'filesystemRoot', text: `${root} is the root of a file system: it is never snapshotted.` };
  if (isSame(root, realOf(home) ?? home)) return { none: 'home', text: `${root} is the home folder: it is never snapshotted.` };
  const [head, configured, ignoresCase] = await Promise.all([
    headOf(program, root),
    line(program, root, ['config', '--type=path', '--get', 'core.excludesFile']),
    line(program, root, ['config', '--type=bool', '--get', 'core.ignorecase']),
  ]);
  const own = configured ?? path.join(home, '.config', 'git', 'ignore');
  return {
    root,
    common: realOf(path.resolve(real, common)) ?? path.resolve(real, common),
    ...head,
    excludes: [path.resolve(real, exclude), own].filter((file) => fs.existsSync(file)),
    index: path.resolve(real, index),
    ignoresCase: ignoresCase === 'true',
  };
}

/** Where HEAD stands now. */
async function headOf(program: GitProgram, root: string): Promise<Head> {
  const both = await line(program, root, ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']);
  const [head = '', ref = ''] = both?.split('\n') ?? [];
  if (isCommit(head)) return { head, branch: ref.startsWith(branches) ? ref.slice(branches.length) : null };
  // Unborn: there is a branch, and no commit.
  return { head: null, branch: await line(program, root, ['symbolic-ref', '--quiet', '--short', 'HEAD']) };
}

/** The same of a worktree that is known. Where HEAD and its branch stand in files, git is not asked. */
export async function headNow(program: GitProgram, { root, common, index }: Worktree): Promise<Head> {
  return headInFiles(path.join(path.dirname(index), 'HEAD'), common) ?? headOf(program, root);
}

/** What is no UTF-8 is read as U+FFFD: such a name may stand for several branches, and is left to git. */
function headInFiles(file: string, common: string): Head | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  if (isCommit(text)) return { head: text, branch: null };
  const [, branch] = /^ref: refs\/heads\/([^\0-\x20\x7f~^:?*[\\\ufffd]+)$/u.exec(text) ?? [];
  if (branch === undefined || branch.split('/').some((part) => part.startsWith('.') || part === '')) return undefined;
  const head = commitOf(common, branch);
  return head !== undefined && isCommit(head) ? { head, branch } : undefined;
}

/** As the branch's own file says it or, where it has none, the list of those without (gitrepository-layout: `packed-refs`). */
function commitOf(common: string, branch: string): string | undefined {
  const file = path.join(common, 'refs', 'heads', ...branch.split('/'));
  if (mayBeThere(file)) return textOf(file);
  const packed = `\n${textOf(path.join(common, 'packed-refs')) ?? ''}\n`;
  const end = packed.indexOf(` ${branches}${branch}\n`);
  return end < 0 ? undefined : packed.slice(packed.lastIndexOf('\n', end) + 1, end);
}

/** A link that leads nowhere is there, and so is what cannot be looked at. */
function mayBeThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Of a plain file. */
function textOf(file: string): string | undefined {
  try {
    return fs.lstatSync(file).isFile() ? withoutEnd(fs.readFileSync(file, 'utf8')) : undefined;
  } catch {
    return undefined;
  }
}

/** Only blanks that git knows go: names of branches may end with others. */
function withoutEnd(text: string): string {
  return text.replace(/[\t\n\r ]{1,8}$/u, '');
}

const branches = 'refs/heads/';

function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text);
}

/** Programs whose version was found new enough. */
const fit = new WeakSet<GitProgram>();

async function unfitGit(program: GitProgram, cwd: string): Promise<NoWorktree | undefined> {
  if (fit.has(program)) return undefined;
  const version = await runGit(program, ['--version'], { cwd, timeoutMs: 10_000 });
  if (version.failure === 'missing')
    return { none: 'gitMissing', text: 'The git program was not found, so that no snapshot can be taken.' };
  const text = version.stdout.toString('latin1').trim();
  const known = parseVersion(text);
  if (known === null || isOld(known))
    return {
      none: 'gitOld',
      text: `Snapshots need git ${oldestGit.join('.')} or newer; here is ${text.slice(0, 80) || 'an unknown version'}.`,
    };
  fit.add(program);
  return undefined;
}

async function line(program: GitProgram, cwd: string, argv: readonly string[]): Promise<string | null> {
  const run = await runGit(program, argv, { cwd, asPerson: true, timeoutMs: 10_000 });
  const text = withoutEnd(run.stdout.toString('utf8'));
  return run.ok && text !== '' ? text : null;
}

function refused(stderr: string, folder: string): NoWorktree {
  if (/dubious ownership/u.test(stderr))
    return {
      none: 'owner',
      // No name of a folder becomes a word of a command: `$PWD` is known to PowerShell too.
      text: `The repository of ${folder} belongs to another user, and git refuses to read it. If you trust it, say so in its top folder: git config --global --add safe.directory "$PWD"`,
    };
  if (/not a git repository/u.test(stderr))
    return { none: 'noRepository', text: `${folder} is in no git repository, so that no snapshot is taken.` };
  if (/must be run in a work tree/u.test(stderr)) return bareOf(folder);
  return {
    none: 'failed',
    text: `git could not read the repository of ${folder}: ${stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''}`,
  };
}

function bareOf(folder: string): NoWorktree {
  return { none: 'bare', text: `${folder} has no working tree: it is a bare repository or inside of one.` };
}

function gone(folder: string): NoWorktree {
  return { none: 'gone', text: `The folder ${folder} does not exist.` };
}

function realOf(folder: string): string | undefined {
  try {
    return folder === '' ? undefined : fs.realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

function isFilesystemRoot(folder: string): boolean {
  return path.dirname(folder) === folder;
}

function isSame(a: string, b: string): boolean {
  return path.relative(a, b) === '';
}

/**
 * What a restore would do, path by path, before anything is touched. Only paths that differ between the two snapshots are looked at. A
 * file that is as it was after the turn becomes as it was before; one that changed since keeps those later changes where both fit (a
 * merge of three sides), and is a conflict where they do not. A file that no snapshot holds as it is now is never written over.
 */
import fs from 'node:fs';
import path from 'node:path';
import { applyPatch, reversePatch, structuredPatch } from 'diff';
import { runGit } from './git.ts';
import type { GitProgram } from './git.ts';
import { blobOf, blobsOf, isBinary } from './blob.ts';
import { fileOf, isPlain, rawOf, shown } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { sidesOf } from './tree-diff.ts';
import type { FileDiff, ModeKind, Side } from './tree-diff.ts';
import type { Worktree } from './worktree.ts';

export interface PlannedFile {
  readonly raw: RawPath;
  /** As it is now; null: it is not there. */
  readonly now: Side | null;
  readonly action: 'write' | 'delete' | 'merge' | 'none' | 'conflict';
  /** What is to be there afterwards; null: nothing. Only of `write`, `merge` and `delete`. */
  readonly next: { readonly bytes: Buffer; readonly mode: ModeKind } | null;
  readonly note: string;
}
export interface PlanOptions {
  /** Writes `before` also where later changes cannot be kept. */
  readonly overwrite: boolean;
  /** Only this hunk, from 0, of the one path. */
  readonly hunk: number | null;
}

const most = 256 * 1024 * 1024;

/** `diffs`: from before to after, without renames. `nowTree`: of a snapshot that was just taken. */
export async function planRestore(
  program: GitProgram,
  store: SnapshotStore,
  worktree: Worktree,
  diffs: readonly FileDiff[],
  nowTree: string,
  options: PlanOptions,
): Promise<readonly PlannedFile[]> {
  const current = await sidesOf(
    store,
    nowTree,
    diffs.map(({ raw }) => raw),
  );
  // What is as the turn left it is written as it was before: of all those the content is read at once.
  const whole = options.hunk === null ? diffs.filter(({ raw, after }) => same(current.get(raw) ?? null, after)) : [];
  const known = await blobsOf(
    store,
    whole.flatMap(({ before }) => before?.object ?? []),
  );
  const contents: Contents = { store, known };
  const planned = new Map<RawPath, PlannedFile>();
  // A folder that stands where a file was makes way when all that is in it goes: that is known once the rest is planned.
  const [folders, others] = [true, false].map((one) => diffs.filter(({ raw }) => isFolder(worktree, raw) === one));
  for (const diff of [...(others ?? []), ...(folders ?? [])]) {
    const now = current.get(diff.raw) ?? null;
    const isFree = now !== null || !exists(worktree, diff.raw) || makesWay(worktree, diff.raw, planned);
    planned.set(diff.raw, await planOne(program, contents, diff, now, isFree, options));
  }
  return diffs.flatMap(({ raw }) => planned.get(raw) ?? []);
}

interface Contents {
  readonly store: SnapshotStore;
  /** By object; what is not among them is read by itself. */
  readonly known: ReadonlyMap<string, Buffer>;
}

async function planOne(
  program: GitProgram,
  contents: Contents,
  { raw, before, after }: FileDiff,
  now: Side | null,
  isFree: boolean,
  { overwrite, hunk }: PlanOptions,
): Promise<PlannedFile> {
  const none = (action: 'none' | 'conflict', note: string): PlannedFile => ({ raw, now, action, next: null, note });
  if (!isPlain(raw)) return none('conflict', 'Its name is none that can be written here.');
  if (!isFree) return none('conflict', 'What is there now is in no snapshot (too large, or not a plain file): it is left alone.');
  const wanted = hunk === null ? before : await withoutHunk(contents, before, after, hunk);
  if (wanted === 'noHunk') return none('conflict', 'There is no such part in it.');
  if (same(now, wanted)) return none('none', 'It is so already.');
  if (same(now, after)) return { raw, now, ...(await ending(contents, wanted)), note: '' };
  const merged = await mergeOf(program, contents, after, now, wanted);
  if (merged !== undefined)
    return {
      raw,
      now,
      action: 'merge',
      next: { bytes: merged, mode: modeOf(now, after, wanted) },
      note: 'What changed in it since stays.',
    };
  if (overwrite) return { raw, now, ...(await ending(contents, wanted)), note: 'What changed in it since is taken back too.' };
  return none('conflict', now === null ? 'It was deleted since.' : 'It changed since at the same places.');
}

/** A hunk's text instead of an object of the store. */
interface Inline {
  readonly bytes: Buffer;
  readonly mode: ModeKind;
}
type Wanted = Side | Inline | null;

async function ending(contents: Contents, wanted: Wanted): Promise<Pick<PlannedFile, 'action' | 'next'>> {
  if (wanted === null) return { action: 'delete', next: null };
  return { action: 'write', next: { bytes: await contentOf(contents, wanted), mode: wanted.mode } };
}

async function contentOf({ store, known }: Contents, side: Side | Inline): Promise<Buffer> {
  if ('bytes' in side) return side.bytes;
  const read = known.get(side.object);
  if (read !== undefined) return read;
  const blob = await blobOf(store, side.object, most);
  if (!blob.ok) throw new Error(`the content of a snapshot is ${blob.reason}`);
  return blob.bytes;
}

function same(a: Side | null, b: Wanted): boolean {
  if (a === null || b === null) return a === b;
  return 'object' in b && a.object === b.object && a.mode === b.mode;
}

/** The file after the turn with one of its hunks taken back; hunks are those of a unified diff with three lines of context. */
async function withoutHunk(
  contents: Contents,
  before: Side | null,
  after: Side | null,
  hunk: number,
): Promise<Inline | 'noHunk'> {
  const [old, fresh] = [
    before === null ? Buffer.alloc(0) : await contentOf(contents, before),
    after === null ? Buffer.alloc(0) : await contentOf(contents, after),
  ];
  if (isBinary(old) || isBinary(fresh)) return 'noHunk';
  // One byte, one character: whatever the encoding, the bytes that are not touched stay.
  const [oldText, freshText] = [old.toString('latin1'), fresh.toString('latin1')];
  const patch = structuredPatch('a', 'b', oldText, freshText, '', '', { context: 3 });
  const chosen = patch.hunks[hunk];
  if (chosen === undefined) return 'noHunk';
  const text = applyPatch(freshText, reversePatch({ ...patch, hunks: [chosen] }));
  return text === false ? 'noHunk' : { bytes: Buffer.from(text, 'latin1'), mode: after?.mode ?? before?.mode ?? 'file' };
}

/** `now` with the step from `after` to `wanted` made in it; undefined: both touched the same lines, or it is no text. */
async function mergeOf(
  program: GitProgram,
  contents: Contents,
  after: Side | null,
  now: Side | null,
  wanted: Wanted,
): Promise<Buffer | undefined> {
  if (after === null || now === null || wanted === null) return undefined;
  if (after.mode === 'link' || now.mode === 'link' || wanted.mode === 'link') return undefined;
  const sides = await Promise.all([contentOf(contents, now), contentOf(contents, after), contentOf(contents, wanted)]);
  if (sides.some((bytes) => isBinary(bytes))) return undefined;
  const folder = fs.mkdtempSync(path.join(contents.store.folder, 'merging-'));
  try {
    const files = sides.map((bytes, index) => {
      const file = path.join(folder, String(index));
      fs.writeFileSync(file, bytes);
      return file;
    });
    const run = await runGit(program, ['merge-file', '-p', '-q', ...files], { cwd: folder });
    return run.ok ? run.stdout : undefined;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function modeOf(now: Side | null, after: Side | null, wanted: Wanted): ModeKind {
  return now !== null && now.mode !== after?.mode ? now.mode : (wanted?.mode ?? 'file');
}

function exists(worktree: Worktree, raw: RawPath): boolean {
  try {
    fs.lstatSync(fileOf(worktree.root, raw));
    return true;
  } catch {
    return false;
  }
}

function isFolder({ root }: Worktree, raw: RawPath): boolean {
  try {
    return fs.lstatSync(fileOf(root, raw)).isDirectory();
  } catch {
    return false;
  }
}

/** Is it a folder that holds nothing but files that go, and folders of such? */
function makesWay(worktree: Worktree, raw: RawPath, planned: ReadonlyMap<RawPath, PlannedFile>): boolean {
  if (!isFolder(worktree, raw)) return planned.get(raw)?.action === 'delete';
  const names = fs.readdirSync(fileOf(worktree.root, raw), { encoding: 'buffer' });
  return names.length > 0 && names.every((name) => makesWay(worktree, `${raw}/${rawOf(name)}`, planned));
}

/** One sentence about what stands in the way, naming at most five paths. */
export function conflictsText(files: readonly PlannedFile[]): string {
  const names = files.filter(({ action }) => action === 'conflict').map(({ raw }) => shown(raw));
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}

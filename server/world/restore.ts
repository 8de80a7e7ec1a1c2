/**
 * Carries a planned restore out: all of it or nothing. Every new content lies beside its place first; then a journal says what is about to
 * be replaced by what; then the files change places one by one. A kill in between is rolled back by whoever opens the store next, from the
 * snapshot that was taken just before. Nothing outside the planned paths is touched, no link is followed, and a file that changed since
 * it was looked at stops the whole.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { blobOf } from './blob.ts';
import { bytesOf, fileOf, rawFrom, shown } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { PlannedFile } from './restore-plan.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { ModeKind, Side } from './tree-diff.ts';

/** What a kill leaves to be taken back; paths as `shown`. */
interface Journal {
  readonly root: string;
  readonly files: readonly {
    readonly path: string;
    /** Name of the new content beside it; null: it is to be deleted. */
    readonly fresh: string | null;
    /** The path beside which it lies; absent: its own. */
    readonly beside?: string;
    readonly now: Side | null;
    /** SHA-256 of what it becomes; null: gone. */
    readonly next: string | null;
  }[];
  /** Folders that were made for it. */
  readonly made: readonly string[];
}
/** For tests: what a restore passes through. */
export type RestoreMoment = 'staging' | 'staged' | 'journaled' | 'replacing' | 'replaced' | 'done';

export class RestoreRefused extends Error {}

const prefix = '.loom-restore-';

/** Throws `RestoreRefused` (somebody changed a file, a folder is a link, it cannot be written); then everything is as it was. */
export async function applyRestore(
  store: SnapshotStore,
  root: string,
  files: readonly PlannedFile[],
  id: string,
  onMoment: (moment: RestoreMoment) => void = () => undefined,
): Promise<void> {
  // What goes, goes first: a folder may be to come where a file is, and a file where a folder is.
  const planned = files
    .filter(({ action }) => action === 'write' || action === 'merge' || action === 'delete')
    .toSorted((a, b) => Number(a.next !== null) - Number(b.next !== null));
  const places = placesOf(planned);
  const stamps = planned.map(({ raw }) => stampOf(root, raw));
  const made: string[] = [];
  const fresh = planned.map(({ next }, index) => (next === null ? null : `${prefix}${id}-${index}`));
  const journal: Journal = {
    root,
    made,
    files: planned.map(({ raw, now, next }, index) => ({
      path: shown(raw),
      fresh: fresh[index] ?? null,
      ...(places[index] === raw ? {} : { beside: shown(places[index] ?? raw) }),
      now,
      next: next === null ? null : hashOf(next),
    })),
  };
  try {
    writeJournal(store, journal);
    for (const [index, { raw, next }] of planned.entries()) {
      onMoment('staging');
      const place = places[index] ?? raw;
      makeFolders(root, place, made);
      if (place !== raw) made.push(...foldersBetween(root, place, raw).filter((folder) => !made.includes(folder)));
      const name = fresh[index];
      if (next !== null && name !== null && name !== undefined)
        stage(besides(root, place, name), next, modeBits(root, raw, next.mode));
    }
    // Now the folders that were made are known too.
    writeJournal(store, journal);
    onMoment('journaled');
    for (const [index, { raw }] of planned.entries())
      if (stampOf(root, raw) !== stamps[index]) throw new RestoreRefused(`${shown(raw)} was changed meanwhile.`);
    const goes = planned.filter(({ next }) => next === null);
    for (const { raw } of goes) {
      onMoment('replacing');
      removeFile(root, raw);
      onMoment('replaced');
    }
    for (const { raw } of goes) removeEmptyFolders(root, raw);
    for (const [index, { raw }] of planned.entries()) {
      const name = fresh[index];
      if (name === null || name === undefined) continue;
      onMoment('replacing');
      makeFolders(root, raw, made);
      fs.renameSync(besides(root, places[index] ?? raw, name), fileOf(root, raw));
      onMoment('replaced');
    }
    removeJournal(store);
    onMoment('done');
  } catch (error) {
    await rollBack(store, journal);
    removeJournal(store);
    if (error instanceof RestoreRefused) throw error;
    throw new RestoreRefused(error instanceof Error ? error.message : String(error));
  }
}

/** Takes back what a killed restore had begun. Returns the paths that were put back; those that somebody changed since are left alone. */
export async function recoverRestore(store: SnapshotStore): Promise<readonly string[]> {
  const journal = readJournal(store);
  if (journal === undefined) return [];
  const back = await rollBack(store, journal);
  removeJournal(store);
  return back;
}

async function rollBack(store: SnapshotStore, { root, files, made }: Journal): Promise<readonly string[]> {
  // What still lies beside its place had not been replaced.
  const replaced = files.filter((file) => !dropStaged(root, file));
  const back: string[] = [];
  const putAll = async (some: Journal['files']): Promise<void> => {
    for (const file of some) {
      try {
        if (await putBack(store, root, rawFrom(file.path), file)) back.push(file.path);
      } catch (error) {
        // What cannot be put back (a folder stands in its place, it cannot be written) does not keep the others from it.
        if (!(error instanceof RestoreRefused) && !(error instanceof Error && 'code' in error)) throw error;
      }
    }
  };
  // What came goes first, with the folders that were made for it: something else may have stood there.
  await putAll(replaced.filter(({ now }) => now === null));
  for (const folder of made.toReversed()) removeFolder(folder);
  await putAll(replaced.filter(({ now }) => now !== null));
  return back;
}

function dropStaged(root: string, { path: name, fresh, beside }: Journal['files'][number]): boolean {
  if (fresh === null) return false;
  const staged = besides(root, rawFrom(beside ?? name), fresh);
  if (statOf(staged) === undefined) return false;
  fs.rmSync(staged, { force: true });
  return true;
}

async function putBack(
  store: SnapshotStore,
  root: string,
  raw: RawPath,
  { now, next }: Pick<Journal['files'][number], 'now' | 'next'>,
): Promise<boolean> {
  const state = stateOf(root, raw);
  if (state !== next || (now === null && state === null)) return false;
  if (now === null) removeFile(root, raw);
  else {
    const blob = await blobOf(store, now.object, Number.MAX_SAFE_INTEGER);
    if (!blob.ok) return false;
    const content = { bytes: blob.bytes, mode: now.mode };
    if (hashOf(content) === state) return false;
    makeFolders(root, raw, []);
    const temporary = besides(root, raw, `${prefix}back`);
    stage(temporary, content, modeBits(root, raw, now.mode));
    fs.renameSync(temporary, fileOf(root, raw));
  }
  return true;
}

function stage(file: Buffer | string, { bytes, mode }: NonNullable<PlannedFile['next']>, bits: number): void {
  fs.rmSync(file, { force: true });
  if (mode === 'link') {
    fs.symlinkSync(process.platform === 'win32' ? bytes.toString('utf8') : bytes, file);
    return;
  }
  const descriptor = fs.openSync(file, 'wx', bits);
  try {
    fs.writeFileSync(descriptor, bytes);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  if (process.platform !== 'win32') fs.chmodSync(file, bits);
}

/** The permissions that it has, but for the right to execute. */
function modeBits(root: string, raw: RawPath, mode: ModeKind): number {
  let bits = 0o644;
  try {
    const stat = fs.lstatSync(fileOf(root, raw));
    if (stat.isFile()) bits = stat.mode & 0o777;
  } catch {
    bits = 0o666 & ~umask;
  }
  return mode === 'executable' ? bits | ((bits & 0o444) >> 2) : bits & ~0o111;
}
const umask = process.umask();

/** Every folder above it must be a real one: a link could lead out of the worktree. */
function makeFolders(root: string, raw: RawPath, made: string[]): void {
  const parts = bytesOf(raw).toString('utf8').split('/').slice(0, -1);
  let folder = root;
  for (const part of parts) {
    folder = path.join(folder, part);
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) {
      fs.mkdirSync(folder);
      made.push(folder);
    } else if (!stat.isDirectory()) throw new RestoreRefused(`${folder} is not a folder.`);
  }
}

function removeFile(root: string, raw: RawPath): void {
  const stat = statOf(fileOf(root, raw));
  if (stat === undefined) return;
  if (stat.isDirectory()) throw new RestoreRefused(`${shown(raw)} is a folder now.`);
  fs.rmSync(fileOf(root, raw));
}

/** Git knows no empty folders: those that a deletion leaves go too, as long as they are really empty. */
function removeEmptyFolders(root: string, raw: RawPath): void {
  const parts = bytesOf(raw).toString('utf8').split('/').slice(0, -1);
  for (; parts.length > 0; parts.pop()) if (!removeFolder(path.join(root, ...parts))) return;
}

function removeFolder(folder: string): boolean {
  try {
    fs.rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function besides(root: string, raw: RawPath, name: string): Buffer | string {
  const cut = raw.lastIndexOf('/');
  return fileOf(root, cut < 0 ? name : `${raw.slice(0, cut)}/${name}`);
}

/** undefined: it is not there, nor can it be, where a file stands in the place of its folder. */
function statOf(file: Buffer | string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Beside which path each new content is laid: its own, or the file that goes and stands where one of its folders is to be. */
function placesOf(planned: readonly PlannedFile[]): readonly RawPath[] {
  const goes = new Set(planned.flatMap(({ raw, next }) => (next === null ? [raw] : [])));
  return planned.map(({ raw, next }) => (next === null ? raw : (foldersAbove(raw).find((folder) => goes.has(folder)) ?? raw)));
}

/** From the outermost. */
function foldersAbove(raw: RawPath): readonly RawPath[] {
  const parts = raw.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The folders from `place`, itself one, down to the one that holds `raw`. */
function foldersBetween(root: string, place: RawPath, raw: RawPath): readonly string[] {
  return foldersAbove(raw)
    .filter((folder) => folder.length >= place.length)
    .map((folder) => path.join(root, ...bytesOf(folder).toString('utf8').split('/')));
}

function stampOf(root: string, raw: RawPath): string {
  try {
    const stat = fs.lstatSync(fileOf(root, raw), { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.mode}`;
  } catch {
    return '';
  }
}

function hashOf({ bytes, mode }: { readonly bytes: Buffer; readonly mode: ModeKind }): string {
  return createHash('sha256').update(`${mode}\0`).update(bytes).digest('hex');
}

/** As `hashOf`, of what is there; null: nothing. */
function stateOf(root: string, raw: RawPath): string | null {
  const file = fileOf(root, raw);
  const stat = statOf(file);
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return hashOf({ bytes: fs.readlinkSync(file, { encoding: 'buffer' }), mode: 'link' });
  if (!stat.isFile()) return '';
  const executable = process.platform !== 'win32' && (stat.mode & 0o100) !== 0;
  return hashOf({ bytes: fs.readFileSync(file), mode: executable ? 'executable' : 'file' });
}

/** The file that says that a restore is under way. */
export function restoreJournal(store: SnapshotStore): string {
  return path.join(store.folder, 'loom-restore.json');
}

function writeJournal(store: SnapshotStore, journal: Journal): void {
  const temporary = `${restoreJournal(store)}.new`;
  const descriptor = fs.openSync(temporary, 'w', 0o600);
  try {
    fs.writeFileSync(descriptor, JSON.stringify(journal));
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(temporary, restoreJournal(store));
}

function removeJournal(store: SnapshotStore): void {
  fs.rmSync(restoreJournal(store), { force: true });
}

function readJournal(store: SnapshotStore): Journal | undefined {
  try {
    return JSON.parse(fs.readFileSync(restoreJournal(store), 'utf8')) as Journal;
  } catch {
    return undefined;
  }
}

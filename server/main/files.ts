/**
 * A brand-new file below a folder of another program (or of ours): written whole beside its place, made durable, then
 * linked into place, so that nobody ever sees a part of it and a file that is already there is never replaced. Links on
 * the way that lead out of the root are refused; what fails leaves nothing behind but folders. Failures are values.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import { privateFolder } from './platform.ts';

export interface NewFile {
  /** Absolute; is made if there is none. */
  readonly root: string;
  /** Absolute and below the root. */
  readonly path: string;
  /** In one, or in pieces that are only needed until the next one is asked for. What making a piece throws leaves no file. */
  readonly bytes: Uint8Array | Iterable<Uint8Array>;
  /** Exactly so, whatever the process's umask. */
  readonly mode: number;
}

export type WriteFailure =
  | 'exists'
  /** The path is not below the root, in words or through links. */
  | 'outside'
  | 'full'
  | 'denied'
  | 'failed';
export type Written =
  | { readonly ok: true }
  /** `detail`: one line, with the path. */
  | { readonly ok: false; readonly kind: WriteFailure; readonly detail: string };

/** The calls that change something, as a port: a full disk cannot be had at will. */
export type Disk = Pick<typeof fs, 'openSync' | 'writeSync' | 'fsyncSync' | 'linkSync' | 'copyFileSync'>;

export function writeNew({ root, path: file, bytes, mode }: NewFile, disk: Disk = fs): Written {
  let temporary: string | undefined;
  try {
    if (!isBelow(path.resolve(file), path.resolve(root))) return failure('outside', `${file} is not below ${root}`);
    fs.mkdirSync(root, { recursive: true, mode: privateFolder });
    const folder = makeFolders(root, path.dirname(path.resolve(file)));
    if (folder === undefined) return failure('outside', `${file} leads out of ${root}`);
    const place = path.join(folder, path.basename(file));
    // Told before the work is done; the link below decides.
    if (fs.lstatSync(place, { throwIfNoEntry: false }) !== undefined) return failure('exists', `${file} is there already`);
    temporary = writeBeside(place, bytes, mode, disk);
    moveInto(temporary, place, disk);
    syncFolder(folder, disk);
    return { ok: true };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return failure(kindOf(code), `${file}: ${code}`);
  } finally {
    if (temporary !== undefined) fs.rmSync(temporary, { force: true });
  }
}

/** A folder below a root that is there, with those above it. */
export function makeFolder(root: string, folder: string): Written {
  try {
    if (!isBelow(path.resolve(folder), path.resolve(root))) return failure('outside', `${folder} is not below ${root}`);
    const made = makeFolders(root, path.resolve(folder));
    if (made === undefined) return failure('outside', `${folder} leads out of ${root}`);
    if (fs.lstatSync(made).isDirectory()) return { ok: true };
    return failure('exists', `${folder} is no folder`);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return failure(kindOf(code), `${folder}: ${code}`);
  }
}

/**
 * Makes the folders between the root and `folder`, each checked before the next is made, so that nothing is made outside.
 * The real path; undefined: a link leads out of the root.
 */
function makeFolders(root: string, folder: string): string | undefined {
  const realRoot = fs.realpathSync.native(root);
  let real = realRoot;
  for (const part of path.relative(path.resolve(root), folder).split(path.sep)) {
    if (part === '') continue;
    const next = path.join(real, part);
    try {
      fs.mkdirSync(next, { mode: privateFolder });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    real = fs.realpathSync.native(next);
    if (!isBelow(real, realRoot)) return undefined;
  }
  return real;
}

/** The name begins with a dot and ends in `.tmp`: no harness takes it for a session. */
function writeBeside(place: string, bytes: NewFile['bytes'], mode: number, disk: Disk): string {
  const { descriptor, temporary } = openBeside(place, mode, disk);
  try {
    for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes)
      for (let at = 0; at < piece.length;) at += disk.writeSync(descriptor, piece, at, piece.length - at);
    fs.fchmodSync(descriptor, mode);
    disk.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  fs.closeSync(descriptor);
  return temporary;
}

/** The name is one that `openBeside` gives to the unfinished bytes of that file. */
export function isUnfinished(name: string, file: string): boolean {
  const prefix = `.${file}.`;
  return name.startsWith(prefix) && /^\d+-\d+\.tmp$/u.test(name.slice(prefix.length));
}

/** Numbers instead of random names: one that a killed process left is passed over. */
function openBeside(place: string, mode: number, disk: Disk): { descriptor: number; temporary: string } {
  for (let attempt = 0; ; attempt++) {
    const temporary = path.join(path.dirname(place), `.${path.basename(place)}.${process.pid}-${attempt}.tmp`);
    try {
      return { descriptor: disk.openSync(temporary, 'wx', mode), temporary };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt > 100) throw error;
    }
  }
}

/** A rename would replace what stands there; a link does not. */
function moveInto(temporary: string, place: string, disk: Disk): void {
  try {
    disk.linkSync(temporary, place);
  } catch (error) {
    // File systems without hard links (FAT, some network mounts). The copy is not atomic but replaces nothing either.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error) ?? '')) throw error;
    copyInto(temporary, place, disk);
  }
}

function copyInto(temporary: string, place: string, disk: Disk): void {
  try {
    disk.copyFileSync(temporary, place, fs.constants.COPYFILE_EXCL);
  } catch (error) {
    // A copy that broke off is ours to remove; a file that was there is not.
    if (errorCode(error) !== 'EEXIST') fs.rmSync(place, { force: true });
    throw error;
  }
}

/** So that the name survives a crash of the machine. Windows has no such thing, and some file systems refuse it. */
function syncFolder(folder: string, disk: Disk): void {
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(folder, 'r');
  try {
    disk.fsyncSync(descriptor);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

function kindOf(code: string): WriteFailure {
  switch (code) {
    case 'EEXIST':
      return 'exists';
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'full';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'denied';
    case 'ELOOP':
      return 'outside';
    default:
      return 'failed';
  }
}

function failure(kind: WriteFailure, detail: string): Written {
  return { ok: false, kind, detail };
}

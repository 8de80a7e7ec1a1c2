/**
 * Writes the native files of a thread out of the archive, byte for byte: below a folder that the person names, or where they lay. Never over
 * a file that is there; into a harness's own store only when that was asked for. Every byte is compared with the hash it was archived with
 * before its file gets its name; files that belong together are all written or none of them.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import type { RestoredFile, RestoreResult } from '../protocol/requests.ts';
import { writeNew } from './files.ts';
import { privateFile } from './platform.ts';
import { DistinctNames, restoredName } from './restored-name.ts';
import { restorableFiles } from './restored-files.ts';
import type { RestorableFile, RestorableSet } from './restored-files.ts';

export interface RestoreOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
}
export interface RestoreRequest {
  readonly thread: ThreadRow;
  /** Absolute. null: each file where it lay. */
  readonly folder: string | null;
  readonly earlier?: boolean;
}

interface Target {
  readonly root: string;
  readonly path: string;
}

/** Throws `Fault` R001 when nothing of the thread is archived, R002 when the folder is a harness's own. */
export function restoreNative(
  { ledger, shuttles, environment }: RestoreOptions,
  { thread, folder, earlier = false }: RestoreRequest,
): RestoreResult {
  const { sets, missing } = restorableFiles(ledger, thread, earlier);
  if (sets.length === 0) throw new Fault('R001', missing.map((one) => `${one.path} ${one.reason}.`).join(' '));
  const roots = shuttles.flatMap(({ find }) => find.roots(environment).map((root) => root.path));
  const names = new DistinctNames();
  const targetOf = ({ path: file }: RestorableFile): Target | undefined => {
    if (folder !== null) return { root: folder, path: path.join(folder, ...names.give(restoredName(file, environment))) };
    const root = roots.find((candidate) => isBelow(file, candidate));
    return root === undefined ? undefined : { root, path: file };
  };
  const planned = sets.map((set) => set.map((file) => ({ file, target: targetOf(file) })));
  if (folder !== null)
    for (const { target } of planned.flat())
      if (target !== undefined && roots.some((root) => isIn(target.path, root))) throw new Fault('R002', target.path);
  const files: RestoredFile[] = [];
  const failed: { path: string; reason: string }[] = [...missing];
  for (const set of planned) {
    const outcome = writeSet(set);
    if ('files' in outcome) files.push(...outcome.files);
    else failed.push(outcome);
  }
  return { files, missing: failed };
}

function writeSet(
  set: readonly { readonly file: RestorableFile; readonly target: Target | undefined }[],
): { readonly files: readonly RestoredFile[] } | { readonly path: string; readonly reason: string } {
  const written: RestoredFile[] = [];
  const undo = (): void => {
    for (const { path: done } of written) fs.rmSync(done, { force: true });
  };
  for (const { file, target } of set) {
    if (target === undefined) return { path: file.path, reason: 'lay below no folder in which its program keeps sessions now' };
    const there = companions(set.map((one) => one.file)).find((suffix) => isThere(target.path + suffix));
    if (written.length === 0 && there !== undefined)
      return { path: file.path, reason: `is not restored: ${target.path}${there} is there already` };
    const outcome = writeFile(file, target);
    if ('reason' in outcome) {
      undo();
      return { path: file.path, reason: outcome.reason };
    }
    written.push(outcome);
  }
  return { files: written };
}

/** A log beside a database is taken for its own: none may be there that is another one's. */
function companions(set: RestorableSet): readonly string[] {
  return set.length > 1 || /\.(?:sqlite|db)$/u.test(set[0]?.path ?? '') ? ['', '-wal', '-journal'] : [''];
}

class NotWhole extends Error {}

function writeFile(file: RestorableFile, target: Target): RestoredFile | { readonly reason: string } {
  const hash = createHash('sha256');
  let bytes = 0;
  function* whole(): Generator<Uint8Array, void> {
    for (const piece of file.pieces()) {
      if (!piece.ok)
        throw new NotWhole(
          piece.reason === 'damaged'
            ? `is not restored: its archived bytes ${piece.start} to ${piece.start + piece.length} are damaged`
            : `is not restored: its bytes ${piece.start} to ${piece.start + piece.length} are not archived`,
        );
      hash.update(piece.bytes);
      bytes += piece.bytes.length;
      yield piece.bytes;
    }
    if (bytes !== file.size) throw new NotWhole(`is not restored: ${bytes} of its ${file.size} bytes are archived`);
  }
  let digest: Buffer;
  try {
    const written = writeNew({ ...target, bytes: whole(), mode: privateFile });
    if (!written.ok) return { reason: `is not restored: ${written.detail}` };
    digest = hash.digest();
  } catch (error) {
    if (error instanceof NotWhole) return { reason: error.message };
    throw error;
  }
  if (file.sha256 !== undefined && Buffer.compare(digest, file.sha256) !== 0) {
    fs.rmSync(target.path, { force: true });
    return { reason: 'is not restored: its archived bytes are damaged' };
  }
  keepTime(target.path, file.mtime);
  return { path: target.path, from: file.path, bytes, sha256: digest.toString('hex') };
}

/** Harnesses list sessions by it. */
function keepTime(file: string, mtime: number): void {
  try {
    fs.utimesSync(file, mtime / 1000, mtime / 1000);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function isThere(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Also when links lead there; of what does not exist yet, the nearest folder that does counts. */
function isIn(file: string, root: string): boolean {
  return isBelow(file, root) || isBelow(realWhereThere(file), realWhereThere(root));
}

function realWhereThere(file: string): string {
  for (let at = file, rest = ''; ; rest = path.join(path.basename(at), rest), at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync.native(at), rest);
    } catch (error) {
      if (errorCode(error) === undefined || path.dirname(at) === at) throw error;
    }
  }
}

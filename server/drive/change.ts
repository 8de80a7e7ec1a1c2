/**
 * What a hand-over puts on the disk: a new file, with what its harness wants beside it, or bytes behind the end of a session's file.
 * Either is taken back as long as it is Loom's own byte for byte. Bytes that go behind another program's are kept aside whole until the
 * thread has them: only so can a torn end, as a crash leaves it, be told from what that program wrote.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Beside, NewBeside } from '../../shuttles/contract/shuttle.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import type { World } from './world.ts';

export type Change =
  | {
      readonly kind: 'new';
      /** The folder that it is below. */
      readonly root: string;
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly mode: number;
      readonly beside?: NewBeside;
    }
  | {
      readonly kind: 'append';
      readonly root: string;
      readonly path: string;
      readonly bytes: Uint8Array;
      /** The file as it must be found. Its size is where the bytes begin. */
      readonly before: FileFacts;
    };

/** What has to be known of a change to take it back. `offset`: 0 of a new file. */
export interface Intent {
  readonly path: string;
  /** Of Loom's bytes. */
  readonly sha256: string;
  readonly offset: number;
  readonly beside?: Beside;
}

export function intentOf(change: Change): Intent {
  const { path: file, bytes } = change;
  const intent = { path: file, sha256: sha256(bytes), offset: change.kind === 'append' ? change.before.size : 0 };
  if (change.kind === 'append' || change.beside === undefined) return intent;
  const { folder, row, signs } = change.beside;
  const { database, table, column, key } = row;
  return { ...intent, beside: { folder, row: { database, table, column, key }, signs } };
}

export interface NotMade {
  /** `changed`: the file is no longer as it was found. */
  readonly kind: 'changed' | 'failed';
  readonly detail: string;
}

/** undefined: it is made, durably. Otherwise nothing of a new file is there, but a part of an append may be. `folder`: the ledger's. */
export function make(world: World, change: Change, folder: string): NotMade | undefined {
  const { root, path: file, bytes } = change;
  if (change.kind === 'new')
    return change.beside === undefined
      ? failed(world.writeNew(root, file, bytes, change.mode))
      : makeWith(world, change, change.beside);
  return failed(putAside(world, bytes, folder)) ?? world.append(root, file, change.before, bytes);
}

/** The row is last: the harness shows a session from then on. */
function makeWith(
  world: World,
  { root, path: file, bytes, mode }: Extract<Change, { readonly kind: 'new' }>,
  { root: home, folder, row, signs, values }: NewBeside,
): NotMade | undefined {
  if (isInUse(world, signs)) return failed(`${file} is in use by another program`);
  const refusal = world.makeFolder(home, folder) ?? world.writeNew(root, file, bytes, mode);
  if (refusal !== undefined) {
    world.removeFolder(folder);
    return failed(refusal);
  }
  const notListed = world.putRow(home, row, values);
  if (notListed === undefined) return undefined;
  // The row that is there in its place is not Loom's: only the file and the folder go.
  takeFileBack(world, file, sha256(bytes));
  world.removeFolder(folder);
  return failed(notListed);
}

/** A program has the session open, or has gone on with it in a file of its own. */
function isInUse(world: World, signs: readonly string[]): boolean {
  return signs.some((sign) => world.list(path.dirname(sign)).includes(path.basename(sign)));
}

/** Once more when an earlier try has left it. */
function putAside(world: World, bytes: Uint8Array, folder: string): string | undefined {
  removeAside(world, folder, sha256(bytes));
  return world.writeNew(asideFolder(folder), asideOf(folder, sha256(bytes)), bytes, 0o600);
}

/** The bytes are the thread's: nothing has to be taken back any more. */
export function keep(world: World, change: Change, folder: string): void {
  if (change.kind === 'append') removeAside(world, folder, sha256(change.bytes));
}

export type TakenBack = 'nothing' | 'removed' | 'goneOnWith';

/** May be done any number of times. Throws when there is a file that cannot be read. */
export function takeBack(world: World, { path: file, sha256: hash, offset, beside }: Intent, folder: string): TakenBack {
  if (beside !== undefined) return takeBackWith(world, file, hash, beside);
  if (offset === 0) return takeFileBack(world, file, hash);
  const aside = world.read(asideOf(folder, hash));
  const whole = aside !== undefined && sha256(aside) === hash ? aside : undefined;
  const isOwn = (end: Uint8Array): boolean =>
    sha256(end) === hash ||
    (whole !== undefined && end.length < whole.length && Buffer.compare(whole.subarray(0, end.length), end) === 0);
  const taken = world.cutBack(file, offset, isOwn);
  removeAside(world, folder, hash);
  return taken;
}

/** The row first: the harness shows no session whose file is gone. */
function takeBackWith(world: World, file: string, hash: string, { folder, row, signs }: Beside): TakenBack {
  const bytes = world.read(file);
  const isOwn = bytes === undefined || sha256(bytes) === hash || isTornCopy(world, bytes, world.unfinished(file), hash);
  if (!isOwn || isInUse(world, signs)) return 'goneOnWith';
  world.removeRow(row);
  const taken = takeFileBack(world, file, hash);
  world.removeFolder(folder);
  return taken;
}

/** Only what is byte for byte Loom's own is removed: with anything else the target has gone on, and it stays. */
function takeFileBack(world: World, file: string, hash: string): TakenBack {
  const bytes = world.read(file);
  const unfinished = world.unfinished(file);
  const isOwn = bytes !== undefined && (sha256(bytes) === hash || isTornCopy(world, bytes, unfinished, hash));
  if (isOwn) world.remove(file);
  // Last: by them a torn copy is known for what it is.
  for (const rest of unfinished) world.remove(rest);
  return bytes === undefined ? 'nothing' : isOwn ? 'removed' : 'goneOnWith';
}

/** Where files cannot be linked they are copied, and a killed copy is a beginning of the whole file that is still beside it. */
function isTornCopy(world: World, bytes: Uint8Array, unfinished: readonly string[], hash: string): boolean {
  return unfinished.some((file) => {
    const whole = world.read(file);
    if (whole === undefined || whole.length <= bytes.length || sha256(whole) !== hash) return false;
    return Buffer.compare(whole.subarray(0, bytes.length), bytes) === 0;
  });
}

function removeAside(world: World, folder: string, hash: string): void {
  const aside = asideOf(folder, hash);
  world.remove(aside);
  for (const rest of world.unfinished(aside)) world.remove(rest);
}

/** Of hand-overs that are over: a kill may have left theirs. */
export function removeAsides(world: World, folder: string): void {
  const asides = asideFolder(folder);
  for (const name of world.list(asides)) world.remove(path.join(asides, name));
}

function asideFolder(folder: string): string {
  return path.join(folder, 'appends');
}
function asideOf(folder: string, hash: string): string {
  return path.join(asideFolder(folder), hash);
}

function failed(refusal: string | undefined): NotMade | undefined {
  return refusal === undefined ? undefined : { kind: 'failed', detail: refusal };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

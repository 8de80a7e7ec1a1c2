/**
 * Bytes behind the end of another program's file, and their taking back. The file must be the very one that was looked at before, of the
 * same size and time; what stands in it is never written over. The flag that makes the system append is set, so that a program that
 * writes at the same moment loses nothing: then its bytes and ours stand one behind the other, and that is told.
 */
import * as fs from 'node:fs';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { factsOf, unchanged } from '../../shuttles/kit/file-facts.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';

export type NotAppended = { readonly kind: 'changed' | 'failed'; readonly detail: string };
/** The calls that change something, as a port: a full disk cannot be had at will. */
export interface AppendDisk extends Pick<typeof fs, 'fsyncSync' | 'ftruncateSync'> {
  /** Bytes that were written, at the file's end. */
  readonly write: (descriptor: number, bytes: Uint8Array, offset: number, length: number) => number;
}
const realDisk: AppendDisk = {
  fsyncSync: fs.fsyncSync,
  ftruncateSync: fs.ftruncateSync,
  write: (descriptor, bytes, offset, length) => fs.writeSync(descriptor, bytes, offset, length),
};

const { O_RDWR, O_APPEND } = fs.constants;
/** Windows has neither. */
const safe = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** undefined: they are there, durably. */
export function append(
  root: string,
  file: string,
  before: FileFacts,
  bytes: Uint8Array,
  disk: AppendDisk = realDisk,
): NotAppended | undefined {
  let descriptor: number | undefined;
  try {
    const real = fs.realpathSync.native(file);
    if (!isBelow(real, fs.realpathSync.native(root))) return failed(`${file} leads out of ${root}`);
    if (!fs.lstatSync(real).isFile()) return failed(`${file} is no regular file`);
    descriptor = fs.openSync(real, O_RDWR | O_APPEND | safe);
    const stats = fs.fstatSync(descriptor, { bigint: true });
    if (!unchanged(before, factsOf(stats))) return { kind: 'changed', detail: `${file} was written to or replaced` };
    for (let at = 0; at < bytes.length;) at += disk.write(descriptor, bytes, at, bytes.length - at);
    disk.fsyncSync(descriptor);
    if (Buffer.compare(between(descriptor, before.size, bytes.length), bytes) === 0) return undefined;
    return { kind: 'changed', detail: `${file} was written to by another program at the same moment` };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return failed(`${file}: ${code}`);
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Ends the file at `offset` when what stands behind that is `isOwn`. */
export function cutBack(
  file: string,
  offset: number,
  isOwn: (end: Uint8Array) => boolean,
  disk: AppendDisk = realDisk,
): 'nothing' | 'removed' | 'goneOnWith' {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, O_RDWR | safe);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'nothing';
    throw error;
  }
  try {
    const size = fs.fstatSync(descriptor).size;
    if (size <= offset) return 'nothing';
    if (!isOwn(between(descriptor, offset, size - offset))) return 'goneOnWith';
    // What was written meanwhile would go with it.
    if (fs.fstatSync(descriptor).size !== size) return 'goneOnWith';
    disk.ftruncateSync(descriptor, offset);
    disk.fsyncSync(descriptor);
    return 'removed';
  } finally {
    fs.closeSync(descriptor);
  }
}

function between(descriptor: number, from: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const read = fs.readSync(descriptor, bytes, at, length - at, from + at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}

function failed(detail: string): NotAppended {
  return { kind: 'failed', detail };
}

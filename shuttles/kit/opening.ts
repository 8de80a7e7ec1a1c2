/**
 * Opening a file that other programs own: only regular files, only below the root after all links are followed, never a
 * pipe, device or folder, and never in a way that could block or write. The root itself may be a link.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from './error-code.ts';
import { factsOf, type FileFacts } from './file-facts.ts';

export interface Refusal {
  /** `absent`: it is gone, which is normal. `refused`: not what may be opened. `unreadable`: the system does not let us. */
  readonly kind: 'absent' | 'refused' | 'unreadable';
  /** One line, with the path. */
  readonly detail: string;
}

export type Opened =
  | { readonly ok: true; readonly descriptor: number; readonly facts: FileFacts }
  | { readonly ok: false; readonly refusal: Refusal };

// A pipe put in the file's place must not block the reader, nor a link lead it away. Windows has neither flag.
const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** The caller closes the descriptor. Never throws for what a file system can do. */
export function openBelow(file: string, root: string): Opened {
  let descriptor: number | undefined;
  try {
    const real = fs.realpathSync.native(file);
    if (!isBelow(real, fs.realpathSync.native(root))) return refuse('refused', `${file} leads out of ${root}`);
    const seen = fs.lstatSync(real, { bigint: true });
    if (!seen.isFile()) return refuse('refused', `${file} is no regular file`);
    descriptor = fs.openSync(real, flags);
    const held = fs.fstatSync(descriptor, { bigint: true });
    if (!held.isFile() || held.ino !== seen.ino || held.dev !== seen.dev) {
      fs.closeSync(descriptor);
      return refuse('refused', `${file} was replaced while it was being opened`);
    }
    return { ok: true, descriptor, facts: factsOf(held) };
  } catch (error) {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return refuse('absent', `${file} is gone`);
    return refuse(code === 'ELOOP' ? 'refused' : 'unreadable', `${file}: ${code}`);
  }
}

/** Both paths are real paths of this platform. */
export function isBelow(file: string, root: string): boolean {
  const relative = path.relative(root, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function refuse(kind: Refusal['kind'], detail: string): Opened {
  return { ok: false, refusal: { kind, detail } };
}

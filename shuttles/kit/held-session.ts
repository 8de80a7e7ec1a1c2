/** How a session that is held in a container (contract/container.ts) is known: by a path of its own, and by the first of its records. */
import { createHash } from 'node:crypto';
import type { NativeRecord } from '../contract/read.ts';

const separator = '#';

/** The path by which a session of a container is known. */
export function heldPath(file: string, name: string): string {
  return `${file}${separator}${encodeURIComponent(name)}`;
}

/** How the paths of all sessions of a container begin. */
export function heldPrefix(file: string): string {
  return `${file}${separator}`;
}

/** Back from `heldPath`. Undefined: it is the path of a file. A file's own name may hold the separator, a session's encoded one does not. */
export function partsOfHeld(held: string): { readonly file: string; readonly name: string } | undefined {
  const end = held.lastIndexOf(separator);
  if (end < 0) return undefined;
  try {
    return { file: held.slice(0, end), name: decodeURIComponent(held.slice(end + 1)) };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Changes when what was read before is no longer the same. `head`: the session's first records; '' when there is none. */
export function heldFingerprint(head: readonly NativeRecord[], generation: string): string {
  // What tells of the session as a whole changes while its records stay as they are.
  const first = head.find(({ length }) => length > 0);
  if (first === undefined) return '';
  return createHash('sha256')
    .update(JSON.stringify([first, generation]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * The session files below a root, by listing alone: links are neither followed nor given, so that no file is found twice
 * or outside of the root; what is no regular file is passed over; a folder that cannot be read is reported and the rest
 * is read. Bounded in depth by the root and in number by a limit.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SessionRoot } from '../contract/shuttle.ts';
import { errorCode } from './error-code.ts';
import { factsOf, type FileFacts } from './file-facts.ts';

export interface FoundFile extends FileFacts {
  readonly path: string;
  /** Below the root, with `/` between its parts on every platform. */
  readonly relative: string;
}
export interface Walked {
  readonly files: readonly FoundFile[];
  /** Folders (or files) that the system does not let us see. */
  readonly unreadable: readonly { readonly path: string; readonly code: string }[];
  /** The limit was reached: there is more than was looked at. */
  readonly truncated: boolean;
}

/** More names than any person's sessions have; protects against a root that is by mistake a whole disk. */
const mostNames = 2_000_000;

/** A root that does not exist has no files. Never throws for what a file system can do. */
export function walk(root: SessionRoot, limit = mostNames): Walked {
  const files: FoundFile[] = [];
  const unreadable: { path: string; code: string }[] = [];
  const folders: { readonly relative: string; readonly depth: number }[] = [{ relative: '', depth: 0 }];
  let names = 0;

  /** Runs what may fail; what is gone by now was never there. */
  const attempt = <T>(where: string, action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (code !== 'ENOENT') unreadable.push({ path: where, code });
      return undefined;
    }
  };

  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { relative, depth } = folder;
    const here = path.resolve(root.path, relative);
    for (const name of attempt(here, () => fs.readdirSync(here, { withFileTypes: true })) ?? []) {
      if (++names > limit) return { files, unreadable, truncated: true };
      const inner = relative === '' ? name.name : `${relative}/${name.name}`;
      const full = here + path.sep + name.name;
      // Some network file systems do not tell the type in a listing.
      const untold = !name.isFile() && !name.isDirectory() && !isOther(name);
      const type = untold ? attempt(full, () => fs.lstatSync(full)) : name;
      if (type?.isDirectory() === true) {
        if (depth < root.depth && (root.enters?.(inner) ?? true)) folders.push({ relative: inner, depth: depth + 1 });
      } else if (type?.isFile() === true && root.matches(inner)) {
        const stats = attempt(full, () => fs.lstatSync(full, { bigint: true }));
        if (stats?.isFile() === true) files.push({ path: full, relative: inner, ...factsOf(stats) });
      }
    }
  }
  return { files, unreadable, truncated: false };
}

function isOther(entry: fs.Dirent): boolean {
  return entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

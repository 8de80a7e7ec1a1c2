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
import { readLevel } from './folder-level.ts';
import type { FolderPlace } from './folder-level.ts';

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
export const mostNames = 2_000_000;

/** A root that does not exist has no files. Never throws for what a file system can do. */
export function walk(root: SessionRoot, limit = mostNames): Walked {
  const files: FoundFile[] = [];
  const unreadable: { path: string; code: string }[] = [];
  const folders: FolderPlace[] = [{ relative: '', depth: 0 }];
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
    const place = folder;
    const level = attempt(path.resolve(root.path, place.relative), () => readLevel(root, place, limit - names));
    if (level === undefined) continue;
    names += level.names;
    folders.push(...level.folders);
    for (const { path: full, relative } of level.files) {
      const stats = attempt(full, () => fs.lstatSync(full, { bigint: true }));
      if (stats?.isFile() === true) files.push({ path: full, relative, ...factsOf(stats) });
    }
    if (names > limit) return { files, unreadable, truncated: true };
  }
  return { files, unreadable, truncated: false };
}

/**
 * What lies directly in one folder below a root: its session files by name, and the folders in which there may be more. Links are
 * neither followed nor given, and what is no regular file is passed over.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SessionRoot } from '../contract/shuttle.ts';
import { errorCode } from './error-code.ts';

export interface FolderPlace {
  /** Below the root, with `/` between its parts on every platform; '' is the root itself. */
  readonly relative: string;
  readonly depth: number;
}
export interface FolderLevel {
  readonly files: readonly { readonly path: string; readonly relative: string }[];
  readonly folders: readonly (FolderPlace & { readonly name: string })[];
  /** Names of any kind that are there. */
  readonly names: number;
}

/** Looks at no more than `most` names. Throws what the system answers when the folder cannot be listed. */
export function readLevel(root: SessionRoot, { relative, depth }: FolderPlace, most = Number.MAX_SAFE_INTEGER): FolderLevel {
  const here = path.resolve(root.path, relative);
  const files: { path: string; relative: string }[] = [];
  const folders: (FolderPlace & { name: string })[] = [];
  const names = fs.readdirSync(here, { withFileTypes: true });
  for (const entry of names.slice(0, most)) {
    const { name } = entry;
    const type = typeOf(entry, here);
    const inner = relative === '' ? name : `${relative}/${name}`;
    if (type?.isDirectory() === true) {
      if (depth < root.depth && (root.enters?.(inner) ?? true)) folders.push({ relative: inner, depth: depth + 1, name });
    } else if (type?.isFile() === true && root.matches(inner)) files.push({ path: here + path.sep + name, relative: inner });
  }
  return { files, folders, names: names.length };
}

/** Some network file systems do not tell the type in a listing. */
function typeOf(entry: fs.Dirent, here: string): Pick<fs.Dirent, 'isFile' | 'isDirectory'> | undefined {
  if (entry.isFile() || entry.isDirectory() || isOther(entry)) return entry;
  try {
    return fs.lstatSync(here + path.sep + entry.name);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function isOther(entry: fs.Dirent): boolean {
  return entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

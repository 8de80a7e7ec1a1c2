/** The real file system for hand-overs (see `World` in server/drive). */
import fs from 'node:fs';
import path from 'node:path';
import type { World } from '../drive/world.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { append, cutBack } from './append.ts';
import { isUnfinished, makeFolder, writeNew } from './files.ts';
import { putRow, removeRow } from './index-row.ts';

export const world: World = {
  writeNew: (root, file, bytes, mode) => {
    const written = writeNew({ root, path: file, bytes, mode });
    return written.ok ? undefined : written.detail;
  },
  append: (root, file, before, bytes) => append(root, file, before, bytes),
  cutBack: (file, offset, isOwn) => cutBack(file, offset, isOwn),
  read: (file) => {
    try {
      return fs.readFileSync(file);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
      throw error;
    }
  },
  list: names,
  remove: (file) => fs.rmSync(file, { force: true }),
  unfinished: (place) => {
    const folder = path.dirname(place);
    return names(folder)
      .filter((name) => isUnfinished(name, path.basename(place)))
      .map((name) => path.join(folder, name));
  },
  makeFolder: (root, folder) => {
    const made = makeFolder(root, folder);
    return made.ok ? undefined : made.detail;
  },
  removeFolder: (folder) => {
    try {
      fs.rmdirSync(folder);
    } catch (error) {
      // What is in it is not Loom's.
      if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    }
  },
  putRow,
  removeRow,
  realFolder: (folder) => {
    try {
      const real = fs.realpathSync.native(folder);
      return fs.statSync(real).isDirectory() ? real : undefined;
    } catch (error) {
      // A path out of a session file may be one that no system has.
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  },
};

function names(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) !== undefined) return [];
    throw error;
  }
}

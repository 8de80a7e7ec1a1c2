/** The real file system for hand-overs (see `World` in server/drive). */
import fs from 'node:fs';
import type { World } from '../drive/continue.ts';
import { writeNew } from './files.ts';

export const world: World = {
  writeNew: (root, path, bytes, mode) => {
    const written = writeNew({ root, path, bytes, mode });
    return written.ok ? undefined : written.detail;
  },
  remove: (path) => fs.rmSync(path, { force: true }),
  realFolder: (path) => {
    try {
      const real = fs.realpathSync.native(path);
      return fs.statSync(real).isDirectory() ? real : undefined;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  },
};

/**
 * Can a folder's own times be trusted to change whenever a file comes, goes or is renamed in it? On file systems of this machine they do; those
 * of a network may show old ones for a while, and on Windows the bookkeeping of git that relies on them is not sure.
 */
import fs from 'node:fs';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { networkFolder } from './network-folder.ts';

/** Numbers of linux/magic.h and of the file systems' own headers: ext, Btrfs, XFS, tmpfs, overlay, F2FS, ZFS, bcachefs. */
const localTypes = new Set([0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]);

export function hasTrueTimes(folder: string, platform: Environment['platform']): boolean {
  switch (platform) {
    case 'win32':
      return false;
    case 'darwin':
      return networkFolder(folder, platform) === undefined;
    case 'linux':
      try {
        return localTypes.has(fs.statfsSync(folder).type >>> 0);
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return false;
      }
  }
}

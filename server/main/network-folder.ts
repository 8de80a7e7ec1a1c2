/**
 * Is a folder on a network file system? There SQLite's locks and its shared index do not hold between computers. Linux tells the type of
 * a file system as a number, and for those of user space as a name in the list of mounts; macOS tells it by `mount`; Windows by the form
 * of the real path.
 */
import fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';

export interface FileSystemFacts {
  readonly platform: Environment['platform'];
  /** The folder with its links followed; on Windows a mapped drive becomes the share's own name. */
  readonly real: string;
  /** `statfs.f_type`. */
  readonly type: number | undefined;
  /** /proc/self/mounts on Linux, the output of `mount` on macOS. */
  readonly mounts: () => string;
}

/** Numbers of linux/magic.h and of the file systems' own headers. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'a folder shared by VirtualBox'],
]);
const fuse = 0x65735546;
const networkNames =
  /^(?:fuse\.)?(sshfs|rclone|glusterfs|s3fs|gcsfuse|goofys|davfs2?|webdav|ceph|nfs4?|smbfs|cifs|afpfs|ftp|curlftpfs|juicefs|macfuse|osxfuse|9p)$/;

/** In words; undefined: it is local, or that cannot be told. */
export function networkOf({ platform, real, type, mounts }: FileSystemFacts): string | undefined {
  switch (platform) {
    case 'win32':
      return /^\\\\(?![.?]\\)|^\\\\\?\\UNC\\/iu.test(real) ? 'a network share' : undefined;
    case 'darwin':
      return named(mountOf(real, [...mounts().matchAll(/^.+? on (?<at>\/.*?) \((?<kind>\w+)/gmu)]));
    case 'linux': {
      // 32 bits that some systems give with a sign.
      const known = type === undefined ? undefined : type >>> 0;
      if (known !== fuse) return known === undefined ? undefined : networkTypes.get(known);
      return named(mountOf(real, [...mounts().matchAll(/^\S+ (?<at>\S+) (?<kind>\S+) /gmu)]));
    }
  }
}

/** Kind of the innermost mount that holds the path. */
function mountOf(real: string, mounts: readonly RegExpMatchArray[]): string | undefined {
  let best: { readonly at: string; readonly kind: string } | undefined;
  for (const { groups } of mounts) {
    // Linux writes a blank and its like as an octal number.
    const at = (groups?.['at'] ?? '').replace(/\\(\d{3})/gu, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    const holds = at === '/' || real === at || real.startsWith(`${at}/`);
    if (holds && at.length >= (best?.at.length ?? 0)) best = { at, kind: groups?.['kind'] ?? '' };
  }
  return best?.kind;
}

function named(kind: string | undefined): string | undefined {
  return kind !== undefined && networkNames.test(kind) ? kind.replace(/^fuse\./u, '') : undefined;
}

/** Of this machine. undefined also when the folder is not there. */
export function networkFolder(folder: string, platform: Environment['platform']): string | undefined {
  try {
    const real = fs.realpathSync.native(folder);
    const type = platform === 'linux' ? fs.statfsSync(real).type : undefined;
    return networkOf({ platform, real, type, mounts: () => mountsOf(platform) });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function mountsOf(platform: Environment['platform']): string {
  if (platform === 'darwin') return spawnSync('/sbin/mount', [], { encoding: 'utf8', timeout: 2000 }).stdout ?? '';
  return fs.readFileSync('/proc/self/mounts', 'utf8');
}

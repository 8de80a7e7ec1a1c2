import os from 'node:os';
import { expect, test } from 'vitest';
import { environmentOf } from './environment.ts';
import { networkFolder, networkOf } from './network-folder.ts';

const here = environmentOf(undefined, {}, process.platform).platform;
const linux = (type: number | undefined, mounts = '', real = '/home/user/.local/share/loom'): string | undefined =>
  networkOf({ platform: 'linux', real, type, mounts: () => mounts });

test('Linux names network file systems by their numbers, whatever their sign', () => {
  expect(linux(0x6969)).toBe('NFS');
  expect(linux(0xff534d42)).toBe('CIFS');
  expect(linux(0xff534d42 | 0)).toBe('CIFS');
  expect(linux(0xfe534d42)).toBe('SMB');
  expect(linux(0x01021997)).toBe('9P');
  // ext4, btrfs, xfs, tmpfs, overlay.
  for (const local of [0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, undefined]) expect(linux(local)).toBeUndefined();
});

test('of file systems in user space the innermost mount counts', () => {
  const mounts = [
    '/dev/sda1 / ext4 rw 0 0',
    'user@host:/ /home/user/far\\040away fuse.sshfs rw 0 0',
    '/dev/sdb1 /home/user/stick fuseblk rw 0 0',
    'user@host:/ /home/user/far\\040away/near fuse.encfs rw 0 0',
  ].join('\n');
  expect(linux(0x65735546, mounts, '/home/user/far away/loom')).toBe('sshfs');
  expect(linux(0x65735546, mounts, '/home/user/far away/near/loom')).toBeUndefined();
  expect(linux(0x65735546, mounts, '/home/user/stick/loom')).toBeUndefined();
});

test('macOS tells by its list of mounts, Windows by the real name of the share', () => {
  const mounts =
    '/dev/disk3s1s1 on / (apfs, sealed, local)\n//user@nas/home on /Volumes/My home (smbfs, nodev, mounted by user)\n';
  const mac = (real: string): string | undefined => networkOf({ platform: 'darwin', real, type: 26, mounts: () => mounts });
  expect(mac('/Volumes/My home/loom')).toBe('smbfs');
  expect(mac('/Users/user/Library/Application Support/Loom')).toBeUndefined();
  const windows = (real: string): string | undefined => networkOf({ platform: 'win32', real, type: undefined, mounts: () => '' });
  expect(windows('\\\\nas\\home\\loom')).toBe('a network share');
  expect(windows('\\\\?\\UNC\\nas\\home')).toBe('a network share');
  expect(windows('\\\\?\\C:\\loom')).toBeUndefined();
  expect(windows('C:\\loom')).toBeUndefined();
});

test('a folder for temporary files of this machine is local, and one that is not there cannot be told', () => {
  expect(networkFolder(os.tmpdir(), here)).toBeUndefined();
  expect(networkFolder('/home/user/not/there', here)).toBeUndefined();
});

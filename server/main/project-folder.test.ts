import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { diskFolders, folderKey, ProjectFolders } from './project-folder.ts';
import type { FolderPort } from './project-folder.ts';

/** Nothing is there. */
const empty: FolderPort = { real: () => undefined, isSame: () => false };

/** A volume that finds its folders under any case, and resolves `/tmp` to `/private/tmp`. */
function mac(...folders: readonly string[]): FolderPort {
  const find = (at: string): string | undefined => {
    const way = at.replace(/^\/(?:tmp|var)(?=\/|$)/u, (link) => `/private${link}`);
    return ['/', ...folders].find((folder) => folder.toLowerCase() === way.toLowerCase());
  };
  return { real: find, isSame: (a, b) => find(a) !== undefined && find(a) === find(b) };
}

test('on Windows a folder is one, however its drive, case, slashes and prefix are written', () => {
  const key = (cwd: string): string => folderKey(cwd, 'win32', empty);
  const spellings = [
    'C:\\Users\\dev\\harbor-app',
    'c:\\Users\\dev\\harbor-app',
    'C:/Users/dev/harbor-app',
    '\\\\?\\C:\\Users\\Dev\\harbor-app',
    'C:\\Users\\dev\\Harbor-App\\',
    'c:/users/dev/x/../harbor-app',
  ];
  expect(new Set(spellings.map(key)).size).toBe(1);
  expect(key('\\\\?\\UNC\\Server\\share\\shop')).toBe(key('//server/share/shop'));
  expect(key('C:\\')).toBe('c:\\');
  expect(key('D:\\Users\\dev\\harbor-app')).not.toBe(key(spellings[0] ?? ''));
  expect(key('C:\\Users\\dev\\harbor-app2')).not.toBe(key(spellings[0] ?? ''));
  const asked: string[] = [];
  folderKey('\\\\server\\share\\shop', 'win32', { real: (at) => void asked.push(at), isSame: () => false });
  expect(asked).toEqual([]);
  // A folder as WSL sees it stands beside it.
  expect(key('/mnt/c/Users/dev/harbor-app')).toBe('/mnt/c/Users/dev/harbor-app');
});

test('on a system that tells cases apart each spelling is a folder of its own', () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-case-')));
  for (const name of ['shop', 'Shop']) fs.mkdirSync(path.join(folder, name), { recursive: true });
  const key = (cwd: string): string => folderKey(cwd, 'linux', diskFolders);
  const tellsApart = fs.readdirSync(folder).length === 2;
  expect(key(path.join(folder, 'shop')) === key(path.join(folder, 'Shop'))).toBe(!tellsApart);
  expect(folderKey('/srv/demo/Shop', 'linux', empty)).not.toBe(folderKey('/srv/demo/shop', 'linux', empty));
  expect(folderKey('C:\\Users\\dev\\harbor-app', 'linux', empty)).toBe('C:\\Users\\dev\\harbor-app');
  for (const odd of ['', '.', '/srv/a\0b', 'relative/shop', '~'])
    for (const platform of ['linux', 'darwin', 'win32'] as const) expect(folderKey(odd, platform, diskFolders)).toBe(odd);
  fs.rmSync(folder, { recursive: true });
});

test('on a macOS volume that ignores case, spellings and ways through /private are one folder, also when it is gone', () => {
  const port = mac('/Users/ada/Shop', '/Users/ada', '/private/tmp', '/private/tmp/shop');
  const key = (cwd: string): string => folderKey(cwd, 'darwin', port);
  expect(key('/users/ada/shop')).toBe(key('/Users/ada/Shop/'));
  expect(key('/tmp/shop')).toBe(key('/private/tmp/Shop'));
  expect(key('/tmp/gone/deep')).toBe(key('/private/tmp/Gone/Deep'));
  expect(key('/Users/ada/Caf\u00E9')).toBe(key('/Users/ada/Cafe\u0301'));
  expect(key('/Users/ada/Shop2')).not.toBe(key('/Users/ada/Shop'));
});

test('a folder that was opened through a link is the folder it leads to, and stays so when it is removed', () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-link-')));
  fs.mkdirSync(path.join(folder, 'real', 'shop'), { recursive: true });
  fs.symlinkSync(path.join(folder, 'real'), path.join(folder, 'link'));
  fs.symlinkSync('loop', path.join(folder, 'loop'));
  const key = (...parts: readonly string[]): string => folderKey(path.join(folder, ...parts), 'linux', diskFolders);
  expect(key('link', 'shop')).toBe(key('real', 'shop'));
  fs.rmdirSync(path.join(folder, 'real', 'shop'));
  expect(key('link', 'shop')).toBe(path.join(folder, 'real', 'shop'));
  expect(key('loop', 'shop')).toBe(path.join(folder, 'loop', 'shop'));
  fs.rmSync(folder, { recursive: true });
});

test('a folder is asked about once in half a minute', () => {
  let asked = 0;
  let now = 0;
  const port: FolderPort = {
    real: (at) => {
      asked++;
      return at;
    },
    isSame: () => false,
  };
  const folders = new ProjectFolders('linux', port, () => now);
  for (let i = 0; i < 100; i++) folders.keyOf('/home/user/shop');
  expect(asked).toBe(1);
  now = 31_000;
  expect(folders.same('/home/user/shop', ['/home/user/shop', '/home/user/other'])).toEqual(['/home/user/shop']);
  expect(asked).toBe(3);
});

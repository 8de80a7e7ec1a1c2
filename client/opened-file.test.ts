import * as path from 'node:path';
import { expect, test } from 'vitest';
import { pathsToTry } from './opened-file.ts';

const posix = (named: string): readonly string[] =>
  pathsToTry(named, ['/home/user/shop', '', '/home/user/other'], ['/home/user/shop'], 'posix', (folder, name) =>
    path.posix.join(folder, name),
  );
const windows = (named: string): readonly string[] =>
  pathsToTry(named, ['C:\\shop', '\\\\team\\shop'], ['\\\\team\\shop'], 'windows', (folder, name) =>
    path.win32.join(folder, name),
  );

test('a relative name is looked for in the folder of the thread, then in the workspace', () => {
  expect(posix('src/a.ts')).toEqual(['/home/user/shop/src/a.ts', '/home/user/other/src/a.ts']);
});

test('a name is a path and never an address', () => {
  expect(posix('command:workbench.action.quit')).toEqual([
    '/home/user/shop/command:workbench.action.quit',
    '/home/user/other/command:workbench.action.quit',
  ]);
  expect(posix('file:///etc/passwd')).toEqual(['/home/user/shop/file:/etc/passwd', '/home/user/other/file:/etc/passwd']);
  expect(posix('a\0b')).toEqual([]);
  expect(posix('  ')).toEqual([]);
});

test('on Windows no server is asked for a file outside the workspace', () => {
  expect(windows('\\\\evil\\share\\a.ts')).toEqual([]);
  expect(windows('//evil/share/a.ts')).toEqual([]);
  expect(windows('\\\\?\\UNC\\evil\\share')).toEqual([]);
  expect(windows('\\\\team\\shop\\a.ts')).toEqual(['\\\\team\\shop\\a.ts']);
  expect(windows('src\\a.ts')).toEqual(['C:\\shop\\src\\a.ts', '\\\\team\\shop\\src\\a.ts']);
  expect(windows('..\\..\\..\\..\\a.ts')).toEqual(['C:\\a.ts', '\\\\team\\shop\\a.ts']);
});

import { expect, test } from 'vitest';
import { isInWorkspace, isThreadInWorkspace } from './workspace-scope.ts';

test('a folder below the workspace belongs to it, a folder with a longer name does not', () => {
  const inShop = (cwd: string): boolean => isInWorkspace(cwd, ['/home/user/shop/'], 'posix');
  expect(['/home/user/shop', '/home/user/shop/web', '/home/user/shop-two', '/home/user', ''].map(inShop)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(isInWorkspace('/etc', ['/'], 'posix')).toBe(true);
});

test('on Windows neither case nor separator nor the drive letter tells folders apart', () => {
  expect(isInWorkspace('c:\\Users\\Ada\\Shop\\web', ['C:/users/ada/shop'], 'windows')).toBe(true);
  expect(isInWorkspace('D:\\shop', ['C:\\shop'], 'windows')).toBe(false);
  expect(isInWorkspace('/Home/User/shop', ['/home/user/shop'], 'posix')).toBe(false);
});

test('a thread whose folder was opened through a link, or is spelled in another case, belongs to the workspace', () => {
  expect(isThreadInWorkspace('/link/shop', '/real/shop', ['/real/shop'], 'posix')).toBe(true);
  expect(isThreadInWorkspace('/link/shop', '/real/shop', ['/real/other'], 'posix')).toBe(false);
  expect(isThreadInWorkspace('/Users/Ada/shop', '/users/ada/shop', ['/users/ada/Shop'], 'posix')).toBe(true);
  expect(isThreadInWorkspace('/home/user/Shop', undefined, ['/home/user/shop'], 'posix')).toBe(false);
  expect(isThreadInWorkspace('/home/user/link', '/home/user/shop', ['/home/user/Shop'], 'posix')).toBe(false);
});

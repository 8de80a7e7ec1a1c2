import { expect, test } from 'vitest';
import { isInWorkspace } from './workspace-scope.ts';

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

/** The folder that the program looks in: by its list, by markers, by a new name that nobody has, and beside older sessions. */
import { expect, test } from 'vitest';
import type { Sidecars } from '../../contract/read.ts';
import type { Environment } from '../../contract/shuttle.ts';
import { projectFolder, projectHash } from './project.ts';

const linux: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const cwd = '/home/user/My Shop';
const below = '/home/user/.gemini';

function beside(files: Readonly<Record<string, string>>, separator = '/'): Sidecars {
  return {
    text: (path) => files[path],
    list: (folder) => [
      ...new Set(
        Object.keys(files).flatMap((path) =>
          path.startsWith(folder + separator) ? [path.slice(folder.length + 1).split(separator)[0] ?? ''] : [],
        ),
      ),
    ],
  };
}
const folder = (files: Readonly<Record<string, string>>): string => projectFolder(cwd, linux, beside(files)).slice(below.length);
const list = (projects: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  [`${below}/projects.json`]: JSON.stringify({ projects }),
});

test('a project that the program does not know is named after the last part of its path', () => {
  expect(folder({})).toBe('/tmp/my-shop');
  expect(projectFolder(cwd, linux, undefined)).toBe(`${below}/tmp/my-shop`);
  expect(projectFolder('/', linux, undefined)).toBe(`${below}/tmp/project`);
  expect(projectFolder('/home/user/--Ünï--', linux, undefined)).toBe(`${below}/tmp/n`);
});

test('the program’s list counts, as long as the folder’s marker does not name another project', () => {
  expect(folder(list({ [cwd]: 'elsewhere' }))).toBe('/tmp/elsewhere');
  expect(folder({ ...list({ [cwd]: 'elsewhere' }), [`${below}/tmp/elsewhere/.project_root`]: cwd })).toBe('/tmp/elsewhere');
  expect(folder({ ...list({ [cwd]: 'elsewhere' }), [`${below}/history/elsewhere/.project_root`]: '/other' })).toBe(
    '/tmp/my-shop',
  );
  expect(folder(list({ [cwd]: '../../x' }))).toBe('/tmp/my-shop');
  expect(folder({ [`${below}/projects.json`]: '{"projects": 7' })).toBe('/tmp/my-shop');
});

test('without the list a marker counts, and a name that somebody has is not taken', () => {
  expect(folder({ [`${below}/tmp/old-name/.project_root`]: `${cwd}\n` })).toBe('/tmp/old-name');
  expect(folder({ [`${below}/tmp/my-shop/.project_root`]: '/other' })).toBe('/tmp/my-shop-1');
  expect(folder({ ...list({ '/other': 'my-shop', '/another': 'my-shop-1' }) })).toBe('/tmp/my-shop-2');
});

test('while older sessions are still to be taken over, a new one goes beside them', () => {
  const older = `${below}/tmp/${projectHash(cwd)}/chats/session-x.json`;
  expect(folder({ [older]: '{}' })).toBe(`/tmp/${projectHash(cwd)}`);
  expect(folder({ [older]: '{}', [`${below}/tmp/my-shop/.project_root`]: cwd })).toBe(`/tmp/${projectHash(cwd)}`);
  expect(folder({ [older]: '{}', [`${below}/tmp/my-shop/chats/session-y.jsonl`]: '' })).toBe('/tmp/my-shop');
});

test('on Windows paths are compared without case', () => {
  const windows: Environment = { platform: 'win32', home: 'C:\\Users\\user', variables: {} };
  const files = { 'C:\\Users\\user\\.gemini\\projects.json': JSON.stringify({ projects: { 'c:\\work\\shop': 'work-shop' } }) };
  expect(projectFolder('C:\\Work\\Shop', windows, beside(files, '\\'))).toBe('C:\\Users\\user\\.gemini\\tmp\\work-shop');
  expect(projectFolder('C:\\Work\\Shop', windows, beside({}, '\\'))).toBe('C:\\Users\\user\\.gemini\\tmp\\shop');
});

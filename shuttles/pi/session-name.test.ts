import { expect, test } from 'vitest';
import { isSessionId, projectFolder, sessionFile } from './session-name.ts';

test('a file name of the usual form tells the session, another one tells nothing', () => {
  const id = '01a22a64-c81f-72c7-8bc5-d5d4c4c88d40';
  expect(sessionFile(`/home/user/.pi/agent/sessions/--a--/2026-11-30T02-59-37-632Z_${id}.jsonl`)).toEqual({
    folder: '--a--',
    stem: `2026-11-30T02-59-37-632Z_${id}`,
    id,
  });
  expect(sessionFile(`C:\\x\\--a--\\2026-11-30T02-59-37-632Z_my-own.name.jsonl`)).toMatchObject({
    folder: '--a--',
    id: 'my-own.name',
  });
  expect(sessionFile('/x/renamed.jsonl').id).toBeUndefined();
});

test('an id is nothing that could be an option, a path or a whole text', () => {
  expect(['01a22a64', 'a.b_c-d', 'A'].every(isSessionId)).toBe(true);
  expect(['', '-x', '--session', '../x', 'a/b', 'a b', '.x', 'x'.repeat(129)].some(isSessionId)).toBe(false);
});

test('the folder of a project is what pi makes of its path', () => {
  expect(projectFolder('/home/user/shop')).toBe('--home-user-shop--');
  expect(projectFolder('/home/user/shop/c:d')).toBe('--home-user-shop-c-d--');
  expect(projectFolder('/home/user/shop/.dot ü')).toBe('--home-user-shop-.dot ü--');
  expect(projectFolder('C:\\Users\\user')).toBe('--C--Users-user--');
  expect(projectFolder('/')).toBe('----');
});

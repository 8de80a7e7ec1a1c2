/** How Gemini CLI is started: arguments as they are, never a shell's words. */
import { expect, test } from 'vitest';
import { geminiLaunch } from './launch.ts';

const id = 'ec6ed4ea-67e1-4253-bb51-5470e999144e';

test('a session is resumed by its id in the project’s folder, with a prompt only where one is given', () => {
  expect(geminiLaunch.resume(id, '/home/user/shop')).toEqual({
    argv: ['gemini', '--resume', id],
    cwd: '/home/user/shop',
    env: {},
  });
  expect(geminiLaunch.resume(id, '/home/user/shop', 'Go $(on)').argv).toEqual([
    'gemini',
    '--resume',
    id,
    '--prompt-interactive',
    'Go $(on)',
  ]);
});

test('a new session begins with a prompt that may read the brief’s folder, and stays open', () => {
  const begin = 'absent' in geminiLaunch.begin ? undefined : geminiLaunch.begin;
  expect(begin?.({ prompt: 'Read /home/user/b/x.md', cwd: '/home/user/shop', reads: '/home/user/b' })).toEqual({
    argv: ['gemini', '--include-directories', '/home/user/b', '--prompt-interactive', 'Read /home/user/b/x.md'],
    cwd: '/home/user/shop',
    env: {},
  });
});

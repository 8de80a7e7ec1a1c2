/** How Antigravity's terminal program is started: exact arguments, never a prompt by itself, which it would ignore. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { antigravityLaunch } from './launch.ts';
import { antigravityShuttle } from './shuttle.ts';

const id = '00000000-0000-4000-8000-0000000000aa';
const cwd = '/home/user/shop';

test('a conversation is opened by its id, with a prompt behind its own option', () => {
  expect(antigravityLaunch.resume(id, cwd)).toEqual({ argv: ['agy', '--conversation', id], cwd, env: {} });
  expect(antigravityLaunch.resume(id, cwd, 'Go on').argv).toEqual(['agy', '--conversation', id, '-i', 'Go on']);
});

test('a brief begins a new conversation that may read the brief’s folder and stays open', () => {
  const begin = 'absent' in antigravityLaunch.begin ? undefined : antigravityLaunch.begin;
  expect(begin?.({ prompt: 'Read /home/user/b/x.md and go on.', cwd, reads: '/home/user/b' })).toEqual({
    argv: ['agy', '--add-dir', '/home/user/b', '-i', 'Read /home/user/b/x.md and go on.'],
    cwd,
    env: {},
  });
});

test('whatever the words are, each is one argument and none stands where an option would', () => {
  const begin = 'absent' in antigravityLaunch.begin ? undefined : antigravityLaunch.begin;
  fc.assert(
    fc.property(fc.string(), fc.string(), (prompt, reads) => {
      expect(begin?.({ prompt, cwd, reads }).argv).toEqual(['agy', '--add-dir', reads, '-i', prompt]);
    }),
    { seed: 5, numRuns: 100 },
  );
});

test('its conversations are only written when that is asked for, and never gone on with', () => {
  const { write } = antigravityShuttle;
  expect('absent' in write ? undefined : write).toMatchObject({
    onlyAsked: true,
    append: { absent: expect.stringContaining('does not change') as string },
  });
});

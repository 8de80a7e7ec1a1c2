import { expect, test } from 'vitest';
import { piLaunch } from './launch.ts';

test('pi is started on the file where it is known, else on the id, in the session’s folder', () => {
  const file = '/home/user/.pi/agent/sessions/--home-user-shop--/x.jsonl';
  expect(piLaunch.resume('01a2', '/home/user/shop', 'go on', file)).toEqual({
    argv: ['pi', '--session', file, 'go on'],
    cwd: '/home/user/shop',
    env: {},
  });
  expect(piLaunch.resume('01a2', '/home/user/shop').argv).toEqual(['pi', '--session', '01a2']);
});

test('a file of omp is never given to pi, which would refuse or overwrite it', () => {
  for (const file of ['/home/user/.omp/agent/sessions/-shop/x.jsonl', 'C:\\Users\\user\\.omp\\agent\\sessions\\-shop\\x.jsonl'])
    expect(piLaunch.resume('01a2', '/home/user/shop', undefined, file).argv).toEqual(['omp', '--session', file]);
});

import { expect, test } from 'vitest';
import { codexLaunch } from './launch.ts';

const id = '01a22a63-5268-72d2-9d6b-88a762a10057';

test('a thread is resumed by its id in its folder, and a prompt can never be taken for an option', () => {
  expect(codexLaunch.resume(id, '/home/user/shop')).toEqual({ argv: ['codex', 'resume', id], cwd: '/home/user/shop', env: {} });
  expect(codexLaunch.resume(id, '/home/user/shop', '-c evil').argv).toEqual(['codex', 'resume', id, '--', '-c evil']);
});

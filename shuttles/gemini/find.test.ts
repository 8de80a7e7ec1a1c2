/** Where sessions are looked for, whose they are, and in which folder they were held. */
import { expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import type { Sidecars } from '../contract/read.ts';
import { geminiFind } from './find.ts';
import { header, recordsFrom, said, sessionId, sessionPath } from './fixture-records.ts';
import { identify } from './read/identify.ts';
import { sidecarFacts } from './read/sidecar-facts.ts';

const beside = (files: Readonly<Record<string, string>>): Sidecars => ({
  text: (path) => files[path],
  list: (folder) =>
    Object.keys(files).flatMap((path) =>
      path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1).split('/')[0] ?? ''] : [],
    ),
});
const identity = { nativeId: sessionId, part: 'x', needs: [] };

test('sessions lie below the home on every platform', () => {
  const path = (platform: 'linux' | 'darwin' | 'win32', home: string): unknown =>
    geminiFind.roots({ platform, home, variables: {} }).map((root) => root.path);
  expect(path('linux', '/home/user')).toEqual(['/home/user/.gemini/tmp']);
  expect(path('darwin', '/Users/user')).toEqual(['/Users/user/.gemini/tmp']);
  expect(path('win32', 'C:\\Users\\user')).toEqual(['C:\\Users\\user\\.gemini\\tmp']);
});

test('sessions of every age and of subagents are found, remains of writes and other files are not', () => {
  const [root] = geminiFind.roots({ platform: 'linux', home: '/home/user', variables: {} });
  const found = [
    'shop/chats/session-2026-11-30T02-58-f8e9b9bb.jsonl',
    'shop/chats/session-2026-03-01T09-00-732a9fec.json',
    'shop/chats/6610945e-bea1-4c6a-8b6f-0ecadde55e5f/65697b71-47c6-49c5-9d37-ddc8c4903b5e.jsonl',
  ];
  const passed = [
    'shop/chats/session-2026-09-10T09-00-6610945e.jsonl.tmp-4242',
    'shop/chats/session-2026-09-10T09-00-6610945e.jsonl.unreadable-1789000000000',
    'shop/checkpoint-x.json',
    'shop/logs.json',
    'shop/chats/../session-x.jsonl',
    'oauth_creds.json',
  ];
  for (const name of found) expect(root?.matches(name), name).toBe(true);
  for (const name of passed) expect(root?.matches(name), name).toBe(false);
  expect(root?.enters?.('shop')).toBe(true);
  expect(root?.enters?.('shop/checkpoints')).toBe(false);
});

test('the full id of the header counts, and a subagent belongs to the session that its folder names', () => {
  const records = recordsFrom([header, said('user', 'u', 'Go.')]);
  expect(identify(sessionPath, records, beside({}))).toEqual({
    nativeId: sessionId,
    part: 'session-2026-09-10T09-00-ec6ed4ea',
    needs: [],
  });
  const chats = '/home/user/.gemini/tmp/shop/chats';
  const parent = `${chats}/session-2026-09-10T08-00-11111111.jsonl`;
  const child = identify(`${chats}/11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa/${sessionId}.jsonl`, records, beside({ [parent]: '' }));
  expect(child).toMatchObject({ childOf: { nativeId: '11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa' }, needs: [parent] });
});

test('an id that could be an option or a path is none', () => {
  for (const id of ['--resume', '../x', 'a/b', ''])
    expect(
      identify(sessionPath, recordsFrom([{ ...header, sessionId: id }, said('user', 'u', 'Go.')]), beside({})),
    ).toBeUndefined();
});

test('the folder comes from the project’s marker or the list of projects, also by the hash of older versions', () => {
  const facts = (path: string, files: Readonly<Record<string, string>>): unknown => sidecarFacts(identity, path, beside(files));
  const shop = { startCwd: '/home/user/shop', cwd: '/home/user/shop' };
  const projects = JSON.stringify({ projects: { '/home/user/shop': 'shop' } });
  expect(facts(sessionPath, { '/home/user/.gemini/tmp/shop/.project_root': '/home/user/shop\n' })).toEqual(shop);
  expect(facts(sessionPath, { '/home/user/.gemini/projects.json': projects })).toEqual(shop);
  const hashed = createHash('sha256').update('/home/user/shop').digest('hex');
  const old = `/home/user/.gemini/tmp/${hashed}/chats/session-2026-03-01T09-00-732a9fec.json#session`;
  expect(facts(old, { '/home/user/.gemini/projects.json': projects })).toEqual(shop);
  expect(facts(sessionPath, { '/home/user/.gemini/tmp/shop/.project_root': 'shop' })).toEqual({});
  const windows = 'C:\\Users\\user\\.gemini\\tmp\\shop\\chats\\session-2026-09-10T09-00-ec6ed4ea.jsonl';
  expect(facts(windows, { 'C:\\Users\\user\\.gemini\\tmp\\shop\\.project_root': 'C:\\shop' })).toEqual({
    startCwd: 'C:\\shop',
    cwd: 'C:\\shop',
  });
});

/** Where conversations are looked for, which files tell them, and who holds one. */
import { expect, test } from 'vitest';
import type { Environment, Machine } from '../contract/shuttle.ts';
import { antigravityFind } from './find.ts';
import { antigravityLaunch } from './launch.ts';
import { bodyPaths, placeOf } from './places.ts';
import { antigravityPresence } from './presence.ts';
import { identify } from './read/identify.ts';
import { sidecarFacts } from './read/sidecar-facts.ts';
import { antigravityContainer } from './store/container.ts';
import { pathOfUri } from './uri.ts';

const id = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';
const linux: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const cli = '/home/user/.gemini/antigravity-cli';

test('each surface has a root of its own, on every platform below the home', () => {
  const names = ['antigravity-cli', 'antigravity', 'antigravity-ide', 'antigravity-acp'];
  const paths = (environment: Environment): unknown => antigravityFind.roots(environment).map(({ path }) => path);
  expect(paths(linux)).toEqual(names.map((name) => `/home/user/.gemini/${name}`));
  expect(paths({ ...linux, platform: 'darwin', home: '/Users/user' })).toEqual(
    names.map((name) => `/Users/user/.gemini/${name}`),
  );
  expect(paths({ ...linux, platform: 'win32', home: 'C:\\Users\\user' })).toEqual(
    names.map((name) => `C:\\Users\\user\\.gemini\\${name}`),
  );
});

test('only what tells of a conversation is found: no tokens, no background traces, no settings', () => {
  const [root] = antigravityFind.roots(linux);
  const found = {
    [`conversations/${id}.db`]: 'database',
    [`conversations/${id}.pb`]: 'listed',
    [`brain/${id}/task.md`]: 'document',
    'conversation_summaries.db': 'database',
    [`brain/${id}/.system_generated/logs/transcript_full.jsonl`]: undefined,
    [`brain/${id}/.system_generated/logs/transcript.jsonl`]: undefined,
  };
  for (const [name, form] of Object.entries(found)) {
    expect(root?.matches(name), name).toBe(true);
    expect(antigravityContainer.holds(name) ? antigravityContainer.formOf?.(name) : undefined, name).toBe(form);
  }
  for (const name of [
    `implicit/${id}.pb`,
    'antigravity-oauth-token',
    'history.jsonl',
    `conversations/${id}.db-wal`,
    'conversations/x.db',
    `brain/${id}/task.md.resolved.1`,
    `brain/${id}/task.md.metadata.json`,
    `brain/${id}/.system_generated/steps/1/output.md`,
    `brain/../conversations/${id}.db`,
  ])
    expect(root?.matches(name), name).toBe(false);
  expect(
    ['conversations', 'brain', `brain/${id}`, `brain/${id}/.system_generated/logs`].map((name) => root?.enters?.(name)),
  ).toEqual(Array.from({ length: 4 }, () => true));
  expect(['implicit', 'brain/other', `brain/${id}/media`, 'knowledge', 'log'].map((name) => root?.enters?.(name))).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});

test('a conversation is known by surface and id, and its files by how well they tell it', () => {
  const part = (path: string, value: object = { record: 'conversation' }): unknown => {
    const identity = identify(path, [{ ok: true, offset: 0, length: 1, value: { ...value } }]);
    return identity === undefined ? undefined : [identity.nativeId, identity.part];
  };
  const line = { source: 'MODEL', content: 'x' };
  expect(part(`${cli}/conversations/${id}.db#steps`)).toEqual([id, 'native']);
  expect(part(`${cli}/conversations/${id.toUpperCase()}.db#steps`)).toEqual([id, 'native']);
  expect(part(`/home/user/.gemini/antigravity/conversations/${id}.pb#sealed`)).toEqual([`desktop:${id}`, 'listed']);
  expect(part(`/home/user/.gemini/antigravity-ide/brain/${id}/.system_generated/logs/transcript.jsonl`, line)).toEqual([
    `ide:${id}`,
    'truncated',
  ]);
  expect(part(`/home/user/.gemini/antigravity-acp/conversation_summaries.db#${id}`, { record: 'summary' })).toEqual([
    `acp:${id}`,
    'summary',
  ]);
  expect(part(`C:\\Users\\user\\.gemini\\antigravity-cli\\brain\\${id}\\task.md#ab`, { record: 'artifact' })).toEqual([
    id,
    'artifact:task.md',
  ]);
  expect(part(`/home/user/shop/conversations/${id}.db#steps`)).toBeUndefined();
});

test('a worse file waits for all better ones, an artifact for all', () => {
  const needs = (path: string): readonly string[] | undefined =>
    identify(path, [{ ok: true, offset: 0, length: 1, value: { record: 'artifact', source: 'MODEL', content: 'x' } }])?.needs;
  const place = placeOf(`${cli}/conversations/${id}.pb#sealed`);
  if (place === undefined) throw new Error('no place');
  const bodies = bodyPaths(place, id);
  expect(needs(`${cli}/conversations/${id}.pb#sealed`)).toEqual([
    `${cli}/conversation_summaries.db#${id}`,
    ...bodies.slice(0, 3),
  ]);
  expect(needs(`${cli}/brain/${id}/.system_generated/logs/transcript.jsonl`)).toEqual([
    `${cli}/conversation_summaries.db#${id}`,
    `${cli}/conversations/${id}.db#steps`,
    `${cli}/brain/${id}/.system_generated/logs/transcript_full.jsonl`,
  ]);
  expect(needs(`${cli}/brain/${id}/plan.md#ab`)).toEqual([`${cli}/conversation_summaries.db#${id}`, ...bodies]);
});

test('the folder of a transcript is what the terminal remembers of it', () => {
  const path = `${cli}/brain/${id}/.system_generated/logs/transcript.jsonl`;
  const facts = (files: Readonly<Record<string, string>>): unknown =>
    sidecarFacts({ nativeId: id, part: 'truncated', needs: [] }, path, { text: (name) => files[name], list: () => [] });
  const shop = { startCwd: '/home/user/shop', cwd: '/home/user/shop' };
  expect(facts({ [`${cli}/cache/last_conversations.json`]: `{"/home/user/shop":"${id}","/home/user/blog":"x"}` })).toEqual(shop);
  const history = `{"workspace":"/home/user/blog","conversationId":"other"}\n{"workspace":"/home/user/shop","conversationId":"${id}"}\n`;
  expect(facts({ [`${cli}/history.jsonl`]: history })).toEqual(shop);
  expect(facts({ [`${cli}/cache/last_conversations.json`]: '[' })).toEqual({});
});

test('a presence lock counts when it is held, not when it merely lies there', () => {
  const machine = (held: boolean): Machine => ({
    list: (folder) => (folder === `${cli}/presence` ? [`${id}.lock`, 'x.lock', 'note'] : []),
    text: () => undefined,
    isFile: () => true,
    processStart: () => undefined,
    isLocked: () => ({ held, pid: held ? 42 : null }),
  });
  expect(antigravityPresence.holders(linux, machine(true))).toEqual([
    { nativeId: id, pid: 42, activity: 'unknown', evidence: 'presence lock held' },
  ]);
  expect(antigravityPresence.holders(linux, machine(false))).toEqual([]);
});

test('the terminal program takes the conversation by its id, and a prompt as an option', () => {
  expect(antigravityLaunch.resume(id, '/home/user/shop', 'Go on.')).toEqual({
    argv: ['agy', '--conversation', id, '-i', 'Go on.'],
    cwd: '/home/user/shop',
    env: {},
  });
});

test('folders are paths, also of Windows, and nothing else', () => {
  expect(pathOfUri('file:///home/user/my%20shop')).toBe('/home/user/my shop');
  expect(pathOfUri('file:///c%3A/Users/user/shop')).toBe('c:\\Users\\user\\shop');
  expect(pathOfUri('file://server/share')).toBe('\\\\server\\share');
  for (const other of ['https://x', 'file:///%zz', 'file:///a%0Ab', undefined]) expect(pathOfUri(other)).toBeUndefined();
});

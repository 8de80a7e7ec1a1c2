import { expect, test } from 'vitest';
import type { Environment } from '../contract/shuttle.ts';
import { claudeFind } from './find.ts';
import { projectFolder } from './names.ts';

const linux: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const sid = '11111111-2222-4333-8444-555555555555';

function paths(environment: Environment): readonly string[] {
  return claudeFind.roots(environment).map((root) => root.path);
}

test('each platform has its folders', () => {
  expect(paths(linux)).toEqual(['/home/user/.claude/projects', '/home/user/.config/Claude/local-agent-mode-sessions']);
  expect(paths({ ...linux, variables: { CLAUDE_CONFIG_DIR: '/data/claude', XDG_CONFIG_HOME: '/data/config' } })).toEqual([
    '/data/claude/projects',
    '/data/config/Claude/local-agent-mode-sessions',
  ]);
  expect(paths({ ...linux, variables: { CLAUDE_CONFIG_DIR: 'relative', XDG_CONFIG_HOME: '' } })).toEqual(paths(linux));
  expect(paths({ platform: 'darwin', home: '/Users/me', variables: {} })).toEqual([
    '/Users/me/.claude/projects',
    '/Users/me/Library/Application Support/Claude/local-agent-mode-sessions',
    '/Users/me/Library/Application Support/Claude-3p/local-agent-mode-sessions',
  ]);
  expect(paths({ platform: 'win32', home: 'C:\\Users\\me', variables: { APPDATA: 'D:\\Roaming' } })).toEqual([
    'C:\\Users\\me\\.claude\\projects',
    'D:\\Roaming\\Claude\\local-agent-mode-sessions',
    'C:\\Users\\me\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\local-agent-mode-sessions',
  ]);
});

test('sessions and subagents in their three layouts are found, nothing else is', () => {
  const [root] = claudeFind.roots(linux);
  const found = (relative: string): boolean => root?.matches(relative) === true;
  expect(found(`-home-user-shop/${sid}.jsonl`)).toBe(true);
  expect(found(`-home-user-shop/${sid.toUpperCase()}.jsonl`)).toBe(true);
  expect(found('-home-user-shop/agent-a168d0a.jsonl')).toBe(true);
  expect(found(`-home-user-shop/${sid}/subagents/agent-a64a237f110c27863.jsonl`)).toBe(true);
  expect(found(`-home-user-shop/${sid}/subagents/workflows/wf_1/agent-a64.jsonl`)).toBe(true);
  for (const other of [
    `${sid}.jsonl`,
    `-home-user-shop/memory/${sid}.jsonl`,
    `-home-user-shop/${sid}/tool-results/agent-a.jsonl`,
    `-home-user-shop/${sid}/subagents/workflows/wf_1/journal.jsonl`,
    `-home-user-shop/${sid}/subagents/workflows/other/agent-a.jsonl`,
    '-home-user-shop/sessions-index.json',
    '-home-user-shop/journal.jsonl',
    `-home-user-shop/${sid}.jsonl.tmp`,
    `-home-user-shop/${sid}/custom-title.json`,
    `../${sid}.jsonl`,
    '-home-user-shop/agent-..jsonl',
  ])
    expect(found(other), other).toBe(false);
});

test('Cowork keeps a projects folder in each session, whose other contents are not looked at', () => {
  const cowork = claudeFind.roots(linux)[1];
  const found = (relative: string): boolean => cowork?.matches(relative) === true;
  const enters = (relative: string): boolean => cowork?.enters?.(relative) === true;
  expect(found(`a/o/local_1/.claude/projects/-sessions-otter/${sid}.jsonl`)).toBe(true);
  expect(found('a/o/local_1/audit.jsonl')).toBe(false);
  expect(found(`a/o/local_1/outputs/.claude/projects/x/${sid}.jsonl`)).toBe(false);
  for (const folder of [
    'a',
    'a/o',
    'a/o/local_1',
    'a/o/local_1/.claude',
    'a/o/local_1/.claude/projects',
    'a/o/local_1/.claude/projects/-x',
    `a/o/local_1/.claude/projects/-x/${sid}/subagents`,
  ])
    expect(enters(folder), folder).toBe(true);
  for (const folder of ['a/o/local_1/outputs', 'a/o/local_1/.claude/plugins', 'a/o/local_1/.claude/projects/-x/memory'])
    expect(enters(folder), folder).toBe(false);
});

test('memory and tool results are not entered', () => {
  const [root] = claudeFind.roots(linux);
  expect(
    ['-x', `-x/${sid}`, `-x/${sid}/subagents`, `-x/${sid}/subagents/workflows/wf_1`].every(
      (folder) => root?.enters?.(folder) === true,
    ),
  ).toBe(true);
  expect(['-x/memory', '-x/tool-results', `-x/${sid}/tool-results`].some((folder) => root?.enters?.(folder) === true)).toBe(
    false,
  );
});

test('a working folder is encoded as the program does it', () => {
  expect(projectFolder('/w/My App.v2_x')).toBe('-w-My-App-v2-x');
  expect(projectFolder('/w/日本語 ü')).toBe('-w------');
  expect(projectFolder('/w/emoji🙂x')).toBe('-w-emoji--x');
  expect(projectFolder('C:\\Users\\me\\shop')).toBe('C--Users-me-shop');
  const long = projectFolder(`/w/${'a'.repeat(250)}`);
  expect(long).toMatch(/^-w-a{197}-[0-9a-z]+$/);
});

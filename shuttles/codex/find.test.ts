import { expect, test } from 'vitest';
import type { Environment } from '../contract/shuttle.ts';
import { codexHome, codexFind } from './find.ts';

const linux: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const mac: Environment = { platform: 'darwin', home: '/Users/user', variables: {} };
const windows: Environment = { platform: 'win32', home: 'C:\\Users\\user', variables: {} };

test('sessions lie below ~/.codex on every platform', () => {
  const paths = [linux, mac, windows].map((environment) => codexFind.roots(environment).map((root) => root.path));
  expect(paths).toEqual([
    ['/home/user/.codex/sessions', '/home/user/.codex/archived_sessions'],
    ['/Users/user/.codex/sessions', '/Users/user/.codex/archived_sessions'],
    ['C:\\Users\\user\\.codex\\sessions', 'C:\\Users\\user\\.codex\\archived_sessions'],
  ]);
});

test('CODEX_HOME moves everything, the names of threads too', () => {
  const moved: Environment = { ...linux, variables: { CODEX_HOME: '/data/codex/' } };
  expect(codexFind.roots(moved)[0]?.path).toBe('/data/codex/sessions');
  expect(codexFind.sidecarPaths(moved)).toEqual([
    '/data/codex/session_index.jsonl',
    '/data/codex/external_agent_session_imports.json',
  ]);
  expect(codexHome({ ...windows, variables: { CODEX_HOME: 'D:\\codex' } })).toBe('D:\\codex');
});

test('a relative or empty CODEX_HOME is not followed', () => {
  for (const CODEX_HOME of ['', 'codex', './x', 'C:codex']) {
    expect(codexHome({ ...linux, variables: { CODEX_HOME } })).toBe('/home/user/.codex');
  }
});

test('rollouts count in date folders, in any other folder and in none, plain and compressed', () => {
  const matches = codexFind.roots(linux)[0]?.matches ?? (() => false);
  const id = '01a22a63-5268-72d2-9d6b-88a762a10057';
  const yes = [
    `2026/11/30/rollout-2026-11-30T02-58-01-${id}.jsonl`,
    `rollout-2026-11-30T02-58-01-${id}.jsonl`,
    `odd/rollout-x-${id}_01a22a6c-50c0-7f92-ba2a-839267018c2d.jsonl`,
    `2026/11/30/rollout-2026-11-30T02-58-01-${id}.jsonl.zst`,
  ];
  const no = [
    `2026/11/30/${id}.jsonl`,
    'rollout-notes.txt',
    'session_index.jsonl',
    `rollout-${id}.jsonl.tmp`,
    'rollout-x/other.jsonl',
  ];
  expect(yes.filter((name) => !matches(name))).toEqual([]);
  expect(no.filter((name) => matches(name))).toEqual([]);
});

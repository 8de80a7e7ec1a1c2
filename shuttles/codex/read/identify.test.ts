import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import {
  fixtures,
  header,
  identityOf,
  noSidecars,
  recordsFrom,
  recordsOf,
  rollout,
  rolloutsIn,
  threadId,
} from '../fixture-records.ts';
import { identify } from './identify.ts';
import { surfaceOf } from './session-meta.ts';

const parent = '01a22a6d-d5ff-7212-8dc3-ea2102f1542f';

function fixture(folder: string, ending: string): ReturnType<typeof identityOf> {
  const name = rolloutsIn(path.join(fixtures, folder)).find((file) => file.endsWith(`${ending}.jsonl`));
  const file = path.join(fixtures, folder, name ?? 'absent');
  return identityOf(file, recordsOf(file));
}

const surface = (originator: string | undefined, source: string | undefined): string =>
  surfaceOf({ ...(originator !== undefined && { originator }), ...(source !== undefined && { source }) });

test('a thread is known by the id in its first header, and by its file’s name when there is none', () => {
  const own = { nativeId: threadId, part: threadId, needs: [] };
  expect(identify(rollout, recordsFrom([header({})]), noSidecars)).toEqual(own);
  expect(identify('/x/rollout-copied.jsonl', recordsFrom([header({})]), noSidecars)).toEqual(own);
  expect(identify(rollout, recordsFrom([{ type: 'event_msg', payload: {} }]), noSidecars)).toEqual(own);
  expect(identify(rollout, [], noSidecars)).toEqual(own);
});

test('a file without a header and without an id in its name is no session', () => {
  expect(identify('/x/rollout-notes.jsonl', recordsFrom([{ type: 'event_msg', payload: {} }]), noSidecars)).toBeUndefined();
  expect(identify('/x/rollout-notes.jsonl', recordsFrom([header({ id: '../../etc' })]), noSidecars)).toBeUndefined();
});

test('after a rewind the segment is a part of the same thread and needs what it continues', () => {
  expect(fixture('12-tui-compact-rewind', '839267018c2d')).toEqual({
    nativeId: '01a22a6b-a7e7-7391-8297-b533792d4cc8',
    part: '01a22a6c-50c0-7f92-ba2a-839267018c2d',
    needs: ['01a22a6b-a7e7-7391-8297-b533792d4cc8'],
  });
});

test('forks of both forms need their base', () => {
  expect(fixture('06-image-stdin-fork', '477ef9658316').needs).toEqual(['01a22a64-d5cc-7292-86ef-b3cc45bf95c0']);
  const legacyFork = fixture('10-app-server-mixed', '4a2103306776');
  expect(legacyFork.needs).toEqual(['01a22a6e-9efc-7660-8431-a3588b73b5f9']);
  expect(legacyFork.childOf).toBeUndefined();
});

test('sub-agents and reviews are children of the thread that started them', () => {
  expect(fixture('08-subagent-forked-history', '66e8f528563f').childOf).toEqual({
    nativeId: parent,
    title: '/root/forked_checker',
  });
  expect(fixture('10-app-server-mixed', 'be5b259c1c6d').childOf).toEqual({
    nativeId: '01a22a6e-89e8-7c73-b0a7-1289a994e6f4',
    title: 'review',
  });
  const older = header({ source: { subagent: 'review' }, session_id: parent });
  expect(identify(rollout, recordsFrom([older]), noSidecars)?.childOf).toEqual({ nativeId: parent, title: 'review' });
});

test('a thread that Codex imported needs the session that its list of imports names, by either platform’s path', () => {
  const from = (source_path: string): ReturnType<typeof identify> =>
    identify(rollout, recordsFrom([header({})]), {
      list: () => [],
      text: (file) =>
        file.endsWith('/external_agent_session_imports.json')
          ? JSON.stringify({ records: [{}, null, { source_path, imported_thread_id: threadId.toUpperCase() }] })
          : undefined,
    });
  const nativeId = '7b1f2c3d-1111-4222-8333-444455556666';
  for (const folder of ['/home/user/.claude/projects/-home-user-shop/', 'C:\\Users\\dev\\.claude\\projects\\C--shop\\'])
    expect(from(`${folder}${nativeId}.jsonl`)).toMatchObject({
      needs: [nativeId],
      facts: { importedFrom: { harness: 'claude', nativeId } },
    });
  expect(from('/home/user/.claude/notes.jsonl')?.needs).toEqual([]);
});

test('the surface comes from the client and from the way in', () => {
  const lines = fs
    .readFileSync(path.join(fixtures, '../codex-desktop/handmade-session-meta-variants.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const metas = lines.map((line) => (JSON.parse(line) as { payload: JsonObject }).payload);
  expect(metas.map(surfaceOf)).toEqual(['desktop', 'editor', 'cli', 'unknown']);
  expect(surface('codex_exec', 'exec')).toBe('headless');
  expect(surface('codex-tui', 'vscode')).toBe('cli');
  expect(surface('codex-tui', 'exec')).toBe('headless');
  expect(surface('codex_cli_rs', 'cli')).toBe('cli');
  expect(surface('codex_sdk_ts', 'exec')).toBe('sdk');
  expect(surface(undefined, undefined)).toBe('cli');
});

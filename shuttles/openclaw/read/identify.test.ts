import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, SourceIdentity } from '../../contract/read.ts';
import { listOf, noSidecars, numbered, sessionId, sessionPath, sessions } from '../fixture-records.ts';
import { sessionRecordType } from '../store/session-record.ts';
import { sessionList } from '../session-entry.ts';
import { identify, sidecarFacts } from './identify.ts';

const header = { type: 'session', version: 3, id: sessionId, cwd: '/home/user/shop' };
const rowsPath = `/home/user/.openclaw/agents/main/agent/openclaw-agent.sqlite#${sessionId}`;

function ofRows(value: JsonObject): SourceIdentity | undefined {
  const told: NativeRecord = {
    ok: true,
    offset: 0,
    length: 0,
    value: { type: sessionRecordType, sessionId, key: 'agent:main:main', ...value },
  };
  return identify(rowsPath, [told, ...numbered([header])], noSidecars);
}

test('a transcript is known by its header, and by its name when that is damaged', () => {
  expect(identify(sessionPath, numbered([header]), noSidecars)).toMatchObject({
    nativeId: sessionId,
    part: sessionId,
    needs: [],
  });
  expect(identify(sessionPath, numbered([{ type: 'message' }]), noSidecars)?.nativeId).toBe(sessionId);
  expect(identify(sessionPath, numbered([{ ...header, id: '../../etc' }]), noSidecars)?.nativeId).toBe(sessionId);
  expect(identify(`${sessions}/${sessionId}-topic-3.jsonl`, numbered([header]), noSidecars)).toMatchObject({
    nativeId: sessionId,
    part: `${sessionId}-topic-3.live`,
  });
  expect(identify(sessionPath, numbered([{ type: 'session.started' }]), noSidecars)).toBeUndefined();
  expect(identify(`${sessions}/notes.txt`, numbered([header]), noSidecars)).toBeUndefined();
});

test('what was set aside by /new is archived', () => {
  const path = `${sessionPath}.reset.2026-11-30T10-00-00.000Z`;
  const identity = identify(path, numbered([header]), noSidecars);
  expect(identity?.facts).toEqual({ archived: true });
  expect(identity === undefined ? {} : sidecarFacts(identity, path, noSidecars)).toEqual({ archived: true });
});

test('the list beside a transcript tells its title and who began it, and no path of it is opened', () => {
  const facts = (key: string, entry: object): unknown => {
    const asked: string[] = [];
    const list = listOf({ other: 'x', [key]: { sessionId, sessionFile: '/etc/passwd', ...entry } }, asked);
    const found = identify(sessionPath, numbered([header]), list)?.facts;
    expect(new Set(asked)).toEqual(new Set([`${sessions}/sessions.json`]));
    return found;
  };
  expect(facts('agent:main:main', {})).toEqual({ surface: 'cli' });
  expect(facts('agent:main:main', { label: ' My  talk ' })).toEqual({ surface: 'cli', customTitle: 'My talk' });
  expect(facts('agent:main:main', { origin: { provider: 'telegram' }, displayName: 'telegram:4242' })).toEqual({
    surface: 'unknown',
  });
  expect(facts('agent:main:telegram:group:-1', { chatType: 'group', subject: 'Shop Crew', channel: 'telegram' })).toEqual({
    surface: 'unknown',
    generatedTitle: 'Shop Crew',
  });
  expect(facts('agent:main:cron:daily', { label: 'Cron: daily' })).toEqual({
    surface: 'headless',
    automation: true,
    customTitle: 'Cron: daily',
  });
  expect(facts('agent:main:acp-bridge:1', {})).toEqual({ surface: 'editor' });
  // Before /new it had the same key.
  expect(facts('agent:main:main', { sessionId: 'other', usageFamilySessionIds: [sessionId], label: 'L' })).toEqual({
    surface: 'cli',
    customTitle: 'L',
  });
});

test('a subagent stands under the session that started it, in both eras', () => {
  const list = listOf({
    'agent:main:main': { sessionId: 'parent-1' },
    'agent:main:subagent:7': { sessionId, spawnedBy: 'agent:main:main', label: 'look around' },
  });
  const expected = { nativeId: sessionId, childOf: { nativeId: 'parent-1', title: 'look around' }, needs: ['parent-1'] };
  expect(identify(sessionPath, numbered([header]), list)).toMatchObject(expected);
  expect(ofRows({ key: 'agent:main:subagent:7', parent: 'parent-1', entry: { label: 'look around' } })).toMatchObject(expected);
  expect(ofRows({ key: 'agent:main:subagent:7', parent: sessionId })?.childOf).toBeUndefined();
});

test('a window goes on from another session by its reason', () => {
  const origin = (value: JsonObject): unknown => {
    const identity = ofRows(value);
    expect(identity?.needs).toEqual(identity?.facts?.forkedFrom === undefined ? [] : [identity.facts.forkedFrom]);
    return identity?.facts?.forkedFrom;
  };
  for (const reason of ['rewind', 'rollover', 'recovery', 'compaction']) expect(origin({ reason, previous: 'p' })).toBe('p');
  for (const reason of ['initial', 'reset', 'switch', 'of-tomorrow'])
    expect(origin({ reason, previous: 'p', forkedFrom: 'f' })).toBeUndefined();
  expect(origin({ reason: 'fork', previous: 'p', forkedFrom: 'f' })).toBe('f');
  expect(origin({ reason: 'fork', previous: 'p' })).toBe('p');
  expect(origin({ forkedFrom: 'f' })).toBe('f');
  expect(origin({ previous: 'p' })).toBeUndefined();
  expect(origin({ reason: 'rewind', previous: sessionId })).toBeUndefined();
  expect(origin({ reason: 'rewind', previous: '../x' })).toBeUndefined();
});

test('a list of many sessions is taken apart once, however many of them ask for it, and anew when it changes', () => {
  const text = JSON.stringify({ 'agent:main:main': { sessionId, label: 'L', skillsSnapshot: { prompt: 'long' } } });
  const list = sessionList(text);
  expect(sessionList(text)).toBe(list);
  expect(list.get(sessionId)).toEqual({ key: 'agent:main:main', entry: { label: 'L' }, parent: undefined });
  expect(sessionList(text.replace('"L"', '"M"')).get(sessionId)?.entry).toEqual({ label: 'M' });
  for (const other of [undefined, '', 'no json', '[]', '{"a":1,"b":{"sessionId":5}}']) expect(sessionList(other).size).toBe(0);
});

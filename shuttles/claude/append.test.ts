import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import type { Message } from '../contract/message.ts';
import type { AppendRequest, Environment } from '../contract/shuttle.ts';
import { fixtures, noSidecars, readRecords, recordsOf, sessionFiles } from './fixture-records.ts';
import { claudeAppend } from './append.ts';
import { projectFolder } from './names.ts';
import { claudeWrite } from './write.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const nativeId = 'aaaaaaaa-0000-4000-8000-000000000000';
const cwd = '/home/user/shop';
const now = Date.UTC(2026, 10, 30);
const baton = '# Hand-over\nSince you last drove: a tax was added.';
const elsewhere: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Add the tax' }] },
  { role: 'assistant', content: [{ type: 'toolCall', id: 'call_1', name: 'Bash', arguments: { command: 'make' } }] },
  { role: 'toolResult', toolCallId: 'call_1', toolName: 'Bash', content: [{ type: 'text', text: 'made' }], isError: false },
  { role: 'assistant', content: [{ type: 'text', text: 'The tax is in.' }] },
];

function pathOf(id = nativeId, folder = projectFolder(cwd)): string {
  return `/home/user/.claude/projects/${folder}/${id}.jsonl`;
}

function requestOf(bytes: Uint8Array, rest: Partial<AppendRequest> = {}, path = pathOf(), id = nativeId): AppendRequest {
  const existing = { nativeId: id, path, size: bytes.byteLength, head: bytes.slice(0, 262_144), tail: bytes.slice(-8_388_608) };
  return { messages: elsewhere, baton, title: 'Taxes', cwd, now, existing, ...rest };
}

function append(file: string | Uint8Array, rest: Partial<AppendRequest> = {}, path = pathOf(), id = nativeId) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const made = claudeAppend.append(requestOf(bytes, rest, path, id), environment);
  if (!made.ok) return { refusal: made.refusal, rows: [] as readonly JsonObject[], whole: bytes };
  const whole = Buffer.concat([bytes, made.bytes]);
  const rows = recordsOf(made.bytes).map((record) => (record.ok ? record.value : {}));
  return { refusal: undefined, rows, whole };
}

const row = (uuid: string, parentUuid: string | null, rest: JsonObject = {}): JsonObject => ({
  type: 'user',
  uuid,
  parentUuid,
  sessionId: nativeId,
  timestamp: '2026-11-29T10:00:00.000Z',
  message: { role: 'user', content: `text of ${uuid}` },
  ...rest,
});
const answer = (uuid: string, parentUuid: string, id: string, ...content: readonly JsonObject[]): JsonObject =>
  row(uuid, parentUuid, { type: 'assistant', message: { role: 'assistant', id, content } });
const callOf = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'x' } });
const lines = (...rows: readonly JsonObject[]): string => rows.map((one) => `${JSON.stringify(one)}\n`).join('');
const mark = (leafUuid: string | null, explicit?: true): JsonObject => ({
  type: 'last-prompt',
  leafUuid,
  ...(explicit && { explicit }),
});
const line = [row('a', null), answer('b', 'a', 'm1', { type: 'text', text: 'yes' }), row('c', 'b')];

test.each<[string, readonly JsonObject[], string]>([
  ['the last record', line, 'c'],
  ['a remark of the program', [...line, row('d', 'c', { type: 'system', subtype: 'turn_duration' })], 'd'],
  ['not a helper’s record', [...line, row('d', 'c', { isSidechain: true })], 'c'],
  ['not a record outside the tree', [...line, { type: 'file-history-snapshot', messageId: 'c' }], 'c'],
  ['what stands below the mark', [row('a', null), mark('a'), ...line.slice(1)], 'c'],
  ['the mark, when the last record is of another branch', [...line, row('x', 'a'), mark('c')], 'c'],
  ['an explicit mark', [...line, mark('b', true)], 'b'],
  ['not an explicit mark that something stands behind', [...line, mark('a', true), row('x', 'b')], 'x'],
  [
    'the last record behind a compaction',
    [...line, mark('b'), row('s', null, { type: 'system', subtype: 'compact_boundary' })],
    's',
  ],
  ['the last record, when the mark is unknown', [...line, mark('zzz')], 'c'],
])('records go behind %s', (_name, file, parent) => {
  const { rows } = append(lines(...file));
  expect(rows[0]?.['parentUuid']).toBe(parent);
  expect(rows[0]?.['loom']).toEqual({ kind: 'baton' });
});

test('records are a line of their own, later than all before, of the session, and the last names their end', () => {
  const late = row('c', 'b', { timestamp: '2027-01-01T00:00:00.000Z' });
  const { rows } = append(lines(...line.slice(0, 2), late));
  const tree = rows.slice(0, -1);
  let parent: unknown = 'c';
  let before = Date.parse('2027-01-01T00:00:00.000Z');
  for (const one of tree) {
    expect(one['parentUuid']).toBe(parent);
    expect(one['sessionId']).toBe(nativeId);
    expect(Date.parse(one['timestamp'] as string)).toBeGreaterThan(before);
    [parent, before] = [one['uuid'], Date.parse(one['timestamp'] as string)];
  }
  expect(rows.at(-1)).toEqual({ type: 'last-prompt', lastPrompt: 'Add the tax', leafUuid: parent, sessionId: nativeId });
});

test('calls that nobody answered are answered first, each behind its own record', () => {
  const open = [...line, answer('d', 'c', 'm2', callOf('one')), answer('e', 'd', 'm2', callOf('two'))];
  const given = row('f', 'd', {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'one', content: 'x' }] },
  });
  const { rows } = append(lines(...open, given));
  expect(rows[0]).toMatchObject({
    parentUuid: 'e',
    sourceToolAssistantUUID: 'e',
    message: { content: [{ type: 'tool_result', tool_use_id: 'two', is_error: true }] },
  });
  expect(rows[1]).toMatchObject({ parentUuid: rows[0]?.['uuid'], loom: { kind: 'baton' } });
  const talked = append(lines(...open, given, row('g', 'f'))).rows[0];
  expect(talked?.['loom']).toEqual({ kind: 'baton' });
});

test('two returns to one session share no id', () => {
  const first = append(lines(...line));
  const second = append(first.whole, { now });
  const idsOf = (rows: readonly JsonObject[]): readonly string[] =>
    rows.flatMap((one) => [
      ...(typeof one['uuid'] === 'string' ? [one['uuid']] : []),
      ...[...JSON.stringify(one).matchAll(/"(?:tool_use|message)?_?id":"([^"]+)"/g)].map((match) => match[1] ?? ''),
    ]);
  const [one, two] = [new Set(idsOf(first.rows)), new Set(idsOf(second.rows))];
  expect(one.size).toBeGreaterThan(6);
  expect([...one].filter((id) => two.has(id))).toEqual([]);
  for (const id of [...one, ...two]) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(second.rows[0]?.['parentUuid']).toBe(first.rows.at(-2)?.['uuid']);
});

test.each<[string, string, Partial<AppendRequest>, RegExp, string?]>([
  ['a torn end', `${lines(...line)}{"type":"us`, {}, /middle of a record/],
  ['records of another session', lines(...line, row('d', 'c', { sessionId: 'bbbb' })), {}, /another session \(bbbb\)/],
  ['nothing but a helper’s records', lines(row('a', null, { isSidechain: true })), {}, /no message/],
  ['no records', '', {}, /middle of a record|no message/],
  ['a rewind to before everything', lines(...line, mark(null, true)), {}, /rewound/],
  [
    'another folder, for an old version',
    lines(...line),
    { cwd: '/home/user/other', programVersion: '2.1.100' },
    /finds the session only/,
  ],
  ['a place that no session has', lines(...line), {}, /not one that Claude Code finds/, '/home/user/elsewhere/x.jsonl'],
  ['the file of a helper', lines(...line), {}, /not one that/, `/home/user/.claude/projects/-home-user-shop/agent-a1.jsonl`],
])('%s is refused', (_name, file, rest, refusal, path) => {
  expect(append(file, rest, path).refusal).toMatch(refusal);
});

test('a new version goes on from another folder', () => {
  expect(append(lines(...line), { cwd: '/home/user/other', programVersion: '2.1.332' }).refusal).toBeUndefined();
});

test('a session that is nearly full takes a small delta only, and it is said', () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 120_000, cache_creation_input_tokens: 0, output_tokens: 50 };
  const full = row('d', 'c', { type: 'assistant', message: { role: 'assistant', id: 'm', content: [], usage } });
  const long = Array.from({ length: 60 }, (_, n): readonly Message[] => [
    { role: 'user', content: [{ type: 'text', text: `ask ${n} ${'words and more words '.repeat(300)}` }] },
    { role: 'assistant', content: [{ type: 'text', text: `answer ${n}` }] },
  ]).flat();
  const size = (file: string): number => append(file, { messages: long }).rows.length;
  expect(size(lines(...line))).toBeGreaterThan(100);
  expect(size(lines(...line, full))).toBeLessThan(70);
});

const ofFixtures = sessionFiles(`${fixtures}claude`).filter((path) => !path.includes('agent-'));

test.each(ofFixtures.map((path) => [path.slice(fixtures.length), path]))('%s goes on, or says why not', (_name, path) => {
  const bytes = readFileSync(path);
  const id = basename(path, '.jsonl');
  const before = readRecords(path, recordsOf(bytes), noSidecars).outputs.filter((output) => output.type === 'entry');
  const { refusal, rows, whole } = append(bytes, {}, pathOf(id), id);
  if (refusal !== undefined) return expect(refusal).toMatch(/^[A-Z].*\.$/);
  const uuids = new Set(recordsOf(bytes).flatMap((record) => (record.ok ? [record.value['uuid']] : [])));
  expect(uuids).toContain(rows[0]?.['parentUuid']);
  for (const one of rows) if (one['uuid'] !== undefined) expect(uuids).not.toContain(one['uuid']);
  const after = readRecords(path, recordsOf(whole), noSidecars).outputs.filter((output) => output.type === 'entry');
  expect(after.slice(0, before.length)).toEqual(before);
  const added = after.slice(before.length).filter(({ kind }) => kind !== 'tool_result');
  expect(added.map(({ kind, trust }) => `${kind} ${trust}`)).toEqual([
    'user loom',
    'user user',
    'assistant model',
    'assistant model',
  ]);
  return undefined;
});

test('a session that Loom wrote can be gone on with as well', () => {
  const written = claudeWrite.write({ messages: elsewhere, baton, title: 't', cwd, nativeId, now }, environment);
  const { refusal, rows, whole } = append(written.bytes);
  expect(refusal).toBeUndefined();
  const drafts = readRecords(pathOf(), recordsOf(whole), noSidecars).outputs.flatMap((output) =>
    output.type === 'entry' ? output : [],
  );
  expect(drafts.filter((draft) => draft.trust === 'loom')).toHaveLength(2);
  expect(new Set(drafts.flatMap((draft) => draft.keys.slice(0, 1))).size).toBe(drafts.length);
  expect(rows[0]?.['parentUuid']).toBe(
    recordsOf(written.bytes)
      .flatMap((one) => (one.ok ? (one.value['uuid'] ?? []) : []))
      .at(-1),
  );
});

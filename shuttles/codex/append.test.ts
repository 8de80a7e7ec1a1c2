import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import type { Message } from '../contract/message.ts';
import type { AppendRequest, Environment } from '../contract/shuttle.ts';
import { obj, str } from '../kit/fields.ts';
import { codexAppend } from './append.ts';
import { draftsOf, event, fixtures, header, readAll, recordsIn, rollout, rolloutsIn, said, threadId } from './fixture-records.ts';
import { rolloutName } from './rollout-name.ts';
import { codexWrite } from './write.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const now = Date.UTC(2026, 11, 1);
const baton = '# Since you last drove\n\nA tax was added.';
const elsewhere: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Add the tax' }] },
  { role: 'assistant', content: [{ type: 'toolCall', id: 'call_1', name: 'Bash', arguments: { command: 'make' } }] },
  { role: 'toolResult', toolCallId: 'call_1', toolName: 'Bash', content: [{ type: 'text', text: 'made' }], isError: false },
  { role: 'assistant', content: [{ type: 'text', text: 'The tax is in.' }] },
];

interface Appended {
  readonly refusal: string | undefined;
  readonly lines: readonly JsonObject[];
  readonly whole: Uint8Array;
}

function append(bytes: Uint8Array, rest: Partial<AppendRequest> = {}, at = rollout, nativeId = threadId): Appended {
  const existing = { nativeId, path: at, size: bytes.byteLength, head: bytes.slice(0, 262_144), tail: bytes.slice(-8_388_608) };
  const request = { messages: elsewhere, baton, title: 'Taxes', cwd: '/home/user/shop', now, existing, ...rest };
  const made = codexAppend.append(request, environment);
  if (!made.ok) return { refusal: made.refusal, lines: [], whole: bytes };
  const lines = recordsIn(made.bytes).map((record) => (record.ok ? record.value : {}));
  return { refusal: undefined, lines, whole: Buffer.concat([bytes, made.bytes]) };
}

const file = (...lines: readonly JsonObject[]): Buffer => Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const count = (tokens: number): JsonObject =>
  event({
    type: 'token_count',
    info: {
      total_token_usage: { input_tokens: 900, output_tokens: 90, total_tokens: 990 },
      last_token_usage: { input_tokens: tokens - 10, output_tokens: 10, total_tokens: tokens },
      model_context_window: 258_400,
    },
  });
const typesOf = (lines: readonly JsonObject[]): readonly string[] =>
  lines.map((line) => {
    const payload = obj(line, 'payload');
    const inner = obj(payload, 'item')?.['type'];
    return [str(payload, 'type') ?? '', ...(typeof inner === 'string' ? [inner] : [])].join(' ');
  });
const told = (made: Appended): readonly string[] =>
  draftsOf(readAll(rollout, recordsIn(made.whole))).flatMap((draft) =>
    draft.kind === 'user' || draft.kind === 'assistant'
      ? draft.content.content.map((block) => `${draft.trust}: ${block.type === 'text' ? block.text : block.type}`)
      : [],
  );

test('a legacy rollout goes on in the legacy form', () => {
  const made = append(file(header({}), said('user', 'hello'), count(2000)));
  expect(typesOf(made.lines)).toEqual([
    'task_started',
    'message',
    'user_message',
    'task_complete',
    'task_started',
    'message',
    'user_message',
    'function_call',
    'function_call_output',
    'agent_message',
    'message',
    'task_complete',
    'token_count',
  ]);
  expect(made.lines.every((line) => line['ordinal'] === undefined)).toBe(true);
  expect(told(made)).toEqual(['user: hello', `loom: ${baton}`, 'user: Add the tax', 'model: toolCall', 'model: The tax is in.']);
});

test('a paginated rollout goes on with its ordinals, and its UI is told in its own form', () => {
  const numbered = [header({ history_mode: 'paginated' }), said('user', 'hello'), event({ type: 'task_complete' })];
  const made = append(file(...numbered.map((line, index) => ({ ...line, ordinal: index + 40 }))));
  expect(made.lines.map((line) => line['ordinal'])).toEqual(made.lines.map((_, index) => 43 + index));
  expect(typesOf(made.lines).filter((type) => type.startsWith('item_completed'))).toEqual([
    'item_completed UserMessage',
    'item_completed UserMessage',
    'item_completed AgentMessage',
  ]);
  expect(typesOf(made.lines)).not.toContain('user_message');
  expect(told(made)).toEqual(['user: hello', `loom: ${baton}`, 'user: Add the tax', 'model: toolCall', 'model: The tax is in.']);
});

test('the size of the next request is told, and what was spent stays what it was', () => {
  const made = append(file(header({}), said('user', 'hello'), count(2000)));
  const info = obj(obj(made.lines.at(-1), 'payload'), 'info');
  expect(info).toMatchObject({ total_token_usage: { total_tokens: 990 }, model_context_window: 258_400 });
  const next = obj(info, 'last_token_usage')?.['total_tokens'];
  expect(next).toBeGreaterThan(2000);
  expect(next).toBeLessThan(2400);
  const usage = draftsOf(readAll(rollout, recordsIn(made.whole))).flatMap((draft) =>
    draft.kind === 'assistant' && draft.content.usage !== undefined ? [draft.content.usage.input] : [],
  );
  expect(usage).toEqual([900]);
});

test('a session that is nearly full takes a small delta only', () => {
  const long = Array.from({ length: 100 }, (_, n): readonly Message[] => [
    { role: 'user', content: [{ type: 'text', text: `ask ${n} ${'words and more words '.repeat(300)}` }] },
  ]).flat();
  const size = (tokens: number): number => append(file(header({}), count(tokens)), { messages: long }).lines.length;
  expect(size(2000)).toBeGreaterThan(300);
  expect(size(170_000)).toBeLessThan(140);
});

test('every line is later than all before, and two returns share no name', () => {
  const late = { ...said('user', 'hello'), timestamp: '2027-03-01T00:00:00.000Z' };
  const first = append(file(header({}), late));
  const times = first.lines.map((line) => Date.parse(line['timestamp'] as string));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThan(Date.parse('2027-03-01T00:00:00.000Z'));
  const second = append(first.whole);
  const namesOf = ({ lines }: Appended): readonly string[] =>
    lines.flatMap((line) =>
      [...JSON.stringify(line).matchAll(/"(?:turn_id|call_id)":"([^"]+)"/g)].map((match) => match[1] ?? ''),
    );
  expect(new Set(namesOf(first)).size).toBe(3);
  expect(namesOf(first).filter((name) => namesOf(second).includes(name))).toEqual([]);
  for (const name of namesOf(first)) expect(name).toMatch(/^[\w-]{1,64}$/);
});

const plain = [header({}), said('user', 'hello')];
test.each<[string, Uint8Array, RegExp, string?]>([
  ['a torn end', Buffer.concat([file(...plain), Buffer.from('{"timest')]), /middle of a line/],
  ['a damaged end', Buffer.concat([file(...plain), Buffer.from('garbage\n')]), /damaged line/],
  ['another session’s file', file(header({ id: '01a22a63-0000-72d2-9d6b-88a762a10057' })), /another session/],
  ['a helper’s session', file(header({ source: { subagent: { thread_spawn: {} } } })), /helper/],
  ['a review', file(header({ source: { subagent: 'review' } })), /helper/],
  ['a form that is not known', file(header({ history_mode: 'knotted' })), /form/],
  [
    'lines without numbers in a paginated file',
    file(header({ history_mode: 'paginated' }), said('user', 'x')),
    /without a number/,
  ],
  ['the bare lines of 0.20', file({ id: threadId, timestamp: '2026-11-30T00:00:00Z', instructions: null }), /cannot resume/],
  ['an empty file', Buffer.alloc(0), /header/],
  ['a compressed rollout', file(...plain), /compressed/, `${rollout}.zst`],
  ['an archived session', file(...plain), /unarchive/, rollout.replace('/sessions/2026/11/30/', '/archived_sessions/')],
  ['a file of another name', file(...plain), /name/, rollout.replace(threadId, '01a22a63-0000-72d2-9d6b-88a762a10057')],
])('%s is refused', (_name, bytes, refusal, at) => {
  expect(append(bytes, {}, at).refusal).toMatch(refusal);
});

test.each(rolloutsIn(fixtures).filter((name) => name.includes('/sessions/')))('%s goes on, or says why not', (name) => {
  const bytes = fs.readFileSync(path.join(fixtures, name));
  const at = `/home/user/.codex/sessions/2026/11/30/${path.basename(name)}`;
  const made = append(bytes, {}, at, rolloutName(name).thread);
  if (made.refusal !== undefined) return expect(made.refusal).toMatch(/^[A-Z].*\.$/);
  const before = draftsOf(readAll(at, recordsIn(bytes)));
  const after = draftsOf(readAll(at, recordsIn(made.whole)));
  expect(after.slice(0, before.length)).toEqual(before);
  const added = after.slice(before.length).filter(({ kind }) => kind !== 'turn');
  expect(added.map(({ kind, trust }) => `${kind} ${trust}`)).toEqual([
    'user loom',
    'user user',
    'assistant model',
    'tool_result tool',
    'assistant model',
  ]);
  return undefined;
});

test('a session that Loom wrote can be gone on with as well', () => {
  const written = codexWrite.write(
    { messages: elsewhere, baton, title: 't', cwd: '/home/user/shop', nativeId: threadId, now },
    environment,
  );
  const made = append(written.bytes, {}, written.path);
  expect(made.refusal).toBeUndefined();
  expect(told(made).filter((one) => one.startsWith('loom:'))).toHaveLength(2);
});

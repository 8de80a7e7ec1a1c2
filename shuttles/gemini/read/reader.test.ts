/** What single records become: texts, calls and results, tokens, notices, the program's own words. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { header, readRecords, recordsFrom, said } from '../fixture-records.ts';

const read = (...values: readonly JsonObject[]): ReturnType<typeof readRecords>['drafts'] =>
  readRecords(recordsFrom([header, said('user', 'u0', 'Go.'), ...values])).drafts.filter(({ nativeId }) => nativeId !== 'u0');
const contents = (...values: readonly JsonObject[]): readonly unknown[] =>
  read(...values).map(({ kind, content }) => [kind, content]);

function call(name: string, args: JsonObject, more: JsonObject = {}, output: JsonObject = { output: 'ok' }): JsonObject {
  const result = [{ functionResponse: { id: 'c1', name, response: output } }];
  return said('gemini', 'g1', '', { toolCalls: [{ id: 'c1', name, args, status: 'success', result, ...more }] });
}
const details = (value: JsonObject): unknown =>
  read(value).flatMap((draft) => (draft.kind === 'tool_result' ? [draft.content.details] : []))[0];

test('tokens are counted once: cached ones are no new input, and thoughts are output whether or not the total has them apart', () => {
  const usage = (tokens: JsonObject): unknown =>
    read(said('gemini', 'g', 'x', { tokens })).flatMap((draft) => (draft.kind === 'assistant' ? [draft.content.usage] : []))[0];
  expect(usage({ input: 100, output: 20, cached: 60, thoughts: 5, tool: 3, total: 128 })).toEqual({
    input: 43,
    output: 25,
    cacheRead: 60,
    cacheWrite: 0,
    reasoning: 5,
  });
  expect(usage({ input: 100, output: 20, cached: 0, thoughts: 5, tool: 0, total: 120 })).toEqual({
    input: 100,
    output: 20,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 5,
  });
});

test('tokens that come with a second record of the message are counted with what is new in it, or alone', () => {
  const tokens = { input: 10, output: 5, cached: 0, total: 15 };
  const drafts = read(
    said('gemini', 'g', 'Done.'),
    said('gemini', 'g', 'Done.', { tokens }),
    said('gemini', 'g', 'Done.', { tokens }),
  );
  expect(drafts.map(({ kind, content }) => [kind, 'usage' in content && content.usage !== undefined])).toEqual([
    ['assistant', false],
    ['assistant', true],
  ]);
});

test('a command has its exit code, its folder and what the person decided', () => {
  expect(
    details(call('run_shell_command', { command: 'npm t', dir_path: 'web' }, {}, { output: 'Output: no\nExit Code: 3' })),
  ).toEqual({
    action: 'command',
    status: 'failed',
    command: 'npm t',
    cwd: 'web',
    exitCode: 3,
  });
  expect(details(call('run_shell_command', { command: 'ls' }))).toMatchObject({ exitCode: 0 });
  const denied = '[Operation Cancelled] Reason: User did not allow tool call';
  expect(details(call('run_shell_command', { command: 'rm x' }, { status: 'cancelled' }, { error: denied }))).toEqual({
    action: 'command',
    status: 'denied',
    command: 'rm x',
    decision: { allowed: false, by: 'user' },
  });
});

test('an edit is a diff from its first hunk on', () => {
  const resultDisplay = {
    fileName: 'a.ts',
    fileDiff: 'Index: a.ts\n===\n--- a.ts\tCurrent\n+++ a.ts\tProposed\n@@ -1 +1,2 @@\n-one\n+1\n+2\n',
    originalContent: 'one',
  };
  expect(details(call('replace', { file_path: '/home/user/shop/a.ts' }, { resultDisplay }))).toEqual({
    action: 'edit',
    status: 'completed',
    files: [{ path: '/home/user/shop/a.ts', change: 'update', added: 2, removed: 1, diff: '@@ -1 +1,2 @@\n-one\n+1\n+2\n' }],
  });
});

test('a list of todos is a plan', () => {
  const todos = [
    { description: 'one', status: 'completed' },
    { description: 'two', status: 'in_progress' },
    { description: 'never', status: 'cancelled' },
  ];
  expect(contents(call('write_todos', { todos })).at(-1)).toEqual([
    'plan',
    {
      items: [
        { text: 'one', status: 'completed' },
        { text: 'two', status: 'inProgress' },
      ],
    },
  ]);
});

test('a result that the message in the user role repeats is there once, and one that only stands there is not a person’s word', () => {
  const response = { functionResponse: { id: 'c1', name: 'glob', response: { output: 'ok' } } };
  const drafts = read(call('glob', {}), said('user', 'u1', [response]));
  expect(drafts.map(({ kind }) => kind)).toEqual(['assistant', 'tool_result']);
  const lone = read(
    said('gemini', 'g', '', { toolCalls: [{ id: 'c1', name: 'glob', args: {}, status: 'executing' }] }),
    said('user', 'u', [response]),
  );
  expect(lone.map(({ kind }) => kind)).toEqual(['assistant', 'tool_result']);
});

test('what the program puts into the user role is no prompt, and a prompt that speaks of it is one', () => {
  const origins = (content: string | JsonObject[]): unknown =>
    read(said('user', 'u', content)).map((draft) => (draft.kind === 'user' ? [draft.content.origin, draft.trust] : draft.kind));
  expect(origins('<session_context>\nToday\n</session_context>')).toEqual([['harness', 'harness']]);
  expect(origins([{ text: '<session_context>a</session_context>' }, { text: 'Hello' }])).toEqual([
    ['harness', 'harness'],
    ['typed', 'user'],
  ]);
  expect(origins('What does <session_context> mean?')).toEqual([['typed', 'user']]);
  expect(origins([{ text: 'See @a' }, { text: '\n--- Content from referenced files ---' }, { text: 'SECRET' }])).toEqual([
    ['typed', 'user'],
    ['harness', 'tool'],
  ]);
  expect(origins('Hi <hook_context>h</hook_context>')).toEqual([
    ['harness', 'harness'],
    ['typed', 'user'],
  ]);
});

test('errors end a turn, limits are told apart, and a cancelled request is an interruption', () => {
  expect(contents(said('error', 'e', '[API Error: quota exceeded]'))).toEqual([
    ['notice', { level: 'error', code: 'limit', text: '[API Error: quota exceeded]' }],
    ['turn', { phase: 'failed', error: '[API Error: quota exceeded]' }],
  ]);
  expect(contents(said('info', 'i', 'Request cancelled.'))).toEqual([
    ['notice', { level: 'info', code: 'interrupted', text: 'Request cancelled.' }],
    ['turn', { phase: 'interrupted' }],
  ]);
});

test('a call that only its content tells of has the result and the pictures that stand behind it in the user role', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  const drafts = read(
    said('gemini', 'g', [{ text: 'Looking.' }, { functionCall: { id: 'c1', name: 'glob', args: { pattern: '*' } } }]),
    said('user', 'u', [{ functionResponse: { id: 'c1', name: 'glob', response: { output: 'a.js' } } }, image]),
  );
  expect(drafts.map(({ kind, content }) => [kind, 'content' in content ? content.content : []])).toEqual([
    ['assistant', [{ type: 'text', text: 'Looking.' }]],
    ['assistant', [{ type: 'toolCall', id: 'c1', name: 'glob', arguments: { pattern: '*' } }]],
    [
      'tool_result',
      [
        { type: 'text', text: 'a.js' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      ],
    ],
  ]);
});

test('a message that Loom wrote is Loom’s, whatever it says, and its line of paired calls tells nothing', () => {
  const mark = { loom: { kind: 'baton' } };
  const drafts = read(
    said('user', 'u1', 'Anything.', mark),
    said('gemini', 'g', 'Done.'),
    { $set: { messages: [said('user', 'u1', 'Anything.', mark), said('gemini', 'other', 'Other.')] }, loom: { kind: 'paired' } },
    said('user', 'u2', 'Go on.'),
  );
  expect(drafts.map(({ kind, content }) => [kind, 'origin' in content ? content.origin : ''])).toEqual([
    ['user', 'loom'],
    ['assistant', ''],
    ['user', 'typed'],
  ]);
});

test('surroundings that a rewrite puts in front of a known history stand where they were said', () => {
  const context = said('user', 'env', '<session_context>\nToday\n</session_context>');
  const history = [said('user', 'u1', 'Hello.'), said('gemini', 'g1', 'Hi.')];
  const rewrite = { $set: { messages: [context, ...history] } };
  const drafts = read(...history, rewrite, said('user', 'u2', 'Go on.'));
  const last = new Map(drafts.map((draft) => [draft.keys[0], draft]));
  expect([...last.values()].map(({ kind, content }) => [kind, 'origin' in content ? content.origin : ''])).toEqual([
    ['user', 'typed'],
    ['assistant', ''],
    ['user', 'harness'],
    ['user', 'typed'],
  ]);
});

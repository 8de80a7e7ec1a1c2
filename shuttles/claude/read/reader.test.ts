import { expect, test } from 'vitest';
import type { Draft, ReadOutput } from '../../contract/read.ts';
import { readRows } from '../fixture-records.ts';

function entries(outputs: readonly ReadOutput[]): readonly Draft[] {
  return outputs.filter((output) => output.type === 'entry');
}
function kinds(outputs: readonly ReadOutput[]): readonly string[] {
  return outputs.map((output) => (output.type === 'entry' ? output.kind : output.type)).filter((kind) => kind !== 'facts');
}
const id = (n: number): string => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`;
function row(n: number, type: string, rest: object, parent: number | null = n > 1 ? n - 1 : null): object {
  return {
    type,
    uuid: id(n),
    parentUuid: parent === null ? null : id(parent),
    timestamp: `2026-11-30T10:00:${String(n).padStart(2, '0')}.000Z`,
    ...rest,
  };
}
function said(n: number, content: unknown, message: object = {}, parent?: number): object {
  return row(n, 'assistant', { message: { id: `msg_${n}`, role: 'assistant', model: 'claude-x', content, ...message } }, parent);
}
function prompt(n: number, content: unknown, rest: object = {}, parent?: number | null): object {
  return row(n, 'user', { message: { role: 'user', content }, ...rest }, parent);
}
const call = (callId: string, name = 'Bash', input: unknown = { command: 'make' }): object => ({
  type: 'tool_use',
  id: callId,
  name,
  input,
});
const result = (callId: string, content: unknown = 'ok', more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: callId,
  content,
  ...more,
});

const usage = (output: number): object => ({
  usage: { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 },
  id: 'm',
});

const command = (name: string, args = ''): string =>
  `<command-message>x</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;

test('rows of one message count its usage once, and what grew', () => {
  const { outputs } = readRows([
    said(1, [{ type: 'text', text: 'a' }], usage(3)),
    said(2, [{ type: 'text', text: 'b' }], usage(3)),
    said(3, [{ type: 'text', text: 'c' }], usage(40)),
  ]);
  expect(entries(outputs).map((entry) => (entry.kind === 'assistant' ? entry.content.usage : 'none'))).toEqual([
    { input: 10, output: 3, cacheRead: 5, cacheWrite: 2 },
    undefined,
    { input: 0, output: 37, cacheRead: 0, cacheWrite: 0 },
  ]);
});

test('several results and a text in one record are a chain whose last entry carries the record’s key', () => {
  const { outputs } = readRows([
    said(1, [call('t1'), call('t2')]),
    prompt(2, [result('t1'), result('t2'), { type: 'text', text: 'and go on' }]),
  ]);
  const [, first, second, text] = entries(outputs);
  expect([first?.keys[0], second?.keys[0], text?.keys[0]]).toEqual([`${id(2)}#result0`, `${id(2)}#result1`, id(2)]);
  expect(first?.place).toEqual({ kind: 'with', keys: ['call:t1'], after: id(1) });
  expect(second?.place).toEqual({ kind: 'with', keys: ['call:t2'], after: `${id(2)}#result0` });
  expect(text?.place).toEqual({ kind: 'after', key: `${id(2)}#result1` });
  expect(text?.kind === 'user' && text.content.origin).toBe('typed');
});

test('a compaction hangs on the logical parent and tells what is kept', () => {
  const boundary = row(
    3,
    'system',
    {
      subtype: 'compact_boundary',
      logicalParentUuid: id(2),
      compactMetadata: { trigger: 'auto', preTokens: 9, preservedMessages: { uuids: [id(2)] } },
    },
    null,
  );
  const { outputs } = readRows([prompt(1, 'hi'), said(2, 'hello'), boundary, prompt(4, 'Summary.', { isCompactSummary: true })]);
  expect(outputs).toContainEqual({ type: 'mark', keys: [id(3)], after: id(2) });
  const summary = entries(outputs).at(-1);
  expect(summary).toMatchObject({
    kind: 'summary',
    content: { text: 'Summary.', trigger: 'auto', tokensBefore: 9 },
    retainFromKey: id(2),
    place: { kind: 'after', key: id(3) },
  });
});

test('uuids that are no uuids are kept apart by session, and a self-made parent is not believed', () => {
  const { outputs, identity } = readRows([{ type: 'user', uuid: 'u1', parentUuid: 'u1', message: { content: 'hi' } }]);
  expect(entries(outputs)[0]?.keys).toEqual([`${identity.nativeId}/u1`]);
  expect(entries(outputs)[0]?.place).toEqual({ kind: 'after', key: null });
});

test('records without uuid or parent follow each other in the file', () => {
  const { outputs } = readRows([
    { type: 'user', message: { content: 'hi' } },
    { type: 'assistant', message: { content: 'hello' } },
  ]);
  const [first, second] = entries(outputs);
  expect(second?.place).toEqual({ kind: 'after', key: first?.keys[0] });
});

test('an error of the API is a notice and ends the turn, never an answer', () => {
  const { outputs } = readRows([
    said(1, [{ type: 'text', text: 'API Error: 529' }], { model: '<synthetic>' }),
    row(2, 'assistant', {
      isApiErrorMessage: true,
      error: 'rate_limit',
      message: { content: [{ type: 'text', text: 'You have hit your limit' }] },
    }),
  ]);
  const [answer, notice, turn] = entries(outputs);
  expect(answer?.kind === 'assistant' && answer.content.model).toBe(undefined);
  expect(notice).toMatchObject({ kind: 'notice', content: { code: 'limit', level: 'error' } });
  expect(turn).toMatchObject({ kind: 'turn', content: { phase: 'failed' }, keys: [id(2)] });
});

test('a person’s own command is a step with its output, and both texts reach the model', () => {
  const { outputs } = readRows([
    prompt(1, '<bash-input>ls src</bash-input>'),
    prompt(2, '<bash-stdout>cart.js</bash-stdout><bash-stderr>warn</bash-stderr>'),
  ]);
  expect(kinds(outputs)).toEqual(['user', 'step', 'user']);
  expect(entries(outputs)[1]?.content).toEqual({
    title: 'ls src',
    output: 'cart.js\nwarn',
    isError: false,
    details: { action: 'command', status: 'completed', command: 'ls src' },
  });
});

test('the head is the leaf that the last-prompt record names; the nil uuid names none', () => {
  const { outputs } = readRows([
    prompt(1, 'hi'),
    { type: 'last-prompt', leafUuid: id(1) },
    { type: 'last-prompt', leafUuid: id(1), explicit: true },
    { type: 'last-prompt', leafUuid: '00000000-0000-0000-0000-000000000000', explicit: true },
    { type: 'last-prompt', lastPrompt: 'hi' },
  ]);
  expect(outputs.filter((output) => output.type === 'head')).toEqual([
    { type: 'head', key: id(1), exact: false },
    { type: 'head', key: id(1), exact: true },
    { type: 'head', key: null, exact: false },
  ]);
});

test('a subagent that wrote into the same file does not take the head with it', () => {
  const { outputs, facts } = readRows([
    prompt(1, 'hi'),
    prompt(2, 'Look around.', { isSidechain: true }, null),
    said(3, 'seen', {}, 2),
    said(4, 'hello', {}, 1),
  ]);
  expect(entries(outputs)[1]).toMatchObject({ content: { origin: 'harness' }, trust: 'model' });
  expect(outputs.filter((output) => output.type === 'head').at(-1)).toEqual({ type: 'head', key: id(4), exact: false });
  expect(facts.firstPrompt).toBe('hi');
});

test('an answer to a question, a denial and an exit code are facts of the action', () => {
  const { outputs } = readRows([
    said(1, [
      call('q', 'AskUserQuestion', { questions: [{ question: 'Which DB?' }] }),
      call('b'),
      call('w', 'WebFetch', { url: 'https://example.org', prompt: 'x' }),
    ]),
    prompt(
      2,
      [result('q', 'answered')],
      { toolUseResult: { questions: [{ question: 'Which DB?' }], answers: { 'Which DB?': 'sqlite' } } },
      1,
    ),
    prompt(3, [result('b', 'Exit code 3\nbefore', { is_error: true })], { toolUseResult: 'Error: Exit code 3\nbefore' }, 1),
    prompt(4, [result('w', 'page')], { toolUseResult: { durationMs: 12 } }, 1),
    said(5, [call('d')]),
    prompt(6, [result('d', 'no', { is_error: true })], {
      toolDenialKind: 'user-rejected',
      toolUseResult: 'User rejected tool use',
    }),
  ]);
  const results = entries(outputs).flatMap((entry) =>
    entry.kind === 'tool_result' ? [[entry.trust, entry.content.details]] : [],
  );
  expect(results).toEqual([
    ['tool', { action: 'question', status: 'completed', questions: [{ question: 'Which DB?', answer: 'sqlite' }] }],
    ['tool', { action: 'command', status: 'failed', command: 'make', exitCode: 3 }],
    ['web', { action: 'fetch', status: 'completed', durationMs: 12, url: 'https://example.org' }],
    [
      'tool',
      {
        action: 'command',
        status: 'denied',
        command: 'make',
        decision: { allowed: false, by: 'user' },
        extra: { message: 'User rejected tool use' },
      },
    ],
  ]);
});

test('a call id that is used again belongs to its nearest call', () => {
  const { outputs } = readRows([
    said(1, [call('t', 'Read', { file_path: '/a' })]),
    prompt(2, [result('t')]),
    said(3, [call('t', 'Bash')]),
    prompt(4, [result('t')]),
  ]);
  expect(entries(outputs).flatMap((entry) => (entry.kind === 'tool_result' ? [entry.content.toolName] : []))).toEqual([
    'Read',
    'Bash',
  ]);
});

test('a session is named by the command that the program expanded, not by local commands', () => {
  const { facts } = readRows([
    prompt(1, command('model', 'opus')),
    prompt(2, '<local-command-stdout>Set model</local-command-stdout>'),
    prompt(3, command('review', '12')),
    prompt(4, [{ type: 'text', text: 'Review the change.' }], { isMeta: true }),
    prompt(5, 'and fix it'),
  ]);
  expect(facts.firstPrompt).toBe('/review 12');
});

test('a run of a program is marked until a person takes it over', () => {
  const first = prompt(1, 'check', { entrypoint: 'sdk-ts' });
  expect(readRows([first]).facts).toMatchObject({ surface: 'sdk', automation: true });
  expect(readRows([first, prompt(2, 'now me', { entrypoint: 'cli' })]).facts).toMatchObject({
    surface: 'cli',
    automation: false,
  });
  expect(readRows([prompt(1, 'by hand', { entrypoint: 'sdk-cli' })]).facts.automation).toBe(undefined);
});

test('a title that a person gave stands beside the generated one, an old summary counts only for its own leaf', () => {
  const own = readRows([
    { type: 'summary', summary: 'Old talk', leafUuid: id(1) },
    prompt(1, 'hi'),
    { type: 'custom-title', customTitle: 'Mine\nand yours' },
  ]);
  expect(own.facts).toMatchObject({ generatedTitle: 'Old talk', customTitle: 'Mine and yours' });
  expect(readRows([{ type: 'summary', summary: 'Of another', leafUuid: id(9) }, prompt(1, 'hi')]).facts.generatedTitle).toBe(
    undefined,
  );
  expect(
    readRows([{ type: 'summary', summary: 'Of another', leafUuid: id(9) }, prompt(1, 'hi'), { type: 'ai-title', aiTitle: 'T' }])
      .facts.generatedTitle,
  ).toBe('T');
});

test('a copy names the session that it was made from', () => {
  const from = 'bbbbbbbb-0000-4000-8000-000000000000';
  expect(readRows([prompt(1, 'hi', { forkedFrom: { sessionId: from, messageUuid: id(1) } })]).facts.forkedFrom).toBe(from);
  expect(readRows([prompt(1, 'hi', { forkedFrom: { sessionId: '../../x' } })]).facts.forkedFrom).toBe(undefined);
});

test('a setting is told when it changes, not when it is first seen', () => {
  const { outputs } = readRows([
    prompt(1, 'a', { permissionMode: 'default' }),
    said(2, 'b'),
    prompt(3, 'c', { permissionMode: 'plan' }),
    said(4, 'd', { model: 'claude-y' }),
    prompt(5, 'e', { permissionMode: 'plan' }),
  ]);
  expect(entries(outputs).flatMap((entry) => (entry.kind === 'setting' ? [entry.content] : []))).toEqual([
    { name: 'permission', value: 'plan' },
    { name: 'model', value: 'claude-y' },
  ]);
});

import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { Draft, NativeRecord, ReadOutput, SessionFacts } from '../../contract/read.ts';
import { draftsOf, event, header, item, legacy, readAll, recordsFrom, rollout, said, threadId } from '../fixture-records.ts';
import { codexReader } from './reader.ts';

const started = (turn_id: string): JsonObject => event({ type: 'task_started', turn_id });
const ended = (turn_id: string): JsonObject => event({ type: 'task_complete', turn_id });
const completed = (item_: JsonObject, turn_id = 't1'): JsonObject =>
  event({ type: 'item_completed', thread_id: threadId, turn_id, item: item_ });
const call = (name: string, args: JsonObject, call_id: string): JsonObject =>
  item({ type: 'function_call', name, arguments: JSON.stringify(args), call_id });
const output = (call_id: string, text: string): JsonObject => item({ type: 'function_call_output', call_id, output: text });

function drafts(records: readonly NativeRecord[]): readonly Draft[] {
  return draftsOf(readAll(rollout, records));
}

function kinds(records: readonly NativeRecord[]): readonly string[] {
  return drafts(records).map((draft) => draft.kind);
}

function typed(records: readonly NativeRecord[]): readonly string[] {
  return drafts(records).flatMap((draft) =>
    draft.kind === 'user' && draft.content.origin === 'typed'
      ? draft.content.content.map((block) => (block.type === 'text' ? block.text : '<image>'))
      : [],
  );
}

function factsOf(outputs: readonly ReadOutput[]): SessionFacts {
  return Object.assign({}, ...outputs.map((out) => (out.type === 'facts' ? out.facts : {}))) as SessionFacts;
}

const message = (kind: string, text: string): JsonObject =>
  item({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
    internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] },
  });

const count = (input_tokens: number): JsonObject => event({ type: 'token_count', info: { total_token_usage: { input_tokens } } });

const plan = (status: string): JsonObject => ({ plan: [{ step: 'Edit', status }] });

const turn = (id: string, text: string): readonly JsonObject[] => [
  started(id),
  said('user', text),
  said('assistant', `re ${text}`),
  ended(id),
];

const context = (fields: JsonObject): JsonObject => ({
  timestamp: '2026-11-30T02:58:03.000Z',
  type: 'turn_context',
  payload: { cwd: '/home/user/shop', model: 'gpt-5.5', approval_policy: 'never', ...fields },
});

test('the two forms of a message make one entry, whichever comes first', () => {
  const prompt = [said('user', 'hello'), event({ type: 'user_message', message: 'hello' })];
  const answer = [event({ type: 'agent_message', message: 'hi there' }), said('assistant', 'hi  there')];
  expect(kinds(legacy(started('t1'), ...prompt, ...answer))).toEqual(['turn', 'user', 'assistant']);
  expect(kinds(legacy(started('t1'), ...prompt.toReversed(), ...answer.toReversed()))).toEqual(['turn', 'user', 'assistant']);
});

test('equal prompts inside one turn stay as many as they were', () => {
  const pair = [said('user', 'continue'), event({ type: 'user_message', message: 'continue' })];
  expect(typed(legacy(started('t1'), ...pair, ...pair))).toEqual(['continue', 'continue']);
  expect(typed(legacy(started('t1'), ...pair, ended('t1'), started('t2'), ...pair))).toEqual(['continue', 'continue']);
});

test('forms that differ by an attachment are one message when nothing stands between them', () => {
  const withImage = item({
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: '<image name=[Image #1]>' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: 'What is it?' },
    ],
  });
  expect(typed(legacy(started('t1'), withImage, event({ type: 'user_message', message: 'What is it?', images: ['x'] })))).toEqual(
    ['<image>', 'What is it?'],
  );
});

test('a message that has one form only is not lost', () => {
  expect(
    kinds(
      legacy(event({ type: 'user_message', message: 'only in the UI' }), event({ type: 'agent_message', message: 'so too' })),
    ),
  ).toEqual(['user', 'assistant']);
  expect(kinds(legacy(said('user', 'only for the model')))).toEqual(['user']);
});

test('what Codex puts into the user role is the harness’s, never a prompt and never a title', () => {
  const injected = [
    '<environment_context>\n  <cwd>/x</cwd>\n</environment_context>',
    '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>',
    '<user_instructions>be kind</user_instructions>',
    '<turn_aborted>\nstopped\n</turn_aborted>',
    '<user_shell_command>\n<command>ls</command>\n</user_shell_command>',
  ];
  const records = legacy(
    ...injected.map((text) => said('user', text)),
    said('user', '<environment_context> is what I ask about'),
  );
  expect(typed(records)).toEqual(['<environment_context> is what I ask about']);
  expect(factsOf(readAll(rollout, records)).firstPrompt).toBe('<environment_context> is what I ask about');
});

test('the kinds of content items are believed over the text', () => {
  const records = legacy(
    message('generic.hint', 'plain words'),
    message('user.text', '<turn_aborted>typed by hand</turn_aborted>'),
  );
  expect(typed(records)).toEqual(['<turn_aborted>typed by hand</turn_aborted>']);
});

test('the editor’s context before the request is no part of the title', () => {
  const text = '# Context from my IDE setup:\n\n## Open tabs:\n- a.js\n\n## My request for Codex:\nFix the total\n';
  expect(factsOf(readAll(rollout, legacy(said('user', text)))).firstPrompt).toBe('Fix the total');
});

test('what the UI log tells of a call becomes the details of its result', () => {
  const command = {
    type: 'CommandExecution',
    id: 'c1',
    command: ['/bin/bash', '-lc', 'false'],
    cwd: 'file:///home/user/a%20b',
    status: 'failed',
    exit_code: 1,
    aggregated_output: '',
    duration: { secs: 1, nanos: 5e8 },
  };
  const records = legacy(started('t1'), call('exec_command', { cmd: 'false' }, 'c1'), completed(command), output('c1', 'failed'));
  const result = drafts(records).at(-1);
  expect(result?.content).toEqual({
    toolCallId: 'c1',
    toolName: 'exec_command',
    content: [{ type: 'text', text: 'failed' }],
    isError: true,
    details: { action: 'command', command: 'false', status: 'failed', cwd: '/home/user/a b', exitCode: 1, durationMs: 1500 },
  });
});

test('an action that answers no open call is a step, at its place', () => {
  const inner = completed({
    type: 'CommandExecution',
    id: 'exec-1',
    command: ['ls', '-l'],
    status: 'completed',
    exit_code: 0,
    aggregated_output: 'x',
  });
  const records = legacy(started('t1'), call('exec', {}, 'c1'), inner, output('c1', 'ok'), ended('t1'), started('t2'), inner);
  const steps = drafts(records).filter((draft) => draft.kind === 'step');
  expect(drafts(records).map((draft) => draft.kind)).toEqual([
    'turn',
    'assistant',
    'step',
    'tool_result',
    'turn',
    'turn',
    'step',
  ]);
  expect(steps[0]?.content).toMatchObject({
    stepId: 'exec-1',
    title: 'ls -l',
    output: 'x',
    isError: false,
    details: { command: 'ls -l' },
  });
  expect(steps[1]?.content.details.extra).toEqual({ turnId: 't1' });
});

test('facts of a call that never got its result become a step when the turn ends', () => {
  const command = completed({ type: 'CommandExecution', id: 'c1', command: ['make'], status: 'completed', exit_code: 0 });
  expect(
    kinds(
      legacy(started('t1'), call('exec_command', { cmd: 'make' }, 'c1'), command, event({ type: 'turn_aborted', turn_id: 't1' })),
    ),
  ).toEqual(['turn', 'assistant', 'step', 'turn']);
});

test('the pieces of one response share a message id, and its tokens are said once', () => {
  const usage = {
    input_tokens: 100,
    cached_input_tokens: 40,
    cache_write_input_tokens: 10,
    output_tokens: 7,
    reasoning_output_tokens: 3,
  };
  const record = {
    timestamp: '2026-11-30T02:58:03.000Z',
    type: 'token_usage_record',
    payload: { thread_id: threadId, response_id: 'r1', usage },
  };
  const records = legacy(
    started('t1'),
    item({ type: 'reasoning', id: 'rs1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAAA' }),
    said('assistant', 'Looking.'),
    call('exec_command', { cmd: 'ls' }, 'c1'),
    record,
    record,
    output('c1', 'x'),
    said('assistant', 'Done.'),
  );
  const pieces = drafts(records).flatMap((draft) => (draft.kind === 'assistant' ? [draft.content] : []));
  expect(pieces.map((piece) => piece.messageId)).toEqual(['rs1', 'rs1', 'rs1', 'rs1', pieces.at(-1)?.messageId]);
  expect(pieces.at(-1)?.messageId).not.toBe('rs1');
  expect(pieces.flatMap((piece) => piece.usage ?? [])).toEqual([
    { input: 50, output: 7, cacheRead: 40, cacheWrite: 10, reasoning: 3 },
  ]);
});

test('sealed reasoning leaves an empty mark and nothing of its text', () => {
  const [piece] = drafts(legacy(item({ type: 'reasoning', id: 'rs1', summary: [], encrypted_content: 'gAAAAsecret' })));
  expect(piece?.content).toMatchObject({ content: [{ type: 'thinking', thinking: '', redacted: true }] });
  expect(JSON.stringify(piece)).not.toContain('gAAAA');
});

test('cumulative totals that go down and up again count each time', () => {
  const inputs = drafts(
    legacy(count(100), count(100), count(50), count(100), event({ type: 'token_count', info: null })),
  ).flatMap((draft) => (draft.kind === 'assistant' ? [draft.content.usage?.input] : []));
  expect(inputs).toEqual([100, 50, 50]);
});

test('the answers to questions stand beside them', () => {
  const questions = [
    { id: 'color', question: 'Which color?' },
    { id: 'size', question: 'Which size?' },
  ];
  const answers = JSON.stringify({ answers: { color: { answers: ['Red'] } } });
  const result = drafts(legacy(call('request_user_input', { questions }, 'c1'), output('c1', answers))).at(-1);
  expect(result?.kind === 'tool_result' ? result.content.details?.questions : undefined).toEqual([
    { question: 'Which color?', answer: 'Red' },
    { question: 'Which size?' },
  ]);
});

test('a plan is said when it changes', () => {
  const records = legacy(
    call('update_plan', plan('pending'), 'c1'),
    event({ type: 'plan_update', ...plan('pending') }),
    call('update_plan', plan('completed'), 'c2'),
  );
  const plans = drafts(records).flatMap((draft) => (draft.kind === 'plan' ? [draft.content.items] : []));
  expect(plans).toEqual([[{ text: 'Edit', status: 'pending' }], [{ text: 'Edit', status: 'completed' }]]);
});

test('turns dropped in place leave a fork where the first of them began', () => {
  const records = legacy(
    ...turn('t1', 'one'),
    ...turn('t2', 'two'),
    ...turn('t3', 'three'),
    event({ type: 'thread_rolled_back', num_turns: 2 }),
    ...turn('t4', 'four'),
  );
  const all = drafts(records);
  const endOfFirst = all.find((draft) => draft.kind === 'turn' && draft.content.phase === 'completed');
  const fourth = all.findIndex((draft) => draft.kind === 'turn' && draft.content.turnId === 't4');
  expect(all[fourth]?.place).toEqual({ kind: 'after', key: endOfFirst?.keys[0], fork: true });
  expect(all.filter((draft) => draft.place.kind !== 'tip').length).toBe(1);
});

test('a rewind to before the first turn begins a new root, and the thread goes on from there', () => {
  const segment = '01a22a6c-50c0-7f92-ba2a-839267018c2d';
  const file = rollout.replace('.jsonl', `_${segment}.jsonl`);
  const records = recordsFrom(
    [header({ history_mode: 'paginated' }), started('t1')].map((value, ordinal) => ({ ...value, ordinal })),
  );
  const outputs = readAll(file, records);
  expect(draftsOf(outputs)[0]).toMatchObject({
    keys: [expect.any(String), 'turn:t1'],
    place: { kind: 'after', key: null, fork: true },
  });
  const key = draftsOf(outputs)[0]?.keys[0] ?? '';
  expect(outputs).toContainEqual({ type: 'head', key, exact: false });
  expect(outputs).toContainEqual({ type: 'mark', keys: [`${segment}#000000000001`], after: key });
});

test('settings are said when they change', () => {
  const records = legacy(
    context({}),
    context({}),
    context({ model: 'gpt-6', cwd: '/home/user/barn' }),
    context({ approval_policy: 'on-request', effort: 'high' }),
  );
  const settings = drafts(records).flatMap((draft) =>
    draft.kind === 'setting' ? [`${draft.content.name}=${draft.content.value}`] : [],
  );
  expect(settings).toEqual([
    'model=gpt-5.5',
    'model=gpt-6',
    'cwd=/home/user/barn',
    'model=gpt-5.5',
    'cwd=/home/user/shop',
    'permission=on-request',
  ]);
});

test('names, archive mark and imports come from the files beside the sessions', () => {
  const home = '/home/user/.codex';
  const texts: Record<string, string> = {
    [`${home}/session_index.jsonl`]: [
      JSON.stringify({ id: threadId, thread_name: 'First name' }),
      'junk',
      JSON.stringify({ id: threadId, thread_name: 'Second\nname' }),
    ].join('\n'),
    [`${home}/external_agent_session_imports.json`]: JSON.stringify({
      records: [
        {
          imported_thread_id: threadId,
          source_path: '/home/user/.claude/projects/-x/7b1f2c3d-1111-4222-8333-444455556666.jsonl',
        },
      ],
    }),
  };
  const sidecars = { text: (path: string) => texts[path], list: () => [] };
  const identity = { nativeId: threadId, part: threadId, needs: [] };
  expect(codexReader.sidecarFacts?.(identity, rollout, sidecars)).toEqual({
    archived: false,
    generatedTitle: 'Second name',
    importedFrom: {
      harness: 'claude',
      nativeId: '7b1f2c3d-1111-4222-8333-444455556666',
      path: '/home/user/.claude/projects/-x/7b1f2c3d-1111-4222-8333-444455556666.jsonl',
    },
  });
  const other = { ...identity, nativeId: '01a22a64-63c3-79c3-9a24-f975df31a015' };
  const archived = 'C:\\Users\\user\\.codex\\archived_sessions\\rollout-x.jsonl';
  expect(codexReader.sidecarFacts?.(other, archived, sidecars)).toEqual({ archived: true });
});

test('content that is a plain string or of an unknown kind is kept', () => {
  const records = legacy(
    item({ type: 'message', role: 'user', content: 'as a string' }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_hologram', bytes: 1 }] }),
  );
  expect(typed(records)).toEqual(['as a string']);
  expect(drafts(records).at(-1)?.content).toMatchObject({ content: [{ type: 'text', text: '[output_hologram]' }] });
});

test('ids in capital letters name the same thread', () => {
  const upper = threadId.toUpperCase();
  const usage = {
    timestamp: '2026-11-30T02:58:03.000Z',
    type: 'token_usage_record',
    payload: { thread_id: upper, response_id: 'r', usage: { input_tokens: 5 } },
  };
  const records = recordsFrom([header({ id: upper }), usage]);
  expect(codexReader.identify(rollout, records, { text: () => undefined, list: () => [] })?.nativeId).toBe(threadId);
  expect(drafts(records)[0]?.content).toMatchObject({ usage: { input: 5 } });
});

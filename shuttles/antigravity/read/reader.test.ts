/** What records of stores, transcripts and artifacts become; nothing is thrown, and any cut of the records gives the same. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { Draft, NativeRecord, ReadOutput } from '../../contract/read.ts';
import { promptOf } from './prompt.ts';
import { antigravityReader } from './reader.ts';

const id = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';
const root = '/home/user/.gemini/antigravity-cli';
const paths = {
  native: `${root}/conversations/${id}.db#steps`,
  transcript: `${root}/brain/${id}/.system_generated/logs/transcript_full.jsonl`,
  'artifact:task.md': `${root}/brain/${id}/task.md#ab`,
} as const;

function records(values: readonly JsonObject[]): readonly NativeRecord[] {
  return values.map((value, index) => ({ ok: true, offset: index * 100, length: 99, value }));
}
function readAll(part: keyof typeof paths, values: readonly NativeRecord[], cuts: readonly number[] = []): readonly ReadOutput[] {
  let state = antigravityReader.start({ nativeId: id, part, needs: [] }, paths[part]);
  const out: ReadOutput[] = [];
  let from = 0;
  for (const end of [...cuts, values.length].toSorted((a, b) => a - b)) {
    const read = antigravityReader.read(JSON.parse(JSON.stringify(state)) as typeof state, values.slice(from, end));
    state = read.state;
    expect(JSON.stringify(state).length).toBeLessThan(200_000);
    out.push(...read.outputs);
    from = end;
  }
  return out;
}
function drafts(part: keyof typeof paths, ...values: readonly JsonObject[]): readonly Draft[] {
  return readAll(part, records(values)).filter((output) => output.type === 'entry');
}
const contents = (part: keyof typeof paths, ...values: readonly JsonObject[]): readonly unknown[] =>
  drafts(part, ...values).map(({ kind, content }) => [kind, content]);

const call = (name: string, args: object): JsonObject => ({ id: 'c1', name, args: JSON.stringify(args) });
const step = (type: number, over: JsonObject): JsonObject => ({
  record: 'step',
  idx: 1,
  type,
  status: 3,
  at: 1_796_000_000_000,
  ...over,
});
const line = (type: string, over: JsonObject): JsonObject => ({
  step_index: 1,
  source: 'MODEL',
  type,
  status: 'DONE',
  created_at: '2026-11-30T00:53:20Z',
  ...over,
});

test('a failed answer says why, a cancelled one ends its turn, and limits are told apart', () => {
  expect(contents('native', step(15, { status: 7, error: 'RESOURCE_EXHAUSTED', body: {} }))).toEqual([
    ['notice', { level: 'error', code: 'limit', text: 'RESOURCE_EXHAUSTED' }],
    ['turn', { phase: 'failed', error: 'RESOURCE_EXHAUSTED' }],
  ]);
  expect(contents('native', step(15, { status: 6, body: { text: 'Half' } })).at(-1)).toEqual(['turn', { phase: 'interrupted' }]);
});

test('an edit is a diff where the call says the line, a new file is one whole, and else there are only counts', () => {
  const files = (name: string, args: object): unknown =>
    drafts('native', step(5, { call: call(name, args), body: {} })).flatMap((draft) =>
      draft.kind === 'tool_result' ? draft.content.details?.files : [],
    )[0];
  const change = { TargetFile: '/home/user/shop/a.ts', TargetContent: 'a\nb', ReplacementContent: 'c' };
  expect(files('replace_file_content', { ...change, StartLine: 4, EndLine: 5 })).toEqual({
    path: '/home/user/shop/a.ts',
    change: 'update',
    added: 1,
    removed: 2,
    diff: '@@ -4,2 +4,1 @@\n-a\n-b\n+c\n',
  });
  expect(files('replace_file_content', change)).toEqual({ path: '/home/user/shop/a.ts', change: 'update', added: 1, removed: 2 });
  expect(files('write_to_file', { TargetFile: '/home/user/shop/b.ts', CodeContent: 'x\ny\n' })).toEqual({
    path: '/home/user/shop/b.ts',
    change: 'add',
    added: 2,
    removed: 0,
    diff: '@@ -0,0 +1,2 @@\n+x\n+y\n',
  });
});

test('a step of a type that nobody knows is kept, as a result when it answers a call', () => {
  expect(contents('native', step(999, {}))).toEqual([['opaque', { nativeType: 'step 999' }]]);
  expect(contents('native', step(998, { call: call('tomorrow', {}) }))).toEqual([
    [
      'tool_result',
      { toolCallId: 'c1', toolName: 'tomorrow', content: [], isError: false, details: { action: 'other', status: 'completed' } },
    ],
  ]);
});

test('results of a transcript find their calls by type, in order', () => {
  const calls = [
    { name: 'run_command', args: { CommandLine: '"npm t"', Cwd: '"/home/user/shop"' } },
    { name: 'view_file', args: { AbsolutePath: '"/home/user/shop/a"', StartLine: '1' } },
    { name: 'view_file', args: { AbsolutePath: '"/home/user/shop/b"' } },
  ];
  const read = drafts(
    'transcript',
    line('PLANNER_RESPONSE', { content: '', tool_calls: calls }),
    line('VIEW_FILE', { step_index: 2, content: 'A' }),
    line('RUN_COMMAND', { step_index: 3, content: 'The command failed with exit code: 2\nOutput:\nno' }),
    line('VIEW_FILE', { step_index: 4, content: 'B' }),
    line('VIEW_FILE', { step_index: 5, content: 'C' }),
  );
  const scope = `agy:${id}/transcript#1`;
  expect(
    read.map((draft) => (draft.kind === 'tool_result' ? [draft.content.toolCallId, draft.content.isError] : draft.kind)),
  ).toEqual(['assistant', [`${scope}.1`, false], [`${scope}.0`, true], [`${scope}.2`, false], 'step']);
  const command = read.flatMap((draft) =>
    draft.kind === 'tool_result' && draft.content.toolName === 'run_command' ? [draft.content.details] : [],
  )[0];
  expect(command).toEqual({ action: 'command', status: 'failed', command: 'npm t', cwd: '/home/user/shop', exitCode: 2 });
  const [said] = read;
  expect(said?.kind === 'assistant' && said.content.content[1]).toMatchObject({
    arguments: { AbsolutePath: '/home/user/shop/a', StartLine: 1 },
  });
});

test('the words of a prompt are what stands in its wrapper; a prompt that speaks of wrappers stays whole', () => {
  const parts = (text: string): unknown => [promptOf(text).words, promptOf(text).context];
  expect(parts('<USER_REQUEST>\nGo.\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nIt is noon.\n</ADDITIONAL_METADATA>')).toEqual([
    'Go.',
    'It is noon.',
  ]);
  expect(parts('<USER_REQUEST>Go.<ADDITIONAL_METADATA>{"cwd":"/x"}</ADDITIONAL_METADATA></USER_REQUEST>')).toEqual([
    'Go.',
    '{"cwd":"/x"}',
  ]);
  expect(parts('<USER_REQUEST>\nWhat is <ADDITIONAL_METADATA>?\n</USER_REQUEST>')).toEqual([
    'What is <ADDITIONAL_METADATA>?',
    '',
  ]);
  expect(parts('What does </USER_REQUEST> close?')).toEqual(['What does </USER_REQUEST> close?', '']);
});

test('tasks are a plan with their states, other artifacts stand as they are, at their time', () => {
  const artifact = (text: string): JsonObject => ({ record: 'artifact', text, updatedAt: 1_796_000_012_150 });
  const [plan] = drafts('artifact:task.md', artifact('# Tasks\n- [x] one\n  - [/] two\n- [ ] three\n- none\n'));
  expect(plan).toMatchObject({
    kind: 'plan',
    at: 1_796_000_012_150,
    content: {
      items: [
        { text: 'one', status: 'completed' },
        { text: 'two', status: 'inProgress' },
        { text: 'three', status: 'pending' },
      ],
    },
  });
  expect(contents('artifact:task.md', artifact('Nothing yet.'))).toEqual([
    ['notice', { level: 'info', code: 'info', text: 'task.md\n\nNothing yet.' }],
  ]);
});

const samples: readonly JsonObject[] = [
  { record: 'conversation', at: 1, cwd: '/home/user/shop', branch: 'main' },
  step(14, { body: { text: '<USER_REQUEST>x</USER_REQUEST>', images: [{ data: 'x' }] } }),
  step(15, {
    usage: { input: 1 },
    body: {
      text: 'x',
      thinking: 'y',
      calls: [call('view_file', {}), call('ask_question', { questions: [{ question: '?' }] })],
      stop: 2,
    },
  }),
  step(21, { call: call('run_command', { CommandLine: 'x' }), body: { exit: 1, text: 'x' } }),
  step(5, {
    call: call('multi_replace_file_content', {
      TargetFile: 'x',
      ReplacementChunks: [{ TargetContent: 'a', ReplacementContent: 'b' }],
    }),
    body: {},
  }),
  { record: 'summary', title: 'x', cwd: 'y', updatedAt: 1 },
  { record: 'sealed', encrypted: true },
  { record: 'artifact', text: '- [x] a', type: 'x', summary: 'y' },
  line('PLANNER_RESPONSE', { content: 'x', tool_calls: [{ name: 'run_command', args: { a: '1' } }] }),
  line('RUN_COMMAND', { content: 'exit code: 1' }),
  line('USER_INPUT', { source: 'USER_EXPLICIT', content: 'x' }),
  line('SYSTEM_MESSAGE', { source: 'SYSTEM', content: 'x' }),
];
const junk: readonly JsonValue[] = [null, true, -1, 1e300, '', 'x', '{', [], [null], {}, [[{}]]];

function mutated(value: JsonValue, pick: () => number): JsonValue {
  if (pick() < 6) return junk[pick() % junk.length] ?? null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => mutated(item, pick));
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, member]) => [name, mutated(member ?? null, pick)]));
}

test('junk in any place is survived, and a cut anywhere changes nothing', () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.nat({ max: 99 })),
      fc.array(fc.nat({ max: samples.length - 1 }), { maxLength: 30 }),
      fc.constantFrom(...(Object.keys(paths) as (keyof typeof paths)[])),
      fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
      (stream, chosen, part, cuts) => {
        const values = records(
          chosen
            .map((index) => mutated(samples[index] ?? {}, () => stream.next().value ?? 50))
            .filter((value): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)),
        );
        const whole = readAll(part, values).filter(({ type }) => type !== 'facts');
        const pieces = readAll(
          part,
          values,
          cuts.filter((at) => at <= values.length),
        ).filter(({ type }) => type !== 'facts');
        expect(pieces).toEqual(whole);
      },
    ),
    { seed: 21, numRuns: 300 },
  );
});

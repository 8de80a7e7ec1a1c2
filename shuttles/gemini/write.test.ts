/** A written session as the program gives it to its model: all of it, in order, each thing once, however often it is resumed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import type { AssistantBlock, Message, UserBlock } from '../contract/message.ts';
import type { Draft } from '../contract/read.ts';
import type { Environment, WrittenSession } from '../contract/shuttle.ts';
import { RecordCutter } from '../kit/records.ts';
import { pairsIn, resumedTurns, rewrittenBy } from './fixture-program.ts';
import { readRecords } from './fixture-records.ts';
import { geminiWrite } from './write.ts';
import { promptWords } from './write/prompt-words.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const nativeId = 'aaaaaaaa-0000-4000-8000-000000000001';
const now = Date.UTC(2026, 10, 30, 12, 34, 56);
const baton = '# Hand-over\nThe goal: fix the cart.';
/** Enough of a PNG to be known as one. */
const dot = 'iVBORw0KGgoA';
const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
const user = (...blocks: UserBlock[]): Message => ({ role: 'user', content: blocks });
const answer = (...content: AssistantBlock[]): Message => ({ role: 'assistant', content });
const call = (id: string, name: string, input: JsonObject): AssistantBlock => ({ type: 'toolCall', id, name, arguments: input });
const result = (toolCallId: string, words: string, isError = false, ...more: UserBlock[]): Message => ({
  role: 'toolResult',
  toolCallId,
  toolName: '',
  content: [text(words), ...more],
  isError,
});

function written(messages: readonly Message[], given = baton): WrittenSession {
  return geminiWrite.write(
    { messages, baton: given, title: 'Fix\nthe cart', cwd: '/home/user/shop', nativeId, now },
    environment,
  );
}
const textOf = ({ bytes }: WrittenSession): string => Buffer.from(bytes).toString('utf8');
const rowsOf = (session: WrittenSession): readonly JsonObject[] =>
  textOf(session)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
function draftsOf(file: string, path: string): readonly Draft[] {
  return readRecords(new RecordCutter(0).feed(Buffer.from(file)), path).drafts;
}

const conversation: readonly Message[] = [
  user(text('Fix the cart.')),
  answer(
    { type: 'thinking', thinking: 'hmm', signature: 's' },
    text('I look first.'),
    call('call:1/a', 'exec_command', { cmd: 'ls' }),
    call('b__c', 'Read', { file_path: '/home/user/shop/a.js' }),
    text('And then.'),
    call('odd', 'sessions.spawn', { agent: 'x' }),
  ),
  result('b__c', 'text of a', false, { type: 'image', mimeType: 'image/png', data: dot }),
  result('call:1/a', 'a.js', true),
  result('odd', 'spawned'),
  answer(text('Fixed.')),
];

test('the file lies where the program looks, under a name that its clean-up passes over', () => {
  const session = written(conversation);
  expect(session.path).toBe(`/home/user/.gemini/tmp/shop/chats/session-2026-11-30T12-34-loom-${nativeId}.jsonl`);
  expect(/-([a-zA-Z0-9]{8})\.jsonl?$/.test(session.path)).toBe(false);
  expect(session.mode).toBe(0o600);
  expect(rowsOf(session)[0]).toEqual({
    sessionId: nativeId,
    projectHash: '193843b098df3bf773089b46cad6966b77f05af1a75e57fecadb3adf33306bfe',
    startTime: expect.any(String),
    lastUpdated: '2026-11-30T12:34:56.000Z',
    kind: 'main',
    summary: 'Fix the cart',
  });
  expect(() => written(conversation).path).not.toThrow();
  expect(() => geminiWrite.write({ messages: [], baton, title: '', cwd: '/', nativeId: '../x', now }, environment)).toThrow(
    /UUID/,
  );
});

test('calls stand before their results, with the program’s names, and what it has no tool for is told', () => {
  expect(resumedTurns(textOf(written(conversation))).map(({ role, parts }) => [role, parts])).toEqual([
    ['user', [{ text: baton }]],
    ['user', [{ text: 'Fix the cart.' }]],
    [
      'model',
      [
        { text: 'I look first.' },
        { functionCall: { id: 'call-1-a', name: 'run_shell_command', args: { command: 'ls' } } },
        { functionCall: { id: 'b-c', name: 'read_file', args: { file_path: '/home/user/shop/a.js' } } },
      ],
    ],
    [
      'user',
      [
        { functionResponse: { id: 'call-1-a', name: 'run_shell_command', response: { error: 'a.js' } } },
        { functionResponse: { id: 'b-c', name: 'read_file', response: { output: 'text of a' } } },
        { inlineData: { mimeType: 'image/png', data: dot } },
      ],
    ],
    ['model', [{ text: 'And then.' }, { text: expect.stringContaining('sessions.spawn') }]],
    ['model', [{ text: 'Fixed.' }]],
  ]);
});

test('Loom’s reader finds the baton as Loom’s, the prompts as the person’s, and every picture of a result', () => {
  const session = written(conversation);
  const drafts = draftsOf(textOf(session), session.path);
  const origins = drafts.flatMap(({ kind, content }) => (kind === 'user' && 'origin' in content ? [content.origin] : []));
  expect(origins).toEqual(['loom', 'typed']);
  const results = drafts.flatMap(({ kind, content }) => (kind === 'tool_result' && 'isError' in content ? [content] : []));
  expect(results.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
    ['call-1-a', true],
    ['b-c', false],
  ]);
  expect(results[1]?.content).toEqual([text('text of a'), { type: 'image', mimeType: 'image/png', data: dot }]);
});

test('what the program would leave out or take for its own has a mark, and keeps its words', () => {
  const words = [
    '/home is here',
    ' ?why',
    '<session_context>x</session_context>',
    '<state_snapshot>',
    '# Hand-over from me',
    'a/b',
  ];
  for (const each of words) {
    const [block] = promptWords([text(each)]);
    expect(block).toEqual(text(each === 'a/b' ? each : `[Prompt] ${each}`));
  }
  expect(promptWords([text('one'), text('/two')])).toEqual([text('one'), text('/two')]);
  const session = written(words.map((each) => user(text(each))));
  const said = JSON.stringify(resumedTurns(textOf(session)));
  for (const each of words) expect(said).toContain(each);
  const origins = draftsOf(textOf(session), session.path).map(({ content }) => ('origin' in content ? content.origin : ''));
  expect(origins).toEqual(['loom', ...words.map(() => 'typed')]);
});

test('separators that the program cuts lines at, NUL and halves of characters do not break a line', () => {
  const session = written([user(text('a\u2028b\u2029c\0d\uD800')), answer(text('ok'))]);
  expect(resumedTurns(textOf(session)).map(({ parts }) => parts[0]?.['text'])).toEqual([
    baton,
    'a\u2028b\u2029c\uFFFDd\uFFFD',
    'ok',
  ]);
});

test('a thread that is too long keeps its newest turns word for word, and says what is gone', () => {
  const messages = Array.from({ length: 1500 }, (_, n) => [
    user(text(`Prompt ${n}.`)),
    answer(call(`c${n}`, 'Bash', { command: `echo ${n}` })),
    result(`c${n}`, 'a line of output that says nothing\n'.repeat(100)),
    answer(text(`Answer ${n}.`)),
  ]).flat();
  const session = written(messages);
  expect(session.bytes.length).toBeLessThan(1_200_000);
  expect(session.warnings.join(' ')).toMatch(/turns were left out/);
  const said = textOf(session);
  expect(said).toContain('earlier turns are left out here');
  expect(said).toContain('Answer 1499.');
});

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('/x', '?', '<hook_context>', '', ' ', '\u2028'),
);
const anyCall = fc.oneof(
  words.map((command) => ({ name: 'Bash', input: { command } })),
  words.map((path) => ({ name: 'Read', input: { file_path: path } })),
  words.map((input) => ({ name: 'mcp__x__y', input: { input } })),
);
const ids = fc.constantFrom('a', 'a-2', 'b__c', 'b/c', 'x'.repeat(80), '');
const anyMessage = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 3 }).map((list): Message => user(...list.map(text))),
  fc
    .array(
      fc.oneof(
        words.map((said): AssistantBlock => text(said)),
        fc.tuple(ids, anyCall).map(([id, made]) => call(id, made.name, made.input)),
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((blocks): Message => answer(...blocks)),
  fc.tuple(ids, words, fc.boolean()).map(([id, said, isError]) => result(id, said, isError)),
);

test('of any conversation every call has its one result right behind it, also when it is resumed again and again', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 12 }), (messages) => {
      const session = written(messages);
      let file = textOf(session);
      const first = resumedTurns(file);
      for (let resumes = 0; resumes < 3; resumes++) {
        const turns = resumedTurns(file);
        expect(turns.map(({ role, parts }) => [role, parts])).toEqual(first.map(({ role, parts }) => [role, parts]));
        for (const { calls, responses } of pairsIn(turns)) expect(responses).toEqual(calls);
        file += rewrittenBy(file);
      }
      const made = pairsIn(first).flatMap(({ calls }) => calls);
      expect(new Set(made).size).toBe(made.length);
      expect(first[0]?.parts).toEqual([{ text: baton }]);
      for (const message of messages)
        if (message.role === 'user')
          for (const block of message.content)
            if (block.type === 'text' && block.text.trim() !== '')
              expect(
                first.some(
                  ({ role, parts }) =>
                    role === 'user' &&
                    JSON.stringify(parts).includes(
                      JSON.stringify(block.text.toWellFormed().replaceAll('\0', '\uFFFD')).slice(1, -1),
                    ),
                ),
              ).toBe(true);
    }),
    { seed: 61, numRuns: 120 },
  );
});

test('what the program writes behind it is one line of entries for Loom', () => {
  const session = written(conversation);
  const own = textOf(session);
  const next = `${JSON.stringify({ id: 'next', type: 'user', content: [{ text: 'Go on' }] })}\n`;
  const file = own + rewrittenBy(own) + next;
  const drafts = draftsOf(file + rewrittenBy(file), session.path);
  const keys = new Set(draftsOf(own, session.path).map((draft) => draft.keys[0]));
  const added = drafts.filter((draft) => !keys.has(draft.keys[0]));
  const fresh = new Map(added.map((draft) => [draft.keys[0], draft]));
  expect([...fresh.values()].map(({ kind, content }) => [kind, 'origin' in content ? content.origin : ''])).toEqual([
    ['user', 'harness'],
    ['user', 'typed'],
  ]);
});

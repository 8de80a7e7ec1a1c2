import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import type { Message, ToolCallBlock, UserBlock } from '../contract/message.ts';
import type { Draft } from '../contract/read.ts';
import type { Environment, WriteRequest } from '../contract/shuttle.ts';
import { noSidecars, readRecords, recordsOf } from './fixture-records.ts';
import { claudeWrite } from './write.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const nativeId = 'aaaaaaaa-0000-4000-8000-000000000000';
/** Enough of a PNG to be known as one. */
const dot = 'iVBORw0KGgoA';
const baton = '# Hand-over\nThe goal: fix the cart.';
const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
const call = (id: string, name: string, input: JsonObject): ToolCallBlock => ({ type: 'toolCall', id, name, arguments: input });
const user = (...blocks: UserBlock[]): Message => ({ role: 'user', content: blocks });
const result = (toolCallId: string, toolName: string, words: string, isError = false): Message => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  content: [text(words)],
  isError,
});

function write(
  messages: readonly Message[],
  rest: Partial<WriteRequest> = {},
): { rows: readonly JsonObject[]; warnings: readonly string[]; path: string; drafts: readonly Draft[] } {
  const written = claudeWrite.write(
    {
      messages,
      baton,
      title: 'Fix the cart (from Codex)',
      cwd: '/home/user/shop',
      branch: 'main',
      nativeId,
      now: Date.UTC(2026, 10, 30),
      programVersion: '2.1.332 (Claude Code)',
      ...rest,
    },
    environment,
  );
  const records = recordsOf(written.bytes);
  return {
    rows: records.map((record) => (record.ok ? record.value : {})),
    warnings: written.warnings,
    path: written.path,
    drafts: readRecords(written.path, records, noSidecars).outputs.filter((output) => output.type === 'entry'),
  };
}

interface Seen {
  readonly role: string;
  readonly content: readonly JsonObject[];
}
/** The messages as the program would send them. */
function sent(rows: readonly JsonObject[]): readonly Seen[] {
  return rows.flatMap((row) => {
    const message = row['message'] as { role: string; content: string | readonly JsonObject[] } | undefined;
    if (message === undefined) return [];
    return [{ role: message.role, content: typeof message.content === 'string' ? [text(message.content)] : message.content }];
  });
}

const conversation: readonly Message[] = [
  user(text('List the files and fix the cart.')),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hmm', signature: 's' },
      text('I look first.'),
      call('call:1/a', 'exec_command', { cmd: 'ls' }),
    ],
  },
  result('call:1/a', 'exec_command', 'README.md\nsrc'),
  { role: 'assistant', content: [call('call_2', 'apply_patch', { input: '*** Begin Patch\n```\n' })] },
  result('call_2', 'apply_patch', 'Done!'),
  { role: 'assistant', content: [text('Fixed.')] },
];

test('a carried session has the envelope and the order that every version resumes', () => {
  const { rows, path } = write(conversation);
  expect(path).toBe(`/home/user/.claude/projects/-home-user-shop/${nativeId}.jsonl`);
  const records = rows.slice(0, -1);
  expect(rows.at(-1)).toEqual({ type: 'custom-title', customTitle: 'Fix the cart (from Codex)', sessionId: nativeId });
  let parent: unknown = null;
  let before: unknown = '';
  for (const row of records) {
    expect(row).toMatchObject({
      isSidechain: false,
      userType: 'external',
      entrypoint: 'cli',
      cwd: '/home/user/shop',
      sessionId: nativeId,
      version: '2.1.332',
      gitBranch: 'main',
      parentUuid: parent,
    });
    expect(Date.parse(row['timestamp'] as string)).toBeGreaterThan(before === '' ? 0 : Date.parse(before as string));
    [parent, before] = [row['uuid'], row['timestamp']];
  }
  expect(before).toBe('2026-11-30T00:00:00.000Z');
  expect(sent(rows).map((message) => message.role)).toEqual(['user', 'user', 'assistant', 'user', 'assistant']);
});

test('a shell call of Codex is Bash, other foreign calls are text with quoted output, thinking is gone', () => {
  const messages = sent(write(conversation).rows);
  expect(messages[2]?.content).toEqual([
    text('I look first.'),
    { type: 'tool_use', id: 'call_1_a', name: 'Bash', input: { command: 'ls' } },
  ]);
  expect(messages[3]?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'call_1_a', content: 'README.md\nsrc', is_error: false },
  ]);
  const [foreign, answer] = messages[4]?.content ?? [];
  expect(foreign?.['text']).toBe(
    '[Tool call in another harness: apply_patch]\n````\n*** Begin Patch\n```\n\n````\n[Output of apply_patch, quoted as data]\n```\nDone!\n```',
  );
  expect(answer).toEqual(text('Fixed.'));
  expect(JSON.stringify(messages)).not.toContain('hmm');
});

test.each<[string, JsonObject, string | undefined]>([
  ['exec_command', { cmd: 'ls', workdir: '/home/user/shop' }, 'ls'],
  ['exec_command', { cmd: 'ls', workdir: '/elsewhere' }, undefined],
  ['shell', { command: ['bash', '-lc', 'cat a && cat b'] }, 'cat a && cat b'],
  ['shell', { command: ['git', 'log', "--grep=it's"] }, "git log '--grep=it'\\''s'"],
  ['shell', { command: ['git', 5] }, undefined],
  ['local_shell', { command: ['sh', '-c', 'true'] }, 'true'],
  ['exec', { input: "const r = await tools.exec_command({cmd:'cat \\'a b\\'.js'});\ntext(r.output);" }, "cat 'a b'.js"],
  ['exec', { input: "const r = await tools.exec_command({cmd:'ls'});\ntext(r.output.slice(0, 10));" }, undefined],
  ['exec', { input: 'const r = await tools.exec_command({cmd:`ls ${x}`});\ntext(r.output);' }, undefined],
  ['Bash', { command: 'make' }, 'make'],
  ['Bash', { cmd: 'make' }, undefined],
  ['bash', { command: 'make', timeout: 5 }, 'make'],
  ['run_shell_command', { command: 'make', description: 'Builds' }, 'make'],
  ['run_shell_command', { command: 'make', dir_path: 'packages/a' }, undefined],
  ['run_shell_command', { command: 'serve', is_background: true }, undefined],
])('%s %j runs as %s', (name, input, command) => {
  const messages = sent(
    write([user(text('go')), { role: 'assistant', content: [call('c', name, input)] }, result('c', name, 'out')]).rows,
  );
  const block = messages[2]?.content[0];
  if (command === undefined) expect(block?.['type']).toBe('text');
  else expect(block).toEqual({ type: 'tool_use', id: 'c', name: 'Bash', input: { command } });
});

test('a call without a result gets one that says so', () => {
  const { rows } = write([
    user(text('go')),
    { role: 'assistant', content: [call('a', 'Bash', { command: 'x' }), call('b', 'Bash', { command: 'y' })] },
    result('b', 'Bash', 'done'),
  ]);
  const results = sent(rows).at(-1)?.content ?? [];
  expect(results.map((block) => [block['tool_use_id'], block['is_error']])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  expect(results[0]?.['content']).toContain('Interrupted');
});

test('an id that comes again gets another name, in call and result alike', () => {
  const once: readonly Message[] = [
    { role: 'assistant', content: [call('x', 'Read', { file_path: '/a' })] },
    result('x', 'Read', 'one'),
  ];
  const messages = sent(write([user(text('go')), ...once, user(text('again')), ...once]).rows);
  expect(messages.flatMap((message) => message.content.flatMap((block) => block['id'] ?? block['tool_use_id'] ?? []))).toEqual([
    'x',
    'x',
    'x-2',
    'x-2',
  ]);
});

test('images stay, also in results; NUL and half characters do not', () => {
  const image = { type: 'image' as const, mimeType: 'image/png', data: dot };
  const { rows } = write([
    user(text('see'), image),
    { role: 'assistant', content: [call('r', 'Read', { file_path: '/a.png' })] },
    { role: 'toolResult', toolCallId: 'r', toolName: 'Read', content: [image], isError: false },
    user(text('a\0b\uD83D')),
  ]);
  const source = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: dot } };
  const messages = sent(rows);
  expect(messages[1]?.content).toEqual([text('see'), source]);
  expect(messages[3]?.content[0]?.['content']).toEqual([source]);
  expect(messages[4]?.content).toEqual([text('a\uFFFDb\uFFFD')]);
});

test('the baton is Loom’s, not a prompt of the person, and a session never begins with the assistant', () => {
  const { drafts } = write(conversation);
  expect(drafts[0]).toMatchObject({ kind: 'user', trust: 'loom', content: { origin: 'loom', content: [text(baton)] } });
  expect(sent(write([{ role: 'assistant', content: [text('hi')] }], { baton: ' ' }).rows)[0]?.role).toBe('user');
});

test('what is written is read back as the same messages', () => {
  const messages = conversation.flatMap((message): readonly string[] => {
    if (message.role === 'user') return message.content.flatMap((block) => (block.type === 'text' ? block.text : []));
    if (message.role === 'toolResult')
      return message.toolName === 'apply_patch'
        ? []
        : message.content.flatMap((block) => (block.type === 'text' ? block.text : []));
    return message.content.flatMap((block) => (block.type === 'text' && message.role === 'assistant' ? block.text : []));
  });
  const { drafts } = write(conversation);
  const read = drafts.flatMap((draft) =>
    draft.kind === 'user' || draft.kind === 'assistant' || draft.kind === 'tool_result'
      ? draft.content.content.flatMap((block) => (block.type === 'text' ? block.text : []))
      : [],
  );
  expect(read.filter((words) => !words.startsWith('[Tool call'))).toEqual([baton, ...messages]);
  expect(drafts.flatMap((draft) => (draft.kind === 'tool_result' ? [draft.content.toolName] : []))).toEqual(['Bash']);
});

test('a long session is made to fit: outputs first, then the oldest turns, and it says so', () => {
  const long = Array.from({ length: 40 }, (_, i): readonly Message[] => [
    user(text(`prompt ${i}`)),
    { role: 'assistant', content: [text(`answer ${i}`), call(`c${i}`, 'Bash', { command: `make ${i}` })] },
    result(`c${i}`, 'Bash', 'x'.repeat(30_000)),
  ]).flat();
  const shortened = write(long);
  expect(shortened.warnings).toHaveLength(1);
  expect(sent(shortened.rows)).toHaveLength(1 + 40 * 3);
  expect(JSON.stringify(shortened.rows.at(-2))).toContain('x'.repeat(30_000));

  const talk = Array.from({ length: 60 }, (_, i): readonly Message[] => [
    user(text(`prompt ${i}`)),
    { role: 'assistant', content: [text('y'.repeat(20_000))] },
  ]).flat();
  const cut = write(talk);
  const messages = sent(cut.rows);
  expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThan(640_000);
  expect(messages[1]?.content[0]?.['text']).toMatch(/^\[\d+ earlier turns are left out here/);
  expect(messages[2]?.role).toBe('user');
  expect(messages.at(-2)?.content).toEqual([text('prompt 59')]);
  expect(cut.warnings[0]).toMatch(/oldest \d+ of 120 turns/);

  const huge = write([
    user(text('z'.repeat(2_000_000))),
    { role: 'assistant', content: [call('w', 'Write', { file_path: '/a', content: 'w'.repeat(900_000) })] },
  ]);
  expect(Buffer.byteLength(JSON.stringify(huge.rows))).toBeLessThan(640_000);
  expect(sent(huge.rows).map((message) => message.role)).toEqual(['user', 'user', 'assistant']);
});

const words = fc.string({ unit: 'binary', maxLength: 40 });
const block: fc.Arbitrary<UserBlock> = fc.oneof(
  words.map(text),
  fc.constant({ type: 'image' as const, mimeType: 'image/png', data: dot }),
);
const ids = fc.oneof(words, fc.constantFrom('a', 'b', 'call_1'));
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(block, { maxLength: 3 }) }),
  fc.record({ role: fc.constant('system' as const), content: fc.array(words.map(text), { maxLength: 1 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(
      fc.oneof(
        words.map(text),
        words.map((thinking) => ({ type: 'thinking' as const, thinking })),
        fc
          .tuple(
            ids,
            fc.constantFrom('Bash', 'Read', 'exec_command', 'apply_patch', 'mcp__x__y'),
            fc.constantFrom<JsonObject>({ command: 'x' }, { cmd: 'y' }, { file_path: '/a' }, {}),
          )
          .map(([id, name, input]) => call(id, name, input)),
      ),
      { maxLength: 4 },
    ),
  }),
  fc.record({
    role: fc.constant('toolResult' as const),
    toolCallId: ids,
    toolName: words,
    content: fc.array(block, { maxLength: 2 }),
    isError: fc.boolean(),
  }),
);

test('whatever the context is, every call is answered in the very next record by one result of the same id', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 20 }), (messages) => {
      const { rows } = write(messages);
      const seen = sent(rows);
      expect(seen[0]?.role).toBe('user');
      const used = new Set<unknown>();
      for (const [index, { role, content }] of seen.entries()) {
        expect(content.length).toBeGreaterThan(0);
        const calls = role === 'assistant' ? content.filter((part) => part['type'] === 'tool_use').map((part) => part['id']) : [];
        for (const id of calls) {
          expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(used.has(id)).toBe(false);
          used.add(id);
        }
        const answers = (seen[index + 1]?.content ?? [])
          .filter((part) => part['type'] === 'tool_result')
          .map((part) => part['tool_use_id']);
        if (role === 'assistant') expect(answers).toEqual(calls);
        if (role === 'assistant' && calls.length === 0) expect(seen[index + 1]?.role).not.toBe('assistant');
        expect(JSON.stringify(content)).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }
      const ofMessages = rows.map((row) => (row['message'] as JsonObject | undefined)?.['id']).filter((id) => id !== undefined);
      expect(new Set(ofMessages).size).toBe(ofMessages.length);
    }),
    { numRuns: 500, seed: 3 },
  );
});

test('a new id is a UUID that depends on the random bytes alone', () => {
  expect(claudeWrite.newNativeId(0, new Uint8Array(16).fill(255))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  expect(() => write([], { nativeId: '../../x' })).toThrow('UUID');
});

test('no id ends in a mark that the program takes for its own sign of a double', () => {
  const { rows } = write([
    user(text('go')),
    { role: 'assistant', content: [call('call_12', 'Bash', { command: 'x' })] },
    result('call_12', 'Bash', 'ok'),
  ]);
  expect(sent(rows).flatMap((message) => message.content.flatMap((part) => part['id'] ?? part['tool_use_id'] ?? []))).toEqual([
    'call-12',
    'call-12',
  ]);
});

test('one prompt with thousands of calls behind it keeps the prompt and the newest calls, and the gap is said', () => {
  const calls = Array.from({ length: 3000 }, (_, i): readonly Message[] => [
    { role: 'assistant', content: [call(`c${i}`, 'exec_command', { cmd: `cat file${i}` })] },
    result(`c${i}`, 'exec_command', `line of ${i}\n`.repeat(200)),
  ]).flat();
  const { rows, warnings, drafts } = write([user(text('Old ask.')), user(text('Refactor it all.')), ...calls]);
  const said = JSON.stringify(rows);
  expect(Buffer.byteLength(JSON.stringify(sent(rows)))).toBeLessThan(800_000);
  expect(said).toContain('Refactor it all.');
  expect(said).toContain('cat file2999');
  expect(said).not.toContain('"cat file10"');
  expect(said).toContain('Earlier steps of this turn are left out here');
  expect(warnings.join(' ')).toContain('first steps of the oldest turn');
  expect(drafts.filter((draft) => draft.kind === 'tool_result').length).toBeGreaterThan(150);
});

test('one answer made of thousands of quoted calls keeps the newest of them', () => {
  const calls = Array.from({ length: 3000 }, (_, i): readonly Message[] => [
    { role: 'assistant', content: [call(`c${i}`, 'apply_patch', { input: `patch ${i} `.repeat(40) })] },
    result(`c${i}`, 'apply_patch', `Done ${i}`),
  ]).flat();
  const { rows } = write([user(text('Patch it all.')), ...calls, { role: 'assistant', content: [text('All patched.')] }]);
  const said = JSON.stringify(rows);
  expect(Buffer.byteLength(JSON.stringify(sent(rows)))).toBeLessThan(800_000);
  expect(said).toContain('Patch it all.');
  expect(said).toContain('patch 2999 ');
  expect(said).toContain('All patched.');
  expect(said).not.toContain('patch 10 ');
});

const png = (width: number, height: number, size: number): UserBlock => {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const sides = Buffer.alloc(8);
  sides.writeUInt32BE(width);
  sides.writeUInt32BE(height, 4);
  const data = Buffer.concat([head, sides, Buffer.alloc(size)]).toString('base64');
  return { type: 'image', mimeType: 'image/png', data };
};
const imagesIn = (rows: readonly JsonObject[]): readonly string[] =>
  sent(rows).flatMap(({ content }) =>
    content.flatMap((part) => (part['type'] === 'image' ? [JSON.stringify(part['source'])] : [])),
  );

test('pictures that the API refuses become a word, and it is said', () => {
  const { rows, warnings } = write([
    user(text('see'), png(8001, 10, 10), png(10, 10, 4_000_000), { type: 'image', mimeType: 'image/png', data: 'AAAA' }),
    user(
      png(8000, 10, 10),
      { type: 'image', mimeType: 'image/jpeg', data: dot },
      { type: 'image', mimeType: 'image/png', url: 'file:///x.png' },
    ),
  ]);
  const images = imagesIn(rows);
  expect(images).toHaveLength(2);
  expect(images[1]).toContain('"media_type":"image/png"');
  expect(warnings).toEqual(["4 images were left out: Claude Code's model does not take their type or size."]);
});

test('of many pictures the newest twenty stay', () => {
  const { rows, warnings } = write(Array.from({ length: 25 }, (_, n) => user(text(`p${n}`), png(10 + n, 10, 10))));
  expect(imagesIn(rows)).toHaveLength(20);
  expect(JSON.stringify(sent(rows)[5])).toContain('[image left out]');
  expect(JSON.stringify(sent(rows)[6])).toContain('"image"');
  expect(warnings).toEqual(["5 older images were left out: a request to Claude Code's model cannot carry them all."]);
});

test('pictures of a call that is told in words follow it, and are nobody’s prompt', () => {
  const { rows, drafts } = write([
    user(text('look')),
    { role: 'assistant', content: [call('v', 'view_image', { path: 'a.png' }), call('b', 'Bash', { command: 'ls' })] },
    { role: 'toolResult', toolCallId: 'v', toolName: 'view_image', content: [png(4, 4, 4)], isError: false },
    result('b', 'Bash', 'a.png'),
    { role: 'assistant', content: [text('I see.')] },
  ]);
  expect(imagesIn(rows)).toHaveLength(1);
  const seen = sent(rows);
  expect(seen[3]?.content[0]?.['type']).toBe('tool_result');
  expect(seen[4]?.content.map((part) => part['type'])).toEqual(['text', 'image']);
  expect(drafts.flatMap((draft) => (draft.kind === 'user' ? draft.content.origin : []))).toEqual(['loom', 'typed', 'harness']);
});

test('a prompt that is longer than the window is cut in its middle, and it is said', () => {
  const { rows, warnings } = write([
    user(text(`Start ${'words and more words '.repeat(150_000)} end`)),
    { role: 'assistant', content: [text('Read.')] },
  ]);
  const prompt = JSON.stringify(sent(rows)[1]);
  expect(prompt).toMatch(/Start .* end/);
  expect(prompt).toContain('characters left out');
  expect(warnings).toEqual(['Very long texts of the newest turns were shortened to fit into Claude Code’s window.']);
});

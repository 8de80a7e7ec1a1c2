import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import type { Message, ToolCallBlock, UserBlock } from '../contract/message.ts';
import type { Draft } from '../contract/read.ts';
import type { Environment, WriteRequest } from '../contract/shuttle.ts';
import { tokensOf } from '../kit/tokens.ts';
import { readRecords, recordsOf } from './fixture-records.ts';
import { piWrite } from './write.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const now = Date.UTC(2026, 10, 30);
const nativeId = '01a22a64-c81f-72c7-8bc5-d5d4c4c88d40';
const baton = '# Since then\nThe goal: fix the cart.';
const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const picture = { type: 'image' as const, mimeType: 'image/png', data: red };
const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
const call = (id: string, name: string, input: JsonObject): ToolCallBlock => ({ type: 'toolCall', id, name, arguments: input });
const user = (...blocks: UserBlock[]): Message => ({ role: 'user', content: blocks });
const result = (toolCallId: string, content: string | readonly UserBlock[], isError = false): Message => ({
  role: 'toolResult',
  toolCallId,
  toolName: 'x',
  content: typeof content === 'string' ? [text(content)] : content,
  isError,
});

interface Written {
  readonly path: string;
  readonly rows: readonly JsonObject[];
  readonly warnings: readonly string[];
  readonly drafts: readonly Draft[];
  /** Messages of the way from the last record to the root, as pi would send them. */
  readonly sent: readonly { readonly role: string; readonly content: readonly JsonObject[]; readonly row: JsonObject }[];
}

function write(
  messages: readonly Message[],
  rest: Partial<WriteRequest> = {},
  variables: Environment['variables'] = {},
): Written {
  const written = piWrite.write(
    { messages, baton, title: 'Fix the\ncart', cwd: '/home/user/shop', nativeId, now, ...rest },
    { ...environment, variables },
  );
  expect(Buffer.from(written.bytes).toString('utf8').endsWith('}\n')).toBe(true);
  const records = recordsOf(written.bytes);
  const rows = records.map((record) => (record.ok ? record.value : {}));
  const reading = readRecords(written.path, records);
  return { path: written.path, rows, warnings: written.warnings, drafts: reading.entries, sent: sentBy(rows) };
}

function timeOf(row: JsonObject): number {
  return Date.parse(row['timestamp'] as string);
}

function sentBy(rows: readonly JsonObject[]): Written['sent'] {
  const byId = new Map(rows.slice(1).map((row) => [row['id'], row]));
  const way: JsonObject[] = [];
  for (let row = rows.at(-1); row !== undefined; row = byId.get(row['parentId'])) way.unshift(row);
  return way.flatMap((row) => {
    if (row['type'] === 'custom_message') return [{ role: 'user', content: row['content'] as readonly JsonObject[], row }];
    if (row['type'] !== 'message') return [];
    const { role, content } = row['message'] as { role: string; content: readonly JsonObject[] };
    return [{ role, content, row }];
  });
}

const conversation: readonly Message[] = [
  { role: 'system', content: [text('You are another program.')] },
  user(text('List the files and fix the cart.')),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hmm', signature: 's' },
      text('I look first.'),
      call('call:1/a|fc_2', 'exec_command', { cmd: 'ls' }),
      call('r', 'Read', { file_path: '/home/user/shop/a.js' }),
    ],
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
  },
  result('r', 'contents of a'),
  result('call:1/a|fc_2', 'README.md\nsrc'),
  { role: 'assistant', content: [call('p', 'apply_patch', { input: '*** Begin Patch\n```\n' })] },
  result('p', 'Done!'),
  { role: 'assistant', content: [text('Fixed.')] },
];

test('a session has the header, the place and the line of records that pi continues', () => {
  const { path, rows, warnings } = write(conversation);
  expect(path).toMatch(/^\/home\/user\/\.pi\/agent\/sessions\/--home-user-shop--\/2026-11-29T23-59-59-99\dZ_/);
  expect(path.endsWith(`Z_${nativeId}.jsonl`)).toBe(true);
  expect(warnings).toEqual([]);
  const [header, name, origin, ...others] = rows;
  expect(header).toEqual({
    type: 'session',
    version: 3,
    id: nativeId,
    timestamp: name?.['timestamp'],
    cwd: '/home/user/shop',
  });
  expect(name).toMatchObject({ type: 'session_info', name: 'Fix the cart' });
  expect(origin).toMatchObject({ type: 'custom', customType: 'loom.origin' });
  expect(others.map((row) => (row['message'] as JsonObject)['role'])).toEqual([
    'user',
    'user',
    'assistant',
    'toolResult',
    'toolResult',
    'assistant',
  ]);
  let before: JsonObject | undefined;
  for (const row of rows.slice(1)) {
    expect(row['id']).toMatch(/^[0-9a-f]{8}$/);
    expect(row['parentId']).toBe(before?.['id'] ?? null);
    if (before !== undefined) expect(timeOf(row)).toBe(timeOf(before) + 1);
    before = row;
  }
  expect(before?.['timestamp']).toBe('2026-11-30T00:00:00.000Z');
});

test('answers are Loom’s own model’s, with every key of the usage, so that nothing is replayed as the person’s', () => {
  const answers = write(conversation).sent.filter(({ role }) => role === 'assistant');
  expect(answers.map(({ row }) => row['message'])).toMatchObject([{ stopReason: 'toolUse' }, { stopReason: 'stop' }]);
  for (const { row } of answers)
    expect(row['message']).toMatchObject({
      api: 'loom',
      provider: 'loom',
      model: 'carried',
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      timestamp: timeOf(row),
    });
  expect(JSON.stringify(write(conversation).rows)).not.toMatch(/hmm|another program|claude-sonnet/);
});

test('calls that pi has a tool for stay calls, each with its result behind it in the order of the calls; others are told', () => {
  const [, , asked, ...rest] = write(conversation).sent;
  expect(asked?.content).toEqual([
    text('I look first.'),
    { type: 'toolCall', id: 'call_1_a_fc_2', name: 'bash', arguments: { command: 'ls' } },
    { type: 'toolCall', id: 'r', name: 'read', arguments: { path: '/home/user/shop/a.js' } },
  ]);
  expect(rest.slice(0, 2).map(({ row }) => row['message'])).toMatchObject([
    { toolCallId: 'call_1_a_fc_2', toolName: 'bash', content: [text('README.md\nsrc')], isError: false },
    { toolCallId: 'r', toolName: 'read', content: [text('contents of a')], isError: false },
  ]);
  expect(rest[2]?.content).toEqual([
    text(
      '[Tool call in another harness: apply_patch]\n````\n*** Begin Patch\n```\n\n````\n[Output of apply_patch, quoted as data]\n```\nDone!\n```\n\nFixed.',
    ),
  ]);
  const mixed: Message = { role: 'assistant', content: [text('One.'), call('a', 'ls', {}), text('Two.'), text('Three.')] };
  expect(write([user(text('go')), mixed]).sent[2]?.content).toEqual([
    text('One.'),
    { type: 'toolCall', id: 'a', name: 'ls', arguments: {} },
    text('\n\nTwo.\n\nThree.'),
  ]);
});

test('a call without a result gets one that says so; a result that nobody asked for is told, and so is a second one', () => {
  const { sent } = write([
    user(text('go')),
    { role: 'assistant', content: [call('a', 'Bash', { command: 'x' }), call('b', 'Bash', { command: 'y' })] },
    result('b', 'done'),
    result('b', 'done again'),
    result('nowhere', 'of nothing', true),
  ]);
  expect(sent.slice(3).map(({ row }) => row['message'])).toMatchObject([
    { toolCallId: 'a', isError: true, content: [{ text: expect.stringContaining('Interrupted') as string }] },
    { toolCallId: 'b', isError: false, content: [text('done')] },
    {
      role: 'assistant',
      content: [{ text: expect.stringMatching(/done again[^]*it failed/) as string }],
    },
  ]);
});

test('an id that comes again gets another name, in call and result alike', () => {
  const once: readonly Message[] = [{ role: 'assistant', content: [call('x', 'Read', { file_path: '/a' })] }, result('x', 'one')];
  const { sent } = write([user(text('go')), ...once, user(text('again')), ...once]);
  const ids = sent.flatMap(({ content, row }) => [
    ...content.flatMap((block) => block['id'] ?? []),
    ...((row['message'] as JsonObject)['toolCallId'] === undefined ? [] : [(row['message'] as JsonObject)['toolCallId']]),
  ]);
  expect(ids).toEqual(['x', 'x', 'x-2', 'x-2']);
});

test('pictures stay where servers take them; those of answers, failed calls and told calls follow under a label', () => {
  const { sent, drafts } = write([
    user(text('see'), picture),
    { role: 'assistant', content: [picture, call('r', 'Read', { file_path: '/a.png' }), call('e', 'Bash', { command: 'x' })] },
    result('r', [picture]),
    result('e', [text('half'), picture], true),
    { role: 'assistant', content: [call('f', 'shot', {})] },
    result('f', [picture]),
  ]);
  const image = { type: 'image', data: red, mimeType: 'image/png' };
  expect(sent[1]?.content).toEqual([text('see'), image]);
  expect(sent[3]?.content).toEqual([image]);
  expect(sent[4]?.content).toEqual([text('half')]);
  expect(sent[5]).toMatchObject({ role: 'user', row: { type: 'custom_message', customType: 'loom.pictures' } });
  expect(sent[5]?.content.slice(1)).toEqual([image, image]);
  expect(sent[7]?.content.slice(1)).toEqual([image]);
  // Nothing of it is the person's word.
  expect(drafts.filter((draft) => draft.kind === 'user' && draft.trust === 'user')).toHaveLength(1);
});

test('a picture that a server would refuse is a line of text', () => {
  const odd = [
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'image', mimeType: 'image/png', url: 'https://example.org/dot.png' },
    { type: 'image', mimeType: 'image/png', data: red.padEnd(6_000_000, 'A') },
  ] as const;
  expect(write([user(...odd)]).sent.at(-1)?.content).toEqual([
    text('[image: image/png]'),
    text('[image: https://example.org/dot.png]'),
    text('[image: too large]'),
  ]);
});

test('an empty result says so, blank texts are left out, NUL and half characters are replaced, also in names of fields', () => {
  const { sent, rows } = write([
    user(text(' \n'), text('a\0b\uD83D')),
    { role: 'assistant', content: [text(''), call('c', 'Bash', { command: 'true' }), call('d', 'odd', { 'k\0': 'v' })] },
    result('c', ''),
    user(text('  ')),
  ]);
  expect(sent[1]?.content).toEqual([text('a\uFFFDb\uFFFD')]);
  expect(sent.at(-1)?.content).toEqual([text('(no output)')]);
  expect(JSON.stringify(rows)).not.toMatch(/\\u0000|\\ud83d/);
});

test('the baton is Loom’s whatever it says, and titles no thread', () => {
  const { drafts } = write(conversation);
  const first = drafts.find((draft) => draft.kind === 'user');
  expect(first).toMatchObject({ trust: 'loom', content: { origin: 'loom', content: [text(baton)] } });
  const { facts } = readRecords(write(conversation).path, recordsOf(Buffer.from(linesOf(conversation))));
  expect(facts).toMatchObject({
    customTitle: 'Fix the cart',
    firstPrompt: 'List the files and fix the cart.',
    cwd: '/home/user/shop',
  });
  expect(facts.model).toBeUndefined();
});

function linesOf(messages: readonly Message[]): string {
  return write(messages)
    .rows.map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}

test('models get the person’s turn first, and a file without any answer gets one, since old programs would write it twice', () => {
  const roles = (messages: readonly Message[], given = baton): readonly string[] =>
    write(messages, { baton: given }).sent.map(({ role }) => role);
  expect(roles([])).toEqual(['user', 'assistant']);
  expect(roles([], ' ')).toEqual(['user', 'assistant']);
  expect(roles([user(text('go'))])).toEqual(['user', 'assistant', 'user']);
  expect(roles([{ role: 'assistant', content: [text('hi')] }], '')).toEqual(['user', 'assistant']);
  expect(roles([user(text('go')), { role: 'assistant', content: [text('hi')] }], '')).toEqual(['user', 'assistant']);
});

test('the file lies where pi would make it, on every platform and where its variables say', () => {
  const place = (
    rest: Partial<WriteRequest>,
    variables: Environment['variables'] = {},
    platform: Environment['platform'] = 'linux',
  ) =>
    piWrite
      .write(
        { messages: [], baton, title: '', cwd: '/home/user/a b/c:d', nativeId, now, ...rest },
        { platform, home: platform === 'win32' ? 'C:\\Users\\u' : '/home/user', variables },
      )
      .path.replace(/2026-11-.*$/, '');
  expect(place({})).toBe('/home/user/.pi/agent/sessions/--home-user-a b-c-d--/');
  expect(place({}, { PI_CODING_AGENT_DIR: '/srv/pi' })).toBe('/srv/pi/sessions/--home-user-a b-c-d--/');
  expect(place({}, { PI_CODING_AGENT_SESSION_DIR: '/srv/flat' })).toBe('/srv/flat/');
  expect(place({ cwd: 'C:\\work\\shop' }, {}, 'win32')).toBe('C:\\Users\\u\\.pi\\agent\\sessions\\--C--work-shop--\\');
  expect(() => write([], { nativeId: '../../x' })).toThrow('pi session');
});

test('a new id is a UUID of version 7 of that time', () => {
  const id = piWrite.newNativeId(now, new Uint8Array(16).fill(255));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7fff-bfff-ffffffffffff$/);
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
});

test('a long session is made to fit: outputs first, then the oldest turns, and it says so', () => {
  const size = ({ sent }: Written): number => tokensOf(JSON.stringify(sent.map(({ content }) => content)));
  const long = Array.from({ length: 40 }, (_, i): readonly Message[] => [
    user(text(`prompt ${i}`)),
    { role: 'assistant', content: [text(`answer ${i}`), call(`c${i}`, 'Bash', { command: `make ${i}` })] },
    result(`c${i}`, 'word '.repeat(3000)),
  ]).flat();
  const shortened = write(long);
  expect(shortened.warnings).toHaveLength(1);
  expect(shortened.sent).toHaveLength(1 + 40 * 3);
  expect(shortened.sent.at(-1)?.content).toEqual([text('word '.repeat(3000))]);
  expect(size(shortened)).toBeLessThan(100_000);

  const talk = Array.from({ length: 60 }, (_, i): readonly Message[] => [
    user(text(`prompt ${i}`)),
    { role: 'assistant', content: [text('yes '.repeat(3000))] },
  ]).flat();
  const cut = write(talk);
  expect(size(cut)).toBeLessThan(100_000);
  expect(cut.sent[0]?.content[1]?.['text']).toMatch(/^\[\d+ earlier turns are left out here/);
  expect(cut.sent[1]?.role).toBe('user');
  expect(cut.sent.at(-2)?.content).toEqual([text('prompt 59')]);
  expect(cut.warnings[0]).toMatch(/oldest \d+ of 120 turns/);
  // What is missing is said by Loom, not by the person.
  expect(cut.drafts.filter((draft) => draft.kind === 'user' && draft.trust === 'user').length).toBe(
    cut.sent.filter(({ role }) => role === 'user').length - 1,
  );

  const huge = write([
    user(text('z'.repeat(2_000_000))),
    { role: 'assistant', content: [call('w', 'Write', { file_path: '/a', content: 'w'.repeat(900_000) })] },
  ]);
  expect(size(huge)).toBeLessThan(100_000);
  expect(huge.sent.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
});

test('one prompt with thousands of calls behind it keeps the prompt and the newest calls, and the gap is said', () => {
  const calls = Array.from({ length: 3000 }, (_, i): readonly Message[] => [
    { role: 'assistant', content: [call(`c${i}`, 'exec_command', { cmd: `cat file${i}` })] },
    result(`c${i}`, `line of ${i}\n`.repeat(200)),
  ]).flat();
  const { rows, warnings, drafts } = write([user(text('Old ask.')), user(text('Refactor it all.')), ...calls]);
  const said = JSON.stringify(rows);
  expect(said).toContain('Refactor it all.');
  expect(said).toContain('cat file2999');
  expect(said).not.toContain('"cat file10"');
  expect(said).toContain('Earlier steps of this turn are left out here');
  expect(warnings.join(' ')).toContain('first steps of the oldest turn');
  expect(drafts.filter((draft) => draft.kind === 'tool_result').length).toBeGreaterThan(100);
});

const words = fc.string({ unit: 'binary', maxLength: 40 });
const block: fc.Arbitrary<UserBlock> = fc.oneof(words.map(text), fc.constant(picture));
const ids = fc.oneof(words, fc.constantFrom('a', 'b', 'call_1'));
const names = fc.constantFrom('Bash', 'Read', 'exec_command', 'apply_patch', 'bash', 'edit', 'mcp__x__y', 'toString', '');
const inputs = fc.oneof(
  fc.constantFrom<JsonObject>({ command: 'x' }, { cmd: 'y' }, { file_path: '/a' }, {}, { path: 'a', oldText: '1', newText: '2' }),
  fc.dictionary(words, fc.jsonValue({ maxDepth: 2 })).map((value) => value as JsonObject),
);
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(block, { maxLength: 3 }) }),
  fc.record({ role: fc.constant('system' as const), content: fc.array(words.map(text), { maxLength: 1 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(
      fc.oneof(
        words.map(text),
        fc.constant(picture),
        words.map((thinking) => ({ type: 'thinking' as const, thinking })),
        fc.tuple(ids, names, inputs).map(([id, name, input]) => call(id, name, input)),
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

test('whatever the context is, it is one line that every version of pi and every server takes', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 20 }), (messages) => {
      const { rows, sent, drafts } = write(messages);
      const recordIds = rows.slice(1).map((row) => row['id']);
      expect(new Set(recordIds).size).toBe(recordIds.length);
      expect(sent[0]?.role).toBe('user');
      expect(sent.some(({ role }) => role === 'assistant')).toBe(true);
      expect(drafts.some((draft) => draft.kind === 'opaque')).toBe(false);
      const used = new Set<unknown>();
      for (const [index, { role, content, row }] of sent.entries()) {
        expect(content.length).toBeGreaterThan(0);
        for (const part of content) if (part['type'] === 'text') expect(part['text']).toMatch(/\S/);
        const message = row['message'] as JsonObject | undefined;
        const calls = role === 'assistant' ? content.filter((part) => part['type'] === 'toolCall') : [];
        for (const { id, arguments: given } of calls) {
          expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(typeof given === 'object' && given !== null && !Array.isArray(given)).toBe(true);
          expect(used.has(id)).toBe(false);
          used.add(id);
        }
        if (role === 'assistant') {
          const behind = sent.slice(index + 1, index + 1 + calls.length).map((next) => next.row['message'] as JsonObject);
          expect(behind.map((answer) => answer['toolCallId'])).toEqual(calls.map((part) => part['id']));
          expect(message?.['stopReason']).toBe(calls.length > 0 ? 'toolUse' : 'stop');
        }
        if (role === 'toolResult') expect(used.has(message?.['toolCallId'])).toBe(true);
        if (role === 'toolResult' && message?.['isError'] === true)
          expect(content.some((part) => part['type'] === 'image')).toBe(false);
        expect(JSON.stringify(row)).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }
      // No picture is lost, whoever showed it.
      const pictures = (list: readonly unknown[]): number => JSON.stringify(list).split(red).length - 1;
      expect(pictures(rows)).toBe(pictures(messages));
    }),
    { numRuns: 500, seed: 3 },
  );
});

import { expect, test } from 'vitest';
import type { Draft } from '../../contract/read.ts';
import { chained, contents, header, jsonl, message, readRecords, readRows, recordsOf, sessionPath } from '../fixture-records.ts';

const usage = { input: 10, output: 4, cacheRead: 3, cacheWrite: 2, reasoning: 1, totalTokens: 19, cost: { total: 0.25 } };
const answer = (text: string, rest: object = {}): object =>
  message('assistant', [{ type: 'text', text }], { provider: 'mock', model: 'mock-1', stopReason: 'stop', usage, ...rest });
const call = (id: string, name: string, args: object): object =>
  message('assistant', [{ type: 'toolCall', id, name, arguments: args }], { stopReason: 'toolUse' });
const result = (id: string, name: string, text: string, rest: object = {}): object =>
  message('toolResult', [{ type: 'text', text }], { toolCallId: id, toolName: name, isError: false, ...rest });

/** What an entry stands behind, by what the entries before it say. */
function behind(entries: readonly Draft[], outputs: readonly { readonly type: string }[]): readonly (string | null)[] {
  const words = new Map<string, string>();
  for (const output of outputs as readonly (
    Draft | { readonly type: 'mark'; readonly keys: readonly string[]; readonly after: string | null }
  )[]) {
    if (output.type === 'entry') words.set(output.keys[0] ?? '', said(output));
    else if (output.type === 'mark') words.set(output.keys[0] ?? '', words.get(output.after ?? '') ?? '?');
  }
  return entries.map(({ place }) => (place.kind === 'after' && place.key !== null ? (words.get(place.key) ?? 'unknown') : null));
}
function said(entry: Draft): string {
  return entry.kind === 'user' || entry.kind === 'assistant'
    ? entry.content.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    : entry.kind;
}

test('prompts, answers with tokens, cost and model, and the end of a turn', () => {
  const reading = readRows([message('user', 'hello'), answer('hi')]);
  expect(contents(reading, 'user')).toEqual([{ content: [{ type: 'text', text: 'hello' }], origin: 'typed' }]);
  expect(contents(reading, 'assistant')).toEqual([
    {
      content: [{ type: 'text', text: 'hi' }],
      model: 'mock-1',
      provider: 'mock',
      usage: { input: 10, output: 4, cacheRead: 3, cacheWrite: 2, reasoning: 1, cost: 0.25 },
      stopReason: 'stop',
    },
  ]);
  expect(contents(reading, 'turn')).toEqual([{ phase: 'completed' }]);
  expect(reading.facts).toMatchObject({
    firstPrompt: 'hello',
    startCwd: '/home/user/shop',
    model: 'mock-1',
    createdAt: Date.UTC(2026, 10, 2, 10),
    updatedAt: Date.UTC(2026, 10, 2, 10, 0, 2),
  });
});

test('a branch stands behind the record that its parent id names, ids of another file mean nothing', () => {
  const { entries, outputs } = readRows([
    message('user', 'one'),
    answer('first'),
    message('user', 'left'),
    { ...message('user', 'right'), parentId: '00000002' },
    { ...message('user', 'root again'), parentId: null },
    { ...message('user', 'lost'), parentId: 'ffffffff' },
  ]);
  const users = entries.filter((entry) => entry.kind === 'user');
  expect(behind(users, outputs)).toEqual([null, 'turn', 'turn', null, 'unknown']);
});

test('settings at the root make no entry and stand in nobody’s way; a later change is one', () => {
  const reading = readRows([
    { type: 'model_change', provider: 'mock', modelId: 'mock-1' },
    { type: 'thinking_level_change', thinkingLevel: 'medium' },
    message('user', 'one'),
    { type: 'model_change', model: 'other/mock-2' },
    { type: 'thinking_level_change', thinkingLevel: null },
    { type: 'thinking_level_change', thinkingLevel: 'high' },
    { type: 'thinking_level_change', thinkingLevel: 'high' },
    { type: 'mode_change', mode: 'none' },
    { type: 'mode_change', mode: 'plan' },
    { ...message('user', 'begun anew'), parentId: '00000001' },
  ]);
  const root = { kind: 'after', key: null };
  expect([reading.entries[0]?.place, reading.entries.at(-1)?.place]).toEqual([root, root]);
  expect(contents(reading, 'setting')).toEqual([
    { name: 'model', value: 'mock-2' },
    { name: 'thinking', value: 'high' },
    { name: 'mode', value: 'plan' },
  ]);
  expect(reading.facts.model).toBe('mock-2');
});

test('commands have their exit code, duration and end; a full output that was put elsewhere is named', () => {
  const reading = readRows([
    call('a', 'bash', { command: 'true' }),
    result('a', 'bash', 'ok', { durationMs: 12.4 }),
    call('b', 'bash', { command: 'exit 3' }),
    result('b', 'bash', '(no output)\n\nCommand exited with code 3', { isError: true }),
    call('c', 'bash', { command: 'sleep 9' }),
    result('c', 'bash', 'start\n\n\nCommand aborted', { isError: true }),
    call('d', 'Bash', { command: 'seq 1 99999' }),
    result('d', 'Bash', 'x\n\n\nWall time: 0.08 seconds', {
      details: { fullOutputPath: '/tmp/o.log', wallTimeMs: 80.2, truncation: { truncated: true } },
    }),
    call('e', 'bash', { command: 'rm -rf /' }),
    result('e', 'bash', 'Tool execution was blocked by the guard', { isError: true }),
  ]);
  expect(contents(reading, 'tool_result').map(({ details }) => details)).toEqual([
    { action: 'command', status: 'completed', command: 'true', exitCode: 0, durationMs: 12 },
    { action: 'command', status: 'failed', command: 'exit 3', exitCode: 3 },
    { action: 'command', status: 'interrupted', command: 'sleep 9' },
    {
      action: 'command',
      status: 'completed',
      command: 'seq 1 99999',
      exitCode: 0,
      durationMs: 80,
      truncated: true,
      extra: { savedAt: '/tmp/o.log' },
    },
    { action: 'command', status: 'denied', command: 'rm -rf /', decision: { allowed: false, by: 'extension' } },
  ]);
});

test('reads, searches, fetches, questions and calls of MCP servers are told apart; the web’s text is the web’s', () => {
  const reading = readRows([
    call('a', 'read', { path: 'a.txt' }),
    result('a', 'read', 'x'),
    call('b', 'grep', { pattern: 'x', path: 'src' }),
    result('b', 'grep', 'none'),
    call('c', 'fetch', { url: 'https://example.com' }),
    result('c', 'fetch', 'page'),
    call('d', 'ask', { question: 'Which?' }),
    result('d', 'ask', 'The first.'),
    call('e', 'mcp__tracker__list', {}),
    result('e', 'mcp__tracker__list', 'T1'),
    call('f', 'my_tool', {}),
    result('f', 'my_tool', 'done'),
  ]);
  const results = contents(reading, 'tool_result').map(({ details }) => details);
  expect(results.map((details) => details?.action)).toEqual(['read', 'search', 'fetch', 'question', 'mcp', 'other']);
  expect(results[0]?.extra).toEqual({ path: 'a.txt' });
  expect(results[2]?.url).toBe('https://example.com');
  expect(results[3]?.questions).toEqual([{ question: 'Which?', answer: 'The first.' }]);
  expect(results[4]?.server).toBe('tracker');
  expect(reading.entries.filter(({ trust }) => trust === 'web')).toHaveLength(1);
});

test('an id that is used again means the nearest call', () => {
  const reading = readRows([
    call('c', 'bash', { command: 'first' }),
    result('c', 'bash', '1'),
    call('c', 'bash', { command: 'again' }),
    result('c', 'bash', '2'),
  ]);
  expect(contents(reading, 'tool_result').map(({ details }) => details?.command)).toEqual(['first', 'again']);
});

test('an answer that failed or was aborted says so and is not given to the model again', () => {
  const reading = readRows([
    answer('part', { stopReason: 'error', errorMessage: '429: slow down' }),
    answer('part', { stopReason: 'aborted', errorMessage: 'Request was aborted' }),
    message('assistant', [], { stopReason: 'error', errorMessage: '500: oops' }),
    answer('cut', { stopReason: 'length' }),
    answer('later', { stopReason: 'deferred' }),
  ]);
  expect(contents(reading, 'notice').map(({ level, code, text }) => [level, code, text])).toEqual([
    ['error', 'limit', '429: slow down'],
    ['info', 'interrupted', 'Request was aborted'],
    ['error', 'apiError', '500: oops'],
  ]);
  const answers = reading.entries.filter((entry) => entry.kind === 'assistant');
  expect(reading.entries.flatMap(({ edit }) => edit ?? [])).toEqual(
    answers.slice(0, 2).map(({ keys }) => ({ keys: [keys[0]], content: null })),
  );
  expect(contents(reading, 'turn').map(({ phase }) => phase)).toEqual(['failed', 'interrupted', 'failed', 'completed']);
  expect(contents(reading, 'assistant').map(({ stopReason }) => stopReason)).toEqual(['error', 'aborted', 'length', undefined]);
});

test('a compaction retains from the record that it names, by id or, in the first versions, by number', () => {
  const reading = readRows([
    message('user', 'one'),
    { type: 'compaction', summary: 'So far.', firstKeptEntryId: '00000001', tokensBefore: 500, usage },
  ]);
  const summary = reading.entries.find((entry) => entry.kind === 'summary');
  expect(summary).toMatchObject({ content: { text: 'So far.', tokensBefore: 500 }, spent: { input: 10, output: 4 } });
  const marks = reading.outputs.flatMap((output) => (output.type === 'mark' ? output.keys : []));
  expect(marks).toContain(summary?.retainFromKey?.[1]);

  const old = [
    { ...header, version: undefined },
    { type: 'message', timestamp: '2025-11-01T10:00:01.000Z', message: { role: 'user', content: 'one' } },
    { type: 'compaction', timestamp: '2025-11-01T10:00:02.000Z', summary: 'So far.', firstKeptEntryIndex: 1, tokensBefore: 500 },
  ];
  const linear = readRecords(sessionPath, recordsOf(Buffer.from(jsonl(old))));
  const names = linear.outputs.flatMap((output) => (output.type === 'mark' ? [output.keys[0]] : []));
  expect(linear.entries[1]?.retainFromKey?.[1]).toBe(names[0]);
});

test('summaries of branches, notes of extensions and a person’s own commands are nobody’s prompts', () => {
  const reading = readRows([
    { type: 'branch_summary', fromId: 'x', summary: 'Tried it.', usage },
    { type: 'custom_message', customType: 'ext', content: 'A note.', display: false },
    message('hookMessage', 'An old note.', { customType: 'ext' }),
    message('custom', 'Kept back.', { customType: 'ext', excludeFromContext: true }),
    message('bashExecution', undefined, { command: 'false', output: '', exitCode: 1 }),
    message('bashExecution', undefined, { command: 'ls', output: 'a', exitCode: 0, excludeFromContext: true }),
  ]);
  expect(reading.entries.map(({ kind, trust }) => [kind, trust])).toEqual([
    ['user', 'model'],
    ['user', 'tool'],
    ['user', 'tool'],
    ['notice', 'tool'],
    ['step', 'tool'],
    ['user', 'tool'],
    ['step', 'tool'],
  ]);
  expect(contents(reading, 'user').map(({ origin }) => origin)).toEqual(['harness', 'hook', 'hook', 'harness']);
  expect(contents(reading, 'step')[0]).toMatchObject({
    title: 'false',
    isError: true,
    details: { status: 'failed', exitCode: 1 },
  });
  expect(reading.facts.firstPrompt).toBeUndefined();
  expect(reading.entries[0]?.spent).toMatchObject({ input: 10 });
});

test('names and labels are seen, state of extensions is not; tokens that kept a cache warm are counted', () => {
  const reading = readRows([
    message('user', 'one'),
    { type: 'session_info', name: ' Fix   the cart ' },
    { type: 'session_info', name: '' },
    { type: 'label', targetId: '00000001', label: 'here' },
    { type: 'label', targetId: '00000001' },
    { type: 'custom', customType: 'ext', data: { secret: 1 } },
    { type: 'active_tools_change', tools: [] },
    { type: 'usage', kind: 'cache_warm', usage, note: 'kept' },
  ]);
  expect(reading.facts.customTitle).toBe('Fix the cart');
  expect(contents(reading, 'setting')).toEqual([{ name: 'title', value: 'Fix the cart' }]);
  expect(contents(reading, 'notice').map(({ text }) => text)).toEqual(['Label: here', 'cache_warm: kept']);
  expect(reading.entries.flatMap(({ spent }) => spent ?? [])).toHaveLength(1);
});

test('the system prompt is one text of its sections, with the tools; it tells the folder of a file without a header', () => {
  const rows = chained([
    message('system', '', {
      sections: { preamble: 'You help.', cwd: '<cwd>\n/home/user/shop\n</cwd>', odd: 5 },
      toolsAdded: [{ name: 'read' }, { name: 'bash' }],
    }),
  ]);
  const reading = readRecords(sessionPath, recordsOf(Buffer.from(jsonl(rows))));
  expect(contents(reading, 'system')).toEqual([{ text: 'You help.\n\n<cwd>\n/home/user/shop\n</cwd>', tools: ['read', 'bash'] }]);
  expect(reading.facts).toMatchObject({ cwd: '/home/user/shop', createdAt: Date.UTC(2026, 10, 2, 10, 0, 1) });
});

test('omp is told by its title line and its folder; a call that its end broke off was interrupted', () => {
  const rows = [
    { type: 'title', v: 1, title: 'Given', source: 'user' },
    { ...header, title: 'Made up' },
    ...chained([
      call('c', 'bash', { command: 'sleep 9' }),
      {
        type: 'custom',
        customType: 'session_exit',
        data: { reason: 'sigint', kind: 'signal', pendingToolCalls: [{ toolCallId: 'c' }] },
      },
      result('c', 'bash', 's\n', { isError: true }),
      { type: 'custom', customType: 'session_exit', data: { reason: 'dispose', kind: 'normal' } },
    ]),
  ];
  const reading = readRecords(sessionPath, recordsOf(Buffer.from(jsonl(rows))));
  expect(reading.facts).toMatchObject({ programVersion: 'omp', customTitle: 'Given', generatedTitle: 'Made up' });
  expect(contents(reading, 'turn')).toEqual([{ phase: 'interrupted', error: 'sigint' }]);
  expect(contents(reading, 'tool_result')[0]?.details?.status).toBe('interrupted');
  const plain = readRows([message('user', 'x')], '/home/user/.omp/agent/sessions/-shop/x.jsonl');
  expect(plain.facts.programVersion).toBe('omp');
});

test('an image that omp keeps elsewhere is referred to, not opened', () => {
  const reading = readRows([message('user', [{ type: 'image', mimeType: 'image/png', data: 'blob:sha256:ab' }])]);
  expect(contents(reading, 'user')[0]?.content).toEqual([{ type: 'image', mimeType: 'image/png', url: 'blob:sha256:ab' }]);
});

test('a copied record has one identity in every file, other records with its id have theirs', () => {
  const key = (rows: readonly object[], path?: string): string | undefined => readRows(rows, path).entries[0]?.keys[0];
  const row = message('user', 'one');
  expect(key([row], '/home/user/.pi/agent/sessions/--home-user-shop--/fork.jsonl')).toBe(key([row]));
  expect(key([message('user', 'two')])).not.toBe(key([row]));
  expect(key([{ ...row, timestamp: '2026-11-02T10:00:01.001Z' }])).not.toBe(key([row]));
  expect(key([{ ...row, id: '00000009' }])).not.toBe(key([row]));
});

test('an id that a later version made up for a record without one changes nothing of its identity', () => {
  const old = { timestamp: '2025-11-01T10:00:01.000Z', ...message('user', 'one') };
  const keys = (rows: readonly object[]): readonly (string | undefined)[] =>
    readRecords(sessionPath, recordsOf(Buffer.from(jsonl([header, ...rows])))).entries.map((entry) => entry.keys[0]);
  const linear = keys([old, old]);
  expect(new Set(linear).size).toBe(2);
  expect(
    keys([
      { ...old, id: 'a1', parentId: null },
      { ...old, id: 'a2', parentId: 'a1' },
    ]),
  ).toEqual(linear);
});

test('what a fork copied is marked as inherited, what it said itself is not', () => {
  const rows = [
    {
      ...header,
      timestamp: '2026-11-02T10:00:02.500Z',
      parentSession: '/x/2026-11-02T09-00-00-000Z_01a2ee00-0000-7000-8000-0000000000bb.jsonl',
    },
    ...chained([message('user', 'one'), answer('first'), message('user', 'own')]),
  ];
  const { entries, facts } = readRecords(sessionPath, recordsOf(Buffer.from(jsonl(rows))));
  expect(entries.map(({ inherited }) => inherited === true)).toEqual([true, true, true, false]);
  expect(facts).toMatchObject({
    forkedFrom: '01a2ee00-0000-7000-8000-0000000000bb',
    createdAt: Date.UTC(2026, 10, 2, 10, 0, 2, 500),
  });
});

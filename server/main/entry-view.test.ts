import { expect, test } from 'vitest';
import type { JsonObject } from '../../shuttles/contract/json.ts';
import type { LedgerEntry, Stored } from '../../shuttles/contract/entry.ts';
import { entryView } from './entry-view.ts';

const origin = {
  at: 5,
  provenance: { harness: 'claude', source: 1, offset: 10, length: 20, translator: 1, trust: 'model' },
} as const;

function entry<K extends LedgerEntry['kind']>(kind: K, content: Omit<Stored<K>, 'at' | 'provenance'>): LedgerEntry {
  return { id: 7, conversationId: 3, kind, content: { ...content, ...origin } } as unknown as LedgerEntry;
}

test('an answer is drawn with its text, its thinking apart, and each call as one line', () => {
  const view = entryView(
    entry('assistant', {
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'never shown' },
        { type: 'text', text: 'I look.' },
        { type: 'toolCall', id: 'a', name: 'Bash', arguments: { command: 'npm\n  test', description: 'Run' } },
        { type: 'toolCall', id: 'b', name: 'Read', arguments: { file_path: '/home/user/shop/a.ts' } },
      ],
      messageId: 'm',
    }),
  );
  expect(view).toMatchObject({
    kind: 'assistant',
    id: 7,
    conversation: 3,
    at: 5,
    text: 'I look.',
    thinking: 'hm',
    messageId: 'm',
    clipped: false,
  });
  expect(view.kind === 'assistant' ? view.calls.map((call) => [call.name, call.title]) : []).toEqual([
    ['Bash', 'npm test'],
    ['Read', '/home/user/shop/a.ts'],
  ]);
  expect(JSON.stringify(view)).not.toContain('never shown');
});

test('long text is clipped for the wire and whole when asked for', () => {
  const long = entry('tool_result', { toolCallId: 'a', content: [{ type: 'text', text: 'x'.repeat(100_000) }], isError: false });
  const clipped = entryView(long);
  expect(clipped).toMatchObject({ clipped: true });
  expect(JSON.stringify(clipped).length).toBeLessThan(20_000);
  expect(entryView(long, true)).toMatchObject({ clipped: false, output: 'x'.repeat(100_000) });
});

test('a picture that is too large for the wire is named without its data', () => {
  const view = entryView(
    entry('user', {
      origin: 'typed',
      content: [
        { type: 'image', mimeType: 'image/png', data: 'A'.repeat(600_000) },
        { type: 'image', mimeType: 'image/png', data: 'AA' },
      ],
    }),
  );
  expect(view).toMatchObject({ images: [{ mimeType: 'image/png' }, { mimeType: 'image/png', data: 'AA' }] });
});

test('a call is told by what it is about, under the names that each harness has for that', () => {
  const title = (name: string, args: JsonObject): string => {
    const view = entryView(entry('assistant', { content: [{ type: 'toolCall', id: 'a', name, arguments: args }] }));
    return view.kind === 'assistant' ? (view.calls[0]?.title ?? '') : '';
  };
  expect([
    title('run_command', { CommandLine: 'npm test', Cwd: '/home/user/shop' }),
    title('view_file', { AbsolutePath: '/home/user/shop/a.ts', StartLine: 1 }),
    title('replace_file_content', { TargetFile: '/home/user/shop/a.ts', TargetContent: 'x' }),
    title('grep_search', { Query: 'total', SearchPath: 'src' }),
    title('Grep', { pattern: 'total' }),
    title('read_url_content', { Url: 'https://example.com' }),
    title('AskUserQuestion', { questions: [{ question: 'Which colour?' }] }),
    title('mcp__lab__add', { a: 2, b: 40 }),
    title('TaskUpdate', { taskId: '1', status: 'completed' }),
    title('TodoWrite', { todos: [{ content: 'Sew' }] }),
    title('anything', {}),
  ]).toEqual([
    'npm test',
    '/home/user/shop/a.ts',
    '/home/user/shop/a.ts',
    'total in src',
    'total',
    'https://example.com',
    'Which colour?',
    'a: 2, b: 40',
    'taskId: 1, status: completed',
    'todos: 1',
    '',
  ]);
});

test('a limit keeps the time at which it ends', () => {
  expect(entryView(entry('notice', { level: 'error', code: 'limit', text: 'No more.', resetsAt: 9 }))).toMatchObject({
    resetsAt: 9,
  });
});

test('a limit is said without the seconds that a program wants', () => {
  const text = 'Claude AI usage limit reached|1796036400';
  const said = 'Claude AI usage limit reached';
  expect(entryView(entry('notice', { level: 'error', code: 'limit', text, resetsAt: 1796036400000 }))).toMatchObject({
    text: said,
  });
  expect(entryView(entry('turn', { phase: 'failed', error: text }))).toMatchObject({ error: said });
  expect(entryView(entry('user', { origin: 'user', content: [{ type: 'text', text }] } as never))).toMatchObject({ text });
});

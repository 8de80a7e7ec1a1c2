/** Sessions of Claude Code with facts that no recorded one has: shapes of its tools (2.1.332), as its own documentation and code tell them. */
import fs from 'node:fs';
import path from 'node:path';

const session = '0a000000-0000-4000-8000-000000000001';
type Row = Readonly<Record<string, unknown>>;

export function makeClaude(home: string): void {
  const rows: Row[] = [];
  let count = 0;
  const push = (type: string, rest: Row): void => {
    const parentUuid = count === 0 ? null : uuid(count);
    count += 1;
    rows.push({
      parentUuid,
      isSidechain: false,
      type,
      uuid: uuid(count),
      timestamp: new Date(Date.UTC(2026, 10, 2, 9, 0, count)).toISOString(),
      sessionId: session,
      cwd: '/home/user/shop',
      version: '2.1.332',
      gitBranch: 'main',
      userType: 'external',
      entrypoint: 'cli',
      ...rest,
    });
  };
  const say = (content: readonly Row[], rest: Row = {}, model = 'claude-opus-4-7'): void =>
    push('assistant', {
      message: {
        id: `msg_${count}`,
        type: 'message',
        role: 'assistant',
        model,
        content,
        stop_reason: 'tool_use',
        usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 },
      },
      ...rest,
    });
  const act = (
    id: string,
    name: string,
    input: Row,
    text: string,
    toolUseResult: unknown,
    rest: Row = {},
    isError = false,
  ): void => {
    say([{ type: 'tool_use', id, name, input }]);
    const block = { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
    push('user', {
      message: { role: 'user', content: [block] },
      ...(toolUseResult === undefined ? {} : { toolUseResult }),
      ...rest,
    });
  };

  push('user', { message: { role: 'user', content: 'Look around.' } });
  act('f1', 'WebFetch', { url: 'https://example.com/a', prompt: 'sum' }, 'A page.', {
    bytes: 10,
    code: 200,
    durationMs: 340,
    url: 'https://example.com/a',
  });
  act('s1', 'WebSearch', { query: 'carts' }, 'Results', { query: 'carts', results: [], durationSeconds: 1.5 });
  act('g1', 'Grep', { pattern: 'total', path: 'src' }, 'src/a.ts', {
    mode: 'files_with_matches',
    filenames: ['src/a.ts'],
    numFiles: 1,
  });
  act(
    'q1',
    'AskUserQuestion',
    { questions: [{ question: 'Which colour?', header: 'Colour', options: [{ label: 'Red' }] }] },
    'User has answered',
    {
      questions: [{ question: 'Which colour?' }],
      answers: { 'Which colour?': 'Red' },
    },
  );
  act('m1', 'MultiEdit', { file_path: '/home/user/shop/a.ts', edits: [] }, 'done', {
    filePath: '/home/user/shop/a.ts',
    originalFile: 'a\nb\n',
    structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' a', '-b', '+c'] }],
  });
  // A list without `toolUseResult`, as transcripts of the SDK have it.
  act(
    't1',
    'TodoWrite',
    {
      todos: [
        { content: 'Sew', status: 'in_progress', activeForm: 'Sewing' },
        { content: 'Weave', status: 'pending' },
      ],
    },
    'ok',
    undefined,
  );
  act('b1', 'Bash', { command: 'npm run watch', run_in_background: true }, 'Command running in background with ID: bg1', {
    stdout: '',
    stderr: '',
    interrupted: false,
    backgroundTaskId: 'bg1',
  });
  act('b2', 'BashOutput', { bash_id: 'bg1' }, '<status>running</status>', {
    shellId: 'bg1',
    command: 'npm run watch',
    status: 'running',
    exitCode: null,
    stdout: 'watching',
  });
  act('b3', 'BashOutput', { bash_id: 'bg1' }, '<status>failed</status>', {
    shellId: 'bg1',
    command: 'npm run watch',
    status: 'failed',
    exitCode: 2,
    stdout: 'bye',
  });
  // Two calls of one message, whose results come in the other order.
  say([
    { type: 'tool_use', id: 'p1', name: 'Bash', input: { command: 'sleep 2' } },
    { type: 'tool_use', id: 'p2', name: 'Bash', input: { command: 'sleep 1' } },
  ]);
  for (const [id, out] of [
    ['p2', 'two'],
    ['p1', 'one'],
  ] as const)
    push('user', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: out, is_error: false }] },
      toolUseResult: { stdout: out, stderr: '', interrupted: false },
    });
  act(
    'd1',
    'Bash',
    { command: 'rm -rf /' },
    'Permission to use Bash with command rm -rf / has been denied.',
    'Error: Permission',
    { toolDenialKind: 'permission-rule' },
    true,
  );
  act(
    'i1',
    'Bash',
    { command: 'sleep 60' },
    '[Tool call interrupted: the session ended]',
    undefined,
    { toolDenialKind: 'interrupted' },
    true,
  );
  push('user', {
    message: {
      role: 'user',
      content:
        '<task-notification>\n<task-id>bg1</task-id>\n<tool-use-id>b1</tool-use-id>\n<status>failed</status>\n<summary>Background command "watch" failed with exit code 2</summary>\n</task-notification>',
    },
    origin: { kind: 'task-notification' },
  });
  push('system', {
    subtype: 'api_error',
    level: 'error',
    error: { message: 'Overloaded', status: 529, formatted: '529 Overloaded' },
    retryAttempt: 1,
    maxRetries: 10,
    retryInMs: 500,
  });
  push('system', {
    subtype: 'api_error',
    level: 'error',
    error: { message: 'Rate limited', status: 429, formatted: '429 rate_limit_error' },
    retryAttempt: 2,
    maxRetries: 10,
  });
  say([{ type: 'text', text: 'On with another model.' }], {}, 'claude-haiku-4-5');
  say(
    [{ type: 'text', text: 'Claude AI usage limit reached|1796036400' }],
    { isApiErrorMessage: true, error: 'rate_limit' },
    '<synthetic>',
  );

  const folder = path.join(home, '.claude/projects/-home-user-shop');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${session}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function uuid(count: number): string {
  return `0a000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
}

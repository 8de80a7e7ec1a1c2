/** A session of Gemini CLI with facts that no recorded one has: shapes of its tools and their results (0.61.0), as its own code writes them. */
import fs from 'node:fs';
import path from 'node:path';

const session = '0e000000-0000-4000-8000-000000000001';
type Row = Readonly<Record<string, unknown>>;

export function makeGemini(home: string): void {
  const rows: Row[] = [{ sessionId: session, projectHash: 'x', startTime: at(0), lastUpdated: at(0), kind: 'main' }];
  const push = (type: string, content: unknown, rest: Row = {}): void =>
    void rows.push({ id: `m${rows.length}`, timestamp: at(rows.length), type, content, ...rest });
  const act = (id: string, name: string, args: Row, response: Row, rest: Row = {}, model = 'gemini-3-pro'): void =>
    push('gemini', '', {
      model,
      tokens: { input: 20, output: 6, cached: 5, thoughts: 1, tool: 2, total: 29 },
      toolCalls: [
        { id, name, args, status: 'success', timestamp: at(1), result: [{ functionResponse: { id, name, response } }], ...rest },
      ],
    });
  push('user', [{ text: 'Go.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }]);
  const todos = [
    { description: 'Measure', status: 'completed' },
    { description: 'Cut', status: 'in_progress' },
    { description: 'Iron', status: 'cancelled' },
  ];
  act('t1', 'write_todos', { todos }, { output: 'Successfully updated' }, { resultDisplay: { todos } });
  act(
    't2',
    'tracker_update_task',
    { id: 'ab12', status: 'closed' },
    { output: 'Updated task ab12. Status: closed' },
    { resultDisplay: { todos: [{ description: '[TASK] Measure (ab12)', status: 'completed' }] } },
  );
  act(
    'c1',
    'run_shell_command',
    { command: 'npm test', dir_path: 'web' },
    { output: 'Output: no\nExit Code: 2\nProcess Group PGID: 7' },
  );
  act(
    'c2',
    'run_shell_command',
    { command: 'npm start', is_background: true },
    { output: 'Command moved to background (PID: 4711). Output hidden. Press Ctrl+B to view.' },
  );
  act(
    'c3',
    'run_shell_command',
    { command: 'sleep 60' },
    { output: 'Command was cancelled by user before it could complete. There was no output before it was cancelled.' },
  );
  act(
    'c4',
    'run_shell_command',
    { command: 'rm -rf /' },
    { error: '[Operation Cancelled] Reason: User did not allow tool call' },
    { status: 'cancelled' },
  );
  act('c5', 'run_shell_command', { command: 'curl x' }, { error: 'Tool execution denied by policy.' }, { status: 'error' });
  act(
    'q1',
    'ask_user',
    {
      questions: [
        { question: 'Which colour?', header: 'Colour', type: 'text' },
        { question: 'How long?', header: 'Length', type: 'text' },
      ],
    },
    { output: '{"answers":{"0":"Red"}}' },
  );
  act('f1', 'web_fetch', { prompt: 'Sum up https://example.com/a please' }, { output: 'A page.' });
  act('s1', 'google_web_search', { query: 'carts' }, { output: 'Results' });
  act('m1', 'mcp_tracker_list', {}, { output: 'T1' });
  act('g1', 'grep_search', { pattern: 'x' }, { output: 'none' });
  act(
    'a1',
    'invoke_agent',
    { agent_name: 'codebase_investigator', prompt: 'Look' },
    { output: 'Report' },
    { agentId: 'agent-1' },
  );
  act(
    'e1',
    'write_file',
    { file_path: '/home/user/shop/a.ts', content: 'one\n' },
    { output: 'ok' },
    {
      resultDisplay: {
        fileName: 'a.ts',
        filePath: '/home/user/shop/a.ts',
        fileDiff: '--- a.ts\n+++ a.ts\n@@ -0,0 +1 @@\n+one\n',
        isNewFile: true,
        originalContent: null,
      },
    },
  );
  // The same answer comes again with more in it: its tokens are counted once.
  rows.push({ ...rows.at(-1), content: 'Written.' });
  act(
    'e2',
    'replace',
    { file_path: '/home/user/shop/a.ts' },
    { output: 'ok' },
    { resultDisplay: { fileName: 'a.ts', fileDiff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-one\n+two\n', originalContent: 'one\n' } },
    'gemini-3-flash',
  );
  push('info', 'Request cancelled.');
  push('error', 'You exceeded your current quota. Please retry in 34s.');
  push('error', '[API Error: 500 oops]');
  // A compression: what was said is replaced by a summary.
  rows.push({
    $set: {
      messages: [
        {
          id: 'snap',
          timestamp: at(90),
          type: 'user',
          content: [{ text: '<state_snapshot>\n<goal>A cart</goal>\n</state_snapshot>' }],
        },
      ],
    },
  });
  const folder = path.join(home, '.gemini/tmp/shop/chats');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'session-2026-11-02T12-00-0e000000.jsonl'),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 2, 12, 0, second)).toISOString();
}

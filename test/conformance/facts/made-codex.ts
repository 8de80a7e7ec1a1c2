/** A legacy and a paginated rollout with facts that no recorded one has: limits, refusals, questions that were answered, moved files. */
import fs from 'node:fs';
import path from 'node:path';

type Row = Readonly<Record<string, unknown>>;

export function makeCodex(home: string): void {
  write(home, '0b000000-0000-7000-8000-000000000001', undefined, legacy());
  write(home, '0b000000-0000-7000-8000-000000000002', 'paginated', paginated());
}

function legacy(): readonly Row[] {
  const call = (id: string, name: string, args: Row): Row => ({
    type: 'response_item',
    payload: { type: 'function_call', name, arguments: JSON.stringify(args), call_id: id },
  });
  const output = (id: string, text: string): Row => ({
    type: 'response_item',
    payload: { type: 'function_call_output', call_id: id, output: text },
  });
  const event = (payload: Row): Row => ({ type: 'event_msg', payload });
  const full = { used_percent: 100, window_minutes: 300, resets_at: 1_796_036_400 };
  return [
    {
      type: 'turn_context',
      payload: {
        cwd: '/home/user/shop',
        model: 'gpt-5.5',
        approval_policy: 'on-request',
        sandbox_policy: { type: 'workspace-write' },
      },
    },
    event({ type: 'user_message', message: 'Go.', images: [] }),
    { type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] } },
    call('q1', 'request_user_input', { questions: [{ id: 'c', question: 'Which colour?', options: [] }] }),
    output('q1', JSON.stringify({ answers: { c: { answers: ['Red'] } } })),
    call('x1', 'shell', { command: ['bash', '-lc', 'rm -rf /'] }),
    output('x1', 'exec command rejected by user'),
    call('e1', 'exec_command', { cmd: 'npm start' }),
    output('e1', 'Chunk ID: ab12\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nready\n'),
    {
      type: 'response_item',
      payload: {
        type: 'custom_tool_call',
        name: 'apply_patch',
        call_id: 'a1',
        input: '*** Begin Patch\n*** Add File: a.ts\n+one\n+two\n*** Delete File: b.ts\n*** End Patch',
      },
    },
    {
      type: 'response_item',
      payload: {
        type: 'custom_tool_call_output',
        call_id: 'a1',
        output: 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess.',
      },
    },
    call('m1', 'find', {}),
    event({
      type: 'mcp_tool_call_end',
      call_id: 'm2',
      invocation: { server: 'tracker', tool: 'list', arguments: {} },
      duration: { secs: 1, nanos: 500_000_000 },
      result: { Ok: { content: [{ type: 'text', text: 'T1' }] } },
    }),
    { type: 'turn_context', payload: { cwd: '/home/user/shop', model: 'gpt-6.2-sol', approval_policy: 'on-request' } },
    event({ type: 'token_count', info: { total_token_usage: { input_tokens: 100, output_tokens: 20 } }, rate_limits: null }),
    event({
      type: 'token_count',
      info: { total_token_usage: { input_tokens: 100, output_tokens: 20 } },
      rate_limits: { primary: full, rate_limit_reached_type: 'primary' },
    }),
    event({
      type: 'token_count',
      info: { total_token_usage: { input_tokens: 100, output_tokens: 20 } },
      rate_limits: { primary: full, rate_limit_reached_type: 'primary' },
    }),
    event({ type: 'error', message: "You've hit your usage limit.", codex_error_info: 'usage_limit_exceeded' }),
  ];
}

function paginated(): readonly Row[] {
  const thread_id = '0b000000-0000-7000-8000-000000000002';
  const turn_id = '0b000000-0000-7000-8000-0000000000f1';
  const item = (given: Row): Row => ({ type: 'event_msg', payload: { type: 'item_completed', thread_id, turn_id, item: given } });
  return [
    { type: 'event_msg', payload: { type: 'task_started', turn_id, started_at: 1_793_600_000 } },
    { type: 'turn_context', payload: { turn_id, cwd: '/home/user/shop', model: 'gpt-6.2-sol', approval_policy: 'on-request' } },
    item({ type: 'UserMessage', id: 'u1', content: [{ type: 'text', text: 'Go.' }] }),
    item({
      type: 'CommandExecution',
      id: 'exec-1',
      command: ['/bin/bash', '-lc', 'git push'],
      cwd: 'file:///home/user/shop',
      status: 'declined',
      parsed_cmd: [],
    }),
    item({
      type: 'FileChange',
      id: 'exec-2',
      status: 'completed',
      changes: {
        '/home/user/shop/a.ts': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: '/home/user/shop/c.ts' },
        '/home/user/shop/d.ts': { type: 'delete', content: 'x\ny\n' },
      },
    }),
    item({ type: 'WebSearch', id: 'ws_1', query: '', action: { type: 'open_page', url: 'https://example.com/a' } }),
    {
      type: 'event_msg',
      payload: {
        type: 'task_complete',
        turn_id,
        error: { message: "You've hit your usage limit. Try again later.", codex_error_info: 'usage_limit_exceeded' },
        duration_ms: 900,
      },
    },
  ];
}

function write(home: string, id: string, mode: string | undefined, rows: readonly Row[]): void {
  const meta = {
    type: 'session_meta',
    payload: {
      id,
      timestamp: '2026-11-02T10:00:00.000Z',
      cwd: '/home/user/shop',
      originator: 'codex-tui',
      cli_version: '0.171.0',
      source: 'cli',
      ...(mode === undefined ? {} : { history_mode: mode }),
    },
  };
  const lines = [meta, ...rows].map((row, index) => ({
    timestamp: new Date(Date.UTC(2026, 10, 2, 10, 0, index)).toISOString(),
    ...(mode === undefined ? {} : { ordinal: index }),
    ...row,
  }));
  const folder = path.join(home, '.codex/sessions/2026/11/02');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, `rollout-2026-11-02T10-00-00-${id}.jsonl`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
}

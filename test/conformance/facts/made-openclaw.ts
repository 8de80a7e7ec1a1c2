/** A database of OpenClaw with facts that no recorded one has: a plan, commands in the background or waiting for permission, made-up results. */
import fs from 'node:fs';
import path from 'node:path';
import { OpenclawHome } from '../../openclaw-home.ts';
import { Events } from './made-pi.ts';

const session = '0d000000-0000-4000-8000-000000000001';

export function makeOpenclaw(home: string): void {
  using made = new OpenclawHome();
  made.session(session);
  const events = new Events('cc0');
  events.message('user', 'Go.', { __openclaw: { senderIsOwner: true } });
  const steps = [
    { step: 'Measure', status: 'completed' },
    { step: 'Cut', status: 'in_progress' },
  ];
  events.act('p1', 'update_plan', { plan: steps }, 'ok', { details: { status: 'updated', plan: steps } });
  events.act('e1', 'exec', { command: 'npm start' }, 'Command still running', {
    details: { status: 'running', sessionId: 'wild-otter', pid: 7, cwd: '/home/user/shop' },
  });
  events.act('e2', 'exec', { command: 'npm test' }, 'no\n\n(Command exited with code 2)', {
    details: { status: 'failed', exitCode: 2, durationMs: 900, cwd: '/home/user/shop' },
  });
  events.act('e3', 'exec', { command: 'rm -rf /' }, 'Approval required', {
    details: { status: 'approval-pending', approvalId: 'ap-1' },
  });
  events.act('e4', 'exec', { command: 'sleep 9' }, 'No result', {
    isError: true,
    details: { openclawSyntheticMissingToolResult: true },
  });
  events.act('e5', 'exec', { command: 'cat secret' }, 'blocked by policy', {
    isError: true,
    details: { status: 'blocked', deniedReason: 'plugin-before-tool-call', reason: 'blocked by policy' },
  });
  events.act('f1', 'web_fetch', { url: 'https://example.com/a' }, 'A page.');
  events.act('w1', 'web_search', { query: 'carts' }, 'Results');
  events.act('s1', 'sessions_spawn', { task: 'Look around' }, 'started', {
    details: { childSessionKey: 'agent:main:subagent:1' },
  });
  events.act('m1', 'memory_search', { query: 'cart' }, 'none');
  events.act('mc', 'mcp__tracker__list', {}, 'T1');
  events.act('q1', 'ask_user', { question: 'Which colour?' }, 'Red');
  events.act('im', 'read', { path: 'dot.png' }, 'Read image', {
    content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  });
  events.act('wr', 'write', { path: 'a.ts', content: 'one\n' }, 'ok');
  events.act('ed', 'edit', { path: 'a.ts' }, 'ok', { details: { diff: '-1 one\n+1 two' } });
  events.message('custom', '', {
    customType: 'openclaw.nested-tool.v1',
    details: {
      toolCallId: 'n1',
      toolName: 'exec',
      input: { command: 'ls' },
      result: { content: [{ type: 'text', text: 'a.ts' }], details: { exitCode: 0, durationMs: 12 } },
      isError: false,
    },
  });
  events.push({ type: 'model_change', provider: 'mock', modelId: 'mock-2' });
  events.answer([{ type: 'text', text: 'part' }], { stopReason: 'error', errorMessage: '429 rate limit: please retry in 30s' });
  events.answer([{ type: 'text', text: 'Stopped.' }], { stopReason: 'aborted' });
  events.answer([{ type: 'text', text: 'Done.' }], { stopReason: 'stop' });
  events.rows.forEach((row, index) => made.event(session, index + 1, row, index % 5 === 0));
  made.db.pragma('wal_checkpoint(TRUNCATE)');
  const place = path.join(home, '.openclaw/agents/main/agent');
  fs.mkdirSync(place, { recursive: true });
  fs.copyFileSync(made.file, path.join(place, 'openclaw-agent.sqlite'));
}

/** Sessions of pi 1.6 and of omp 18.2 with facts that no recorded one has: shapes of their tools' details, as their own sources declare them. */
import fs from 'node:fs';
import path from 'node:path';

export type Row = Readonly<Record<string, unknown>>;

/** Events of the tree behind each other, in the form that pi, omp and OpenClaw share. */
export class Events {
  readonly rows: Row[] = [];
  readonly #make: string;
  constructor(make: string) {
    this.#make = make;
  }
  push(row: Row): void {
    const id = (index: number): string => `${this.#make}${String(index).padStart(5, '0')}`;
    const index = this.rows.length;
    this.rows.push({
      id: id(index),
      parentId: index === 0 ? null : id(index - 1),
      timestamp: new Date(Date.UTC(2026, 10, 2, 11, 0, index)).toISOString(),
      ...row,
    });
  }
  message(role: string, content: unknown, rest: Row = {}): void {
    this.push({ type: 'message', message: { role, content, ...rest } });
  }
  answer(content: readonly Row[], rest: Row = {}): void {
    const usage = { input: 10, output: 4, cacheRead: 3, cacheWrite: 2, totalTokens: 19, cost: { total: 0 } };
    this.message('assistant', content, { provider: 'mock', model: 'mock-1', usage, stopReason: 'toolUse', ...rest });
  }
  act(id: string, name: string, args: Row, text: string, rest: Row = {}): void {
    this.answer([{ type: 'toolCall', id, name, arguments: args }]);
    this.message('toolResult', [{ type: 'text', text }], { toolCallId: id, toolName: name, isError: false, ...rest });
  }
}

export function makePi(home: string): void {
  const pi = new Events('aa0');
  pi.message('user', 'Go.');
  pi.act('w1', 'web_search', { query: 'carts' }, 'Results');
  pi.act('w2', 'web_fetch', { url: 'https://example.com/a' }, 'A page.');
  pi.act('d1', 'bash', { command: 'rm -rf /' }, 'Tool execution was blocked by an extension', { isError: true });
  pi.act('c1', 'codemode', { command: 'await tools.bash()' }, 'done', {
    durationMs: 80,
    nestedCalls: {
      complete: true,
      calls: [
        { id: 'n1', name: 'bash', arguments: { command: 'npm test' }, status: 'ok', durationMs: 50 },
        { id: 'n2', name: 'read', arguments: { path: 'a.ts' }, status: 'ok', durationMs: 3 },
        { id: 'n3', name: 'bash', arguments: { command: 'sleep 9' }, status: 'unfinished' },
      ],
    },
  });
  // The list of the example extension: flat, with a mark for what is done.
  pi.act('t1', 'todo', { action: 'add', text: 'Sew' }, 'Added', {
    details: {
      action: 'add',
      todos: [
        { id: 1, text: 'Sew', done: false },
        { id: 2, text: 'Weave', done: true },
      ],
      nextId: 3,
    },
  });
  pi.act('g1', 'grep', { pattern: 'x' }, 'none');
  pi.act('im', 'read', { path: 'dot.png' }, 'Read image', {
    content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  });
  pi.push({ type: 'model_change', provider: 'mock', modelId: 'mock-2' });
  pi.answer([{ type: 'text', text: 'part' }], { stopReason: 'error', errorMessage: '429 rate limit: please retry in 30s' });
  pi.answer([{ type: 'text', text: 'Done.' }], { model: 'mock-2', stopReason: 'stop' });
  write(home, '.pi/agent/sessions/--home-user-shop--', '0c000000-0000-7000-8000-000000000001', [], pi);

  const omp = new Events('bb0');
  omp.message('user', 'Go.', { attribution: 'user' });
  const plan = (first: string, second: string): Row => ({
    phases: [
      {
        name: 'Cut',
        tasks: [
          { content: 'Measure', status: first },
          { content: 'Mark', status: second },
        ],
      },
      {
        name: 'Sew',
        tasks: [
          { content: 'Thread', status: 'blocked', blocker: 'wool' },
          { content: 'Iron', status: 'abandoned' },
        ],
      },
    ],
    storage: 'session',
  });
  omp.act('t1', 'todo', { op: 'init', list: [] }, 'ok', { details: { op: 'init', ...plan('in_progress', 'pending') } });
  omp.act('t2', 'todo', { op: 'view' }, 'ok', { details: { op: 'view', ...plan('in_progress', 'pending') } });
  omp.act('t3', 'todo', { op: 'done', task: 'Nothing' }, 'no such task', { isError: true, details: { phases: [] } });
  omp.act('t4', 'todo', { op: 'done', task: 'Measure' }, 'ok', { details: { op: 'done', ...plan('completed', 'in_progress') } });
  omp.push({
    type: 'custom',
    customType: 'user_todo_edit',
    data: { phases: [{ name: 'Cut', tasks: [{ content: 'Measure twice', status: 'pending' }] }] },
  });
  omp.act(
    'a1',
    'ask',
    { questions: [{ id: 'c', question: 'Which colour?', options: [{ label: 'Red' }] }] },
    'User selected: Red',
    { details: { question: 'Which colour?', options: ['Red', 'Blue'], multi: false, selectedOptions: ['Red'] } },
  );
  omp.act('a2', 'ask', { questions: [] }, 'User answers', {
    details: {
      results: [
        { id: 'a', question: 'How long?', selectedOptions: [], customInput: '2 m' },
        { id: 'b', question: 'Which?', selectedOptions: ['x', 'y'] },
      ],
    },
  });
  omp.act('b1', 'bash', { command: 'npm start', async: true }, 'Background job bash-1 started', {
    details: { async: { state: 'running', jobId: 'bash-1', type: 'bash' } },
  });
  omp.act('b2', 'bash', { command: 'npm test' }, '1 failed\n\nCommand exited with code 2\n\n\nWall time: 1.20 seconds', {
    details: { exitCode: 2, wallTimeMs: 1200.4 },
  });
  omp.act('d1', 'bash', { command: 'rm -rf /' }, 'Tool call denied by user: bash', { isError: true });
  omp.act('r1', 'read', { path: 'https://example.com/b' }, 'A page.', {
    details: { kind: 'url', url: 'https://example.com/b', finalUrl: 'https://example.com/b' },
  });
  omp.act('m1', 'mcp__my_tracker_list', {}, 'T1', { details: { serverName: 'my_tracker', mcpToolName: 'list' } });
  omp.act('s1', 'task', { agent: 'scout', tasks: [] }, 'Report', {
    details: { results: [{ id: 'Scout1', agent: 'scout' }], totalDurationMs: 900 },
  });
  omp.act('e1', 'edit', { input: '[a.ts]' }, 'Edited 2 files', {
    details: {
      diff: '',
      perFileResults: [
        { path: '/home/user/shop/a.ts', diff: ' 1|same\n-2|old\n+2|new\n+3|more', op: 'update' },
        { path: '/home/user/shop/b.ts', diff: '+1|one', op: 'create' },
        { path: '/home/user/shop/d.ts', sourcePath: '/home/user/shop/c.ts', diff: '-1|x\n+1|y', op: 'update' },
        { path: '/home/user/shop/e.ts', diff: '', isError: true, errorText: 'no match' },
      ],
    },
  });
  omp.push({ type: 'model_change', model: 'mock/small', role: 'smol' });
  omp.answer([{ type: 'text', text: 'Done.' }], { stopReason: 'stop' });
  const slot = { type: 'title', v: 1, title: 'Made', source: 'auto', updatedAt: '2026-11-02T11:00:00.000Z', pad: '' };
  write(home, '.omp/agent/sessions/-shop', '0c000000-0000-7000-8000-000000000002', [slot], omp);
}

function write(home: string, folder: string, id: string, before: readonly Row[], events: Events): void {
  const header = { type: 'session', version: 3, id, timestamp: '2026-11-02T11:00:00.000Z', cwd: '/home/user/shop' };
  const place = path.join(home, folder);
  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(
    path.join(place, `2026-11-02T11-00-00-000Z_${id}.jsonl`),
    [...before, header, ...events.rows].map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
}

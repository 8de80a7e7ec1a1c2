/** For tests: a program begins a session of its own with a prompt, as its records show that it does. */
import fs from 'node:fs';
import path from 'node:path';

export interface Begun {
  readonly home: string;
  readonly id: string;
  readonly cwd: string;
  /** null: the program has only been opened. */
  readonly prompt: string | null;
  readonly answer?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Of Codex. Returns its file; written again with a prompt it goes on. */
export function codexSession({ home, id, cwd, prompt, answer = 'It stands well.', at }: Begun): string {
  const timestamp = new Date(at).toISOString();
  const file = path.join(home, '.codex/sessions/2026/12/01', `rollout-2026-12-01T00-00-00-${id}.jsonl`);
  const text = (type: string, words: string): object => ({ type, text: words });
  const meta = { id, timestamp, cwd, originator: 'codex_cli_rs', cli_version: '0.171.0', source: 'cli' };
  const said: readonly (readonly [string, object])[] =
    prompt === null
      ? []
      : [
          ['event_msg', { type: 'task_started', turn_id: 't1' }],
          ['response_item', { type: 'message', id: 'm1', role: 'user', content: [text('input_text', prompt)] }],
          ['event_msg', { type: 'user_message', message: prompt }],
          ['response_item', { type: 'message', id: 'm2', role: 'assistant', content: [text('output_text', answer)] }],
          ['event_msg', { type: 'task_complete', turn_id: 't1', last_agent_message: answer }],
        ];
  const lines = [['session_meta', meta] as const, ...said].map(([type, payload]) => JSON.stringify({ timestamp, type, payload }));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Of Claude Code. Returns its file. */
export function claudeSession({ home, id, cwd, prompt, answer = 'It stands well.', at }: Begun): string {
  const timestamp = new Date(at).toISOString();
  const file = path.join(home, '.claude/projects/-home-user-shop', `${id}.jsonl`);
  const common = { isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.332', timestamp };
  const [asked, answered] = ['0aaaaaaa', '0bbbbbbb'].map((start) => `${start}${id.slice(8)}`);
  const said = { id: `msg_${id.slice(0, 8)}`, type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' };
  const rows = [
    { ...common, type: 'user', uuid: asked, parentUuid: null, message: { role: 'user', content: prompt ?? '' } },
    {
      ...common,
      type: 'assistant',
      uuid: answered,
      parentUuid: asked,
      message: { ...said, content: [{ type: 'text', text: answer }] },
    },
  ];
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

/** Of OpenClaw's, in its form of files; `cwd` is its agent's workspace. Returns its file. */
export function openclawSession({ home, id, cwd, prompt, answer = 'It stands well.', at }: Begun): string {
  const timestamp = new Date(at).toISOString();
  const file = path.join(home, '.openclaw/agents/main/sessions', `${id}.jsonl`);
  const owner = { __openclaw: { senderIsOwner: true } };
  const said = { role: 'assistant', content: [{ type: 'text', text: answer }], provider: 'p', model: 'm', stopReason: 'stop' };
  const rows = [
    { type: 'session', version: 3, id, timestamp, cwd },
    { type: 'message', id: '1', parentId: null, timestamp, message: { role: 'user', content: prompt ?? '', ...owner } },
    { type: 'message', id: '2', parentId: '1', timestamp, message: said },
  ];
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

/** Claude Code session files made by hand for tests: the least that the program itself accepts (2.1.332). */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const sessionId = '5baaea07-d3e0-4173-9e63-d58b3998a4c4';

export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

export function userRow(n: number, parent: number | null, text: string): string {
  return line({
    type: 'user',
    uuid: uuid(n),
    parentUuid: parent === null ? null : uuid(parent),
    timestamp: at(n),
    cwd: '/home/user/shop',
    sessionId,
    message: { role: 'user', content: text },
  });
}
export function assistantRow(n: number, parent: number, blocks: readonly object[] | string, message = `msg_${n}`): string {
  const content = typeof blocks === 'string' ? [{ type: 'text', text: blocks }] : blocks;
  return line({
    type: 'assistant',
    uuid: uuid(n),
    parentUuid: uuid(parent),
    timestamp: at(n),
    cwd: '/home/user/shop',
    sessionId,
    message: {
      id: message,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  });
}
export function resultRow(n: number, parent: number, callId: string, text: string): string {
  return line({
    type: 'user',
    uuid: uuid(n),
    parentUuid: uuid(parent),
    timestamp: at(n),
    cwd: '/home/user/shop',
    sessionId,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content: text }] },
  });
}
export function call(id: string): object {
  return { type: 'tool_use', id, name: 'Bash', input: { command: `echo ${id}` } };
}
export function line(row: object): string {
  return `${JSON.stringify(row)}\n`;
}
function at(n: number): string {
  return new Date(1_796_000_000_000 + n * 1000).toISOString();
}

export class TestHome {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-home-'));
  readonly folder = path.join(this.home, '.claude', 'projects', '-home-user-shop');
  readonly file = path.join(this.folder, `${sessionId}.jsonl`);

  constructor() {
    fs.mkdirSync(this.folder, { recursive: true });
  }
  write(...rows: readonly string[]): void {
    fs.writeFileSync(this.file, rows.join(''));
  }
  append(text: string | Uint8Array): void {
    fs.appendFileSync(this.file, text);
  }
  [Symbol.dispose](): void {
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}

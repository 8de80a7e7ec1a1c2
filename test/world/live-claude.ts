/** For tests: a Claude Code session that goes on now, written record by record, with files that change as its tools say. */
import fs from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';

export class LiveClaude {
  readonly id = randomUUID();
  readonly cwd: string;
  readonly #file: string;
  #last: string | null = null;
  #calls = 0;

  constructor(home: string, cwd: string) {
    this.cwd = cwd;
    const folder = path.join(home, '.claude', 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/gu, '-'));
    fs.mkdirSync(folder, { recursive: true });
    this.#file = path.join(folder, `${this.id}.jsonl`);
  }

  prompt(text: string): void {
    this.#row('user', { message: { role: 'user', content: text } });
  }
  /** The tool writes the file, then its result is recorded. */
  write(name: string, content: string): void {
    const filePath = path.join(this.cwd, name);
    const id = this.#call('Write', { file_path: filePath, content });
    fs.mkdirSync(path.dirname(filePath), { recursive: true });
    fs.writeFileSync(filePath, content);
    this.#result(id, 'ok', { type: 'create', filePath, content, structuredPatch: [] });
  }
  run(command: string, effect: () => void): void {
    const id = this.#call('Bash', { command });
    effect();
    this.#result(id, '', { stdout: '', stderr: '', interrupted: false, isImage: false });
  }
  say(text: string): void {
    this.#assistant([{ type: 'text', text }], 'end_turn');
  }

  #call(name: string, input: object): string {
    const id = `toolu_${++this.#calls}`;
    this.#assistant([{ type: 'tool_use', id, name, input }], 'tool_use');
    return id;
  }
  #result(id: string, content: string, toolUseResult: object): void {
    this.#row('user', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }, toolUseResult });
  }
  #assistant(content: readonly object[], stop: string): void {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content };
    this.#row('assistant', { message: { ...message, stop_reason: stop, usage } });
  }
  #row(type: string, more: object): void {
    const uuid = randomUUID();
    const common = { type, uuid, parentUuid: this.#last, timestamp: new Date().toISOString(), cwd: this.cwd };
    fs.appendFileSync(this.#file, `${JSON.stringify({ ...common, sessionId: this.id, version: '2.1.332', ...more })}\n`);
    this.#last = uuid;
  }
}

/** A home with one session of Claude Code, whose turns are what a test puts there: prompts, answers, calls and their results. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '../../../shuttles/contract/json.ts';

export type Turn =
  | { readonly prompt: string }
  | { readonly say: string }
  | { readonly call: string; readonly input: JsonObject; readonly output: string };

export interface SessionFacts {
  readonly id: string;
  readonly cwd: string;
  readonly branch: string;
  readonly model?: string;
}

export function homeOf({ id, cwd, branch, model = 'm' }: SessionFacts, turns: readonly Turn[]): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-home-'));
  const folder = path.join(home, '.claude/projects/-home-user-shop');
  fs.mkdirSync(folder, { recursive: true });
  let parent: string | null = null;
  const records: object[] = [];
  const add = (type: 'user' | 'assistant', content: unknown, more: object = {}): void => {
    const index = records.length;
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const message =
      type === 'user'
        ? { role: 'user', content }
        : { id: `msg_${index}`, type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn' };
    records.push({
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId: id,
      version: '2.1.230',
      gitBranch: branch,
      type,
      message,
      uuid,
      timestamp: new Date(Date.UTC(2026, 8, 10) + index * 1000).toISOString(),
      ...more,
    });
    parent = uuid;
  };
  turns.forEach((turn, index) => {
    if ('prompt' in turn) add('user', turn.prompt);
    else if ('say' in turn) add('assistant', [{ type: 'text', text: turn.say }]);
    else {
      const call = `toolu_${String(index).padStart(8, '0')}`;
      add('assistant', [{ type: 'tool_use', id: call, name: turn.call, input: turn.input }]);
      add('user', [{ type: 'tool_result', tool_use_id: call, content: turn.output }]);
    }
  });
  fs.writeFileSync(path.join(folder, `${id}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return home;
}

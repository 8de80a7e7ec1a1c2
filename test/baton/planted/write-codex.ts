/** A planted session as Codex 0.125 writes it (legacy history): model items and the events that repeat them. */
import fs from 'node:fs';
import path from 'node:path';
import type { Beat } from './beat.ts';
import { began, cwd, diffLines, timeOf } from './beat.ts';

type Row = Readonly<Record<string, unknown>>;

export function writeCodex(home: string, id: string, beats: readonly Beat[]): void {
  const rows: Row[] = [];
  const push = (type: string, payload: Row): void => void rows.push({ timestamp: timeOf(rows.length), type, payload });
  let calls = 0;
  const call = (name: string, args: Row, output: string): void => {
    const call_id = `call_${++calls}`;
    push('response_item', { type: 'function_call', name, arguments: JSON.stringify(args), call_id });
    push('response_item', { type: 'function_call_output', call_id, output });
  };
  const patch = (input: string, output: string): void => {
    const call_id = `call_${++calls}`;
    push('response_item', { type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch', input });
    push('response_item', {
      type: 'custom_tool_call_output',
      call_id,
      output: `Exit code: 0\nWall time: 0 seconds\nOutput:\n${output}`,
    });
  };
  const shell = (command: string, end: string, output: string): void =>
    call(
      'exec_command',
      { cmd: command, workdir: cwd },
      `Chunk ID: ab12cd\nWall time: 0.42 seconds\n${end}\nOutput:\n${output}\n`,
    );
  push('session_meta', {
    id,
    timestamp: timeOf(0),
    cwd,
    originator: 'codex_cli_rs',
    cli_version: '0.125.0',
    source: 'cli',
    model_provider: 'openai',
    git: { commit_hash: 'a'.repeat(40), branch: 'main' },
  });
  for (const beat of beats) {
    switch (beat.do) {
      case 'prompt':
        push('event_msg', { type: 'task_started', turn_id: `turn-${rows.length}`, model_context_window: 258_400 });
        push('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: beat.text }] });
        push('event_msg', { type: 'user_message', message: beat.text, images: [], local_images: [] });
        break;
      case 'say':
        push('event_msg', { type: 'agent_message', message: beat.text });
        push('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: beat.text }] });
        break;
      case 'run':
        shell(beat.command, `Process exited with code ${beat.exit}`, beat.output);
        break;
      case 'background':
        shell(beat.command, 'Process running with session ID 48213', beat.output);
        break;
      case 'edit':
        patch(
          `*** Begin Patch\n*** Update File: ${beat.path}\n@@\n${diffLines(beat.old, beat.fresh).join('\n')}\n*** End Patch`,
          `Success. Updated the following files:\nM ${beat.path}\n`,
        );
        break;
      case 'create':
        patch(
          `*** Begin Patch\n*** Add File: ${beat.path}\n${diffLines([], beat.lines).join('\n')}\n*** End Patch`,
          `Success. Updated the following files:\nA ${beat.path}\n`,
        );
        break;
      case 'read':
        shell(`sed -n '1,200p' ${beat.path}`, 'Process exited with code 0', beat.output);
        break;
      case 'fetch':
        shell(`curl -sL ${beat.url}`, 'Process exited with code 0', beat.output);
        break;
      case 'todo':
        call('update_plan', { plan: beat.items.map(([step, status]) => ({ step, status })) }, 'Plan updated');
        break;
      case 'compact':
        push('compacted', { message: beat.summary });
        break;
      case 'subagent':
        call('spawn_agent', { message: beat.task }, beat.report);
        break;
    }
  }
  const stamp = new Date(began).toISOString();
  const folder = path.join(home, '.codex/sessions', stamp.slice(0, 10).replaceAll('-', '/'));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, `rollout-${stamp.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
}

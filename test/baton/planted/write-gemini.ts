/** Planted sessions of Google's two programs: a file of Gemini CLI 0.61, a database of Antigravity (agy 1.2). */
import fs from 'node:fs';
import path from 'node:path';
import { AntigravityHome, answer, base, bytes, callOf, int, message, prompt, text } from '../../antigravity-home.ts';
import type { Step } from '../../antigravity-home.ts';
import type { Beat } from './beat.ts';
import { cwd, diffLines, timeOf } from './beat.ts';

type Row = Readonly<Record<string, unknown>>;

export function writeGemini(home: string, id: string, beats: readonly Beat[]): void {
  const rows: Row[] = [{ sessionId: id, projectHash: 'x', startTime: timeOf(0), lastUpdated: timeOf(0), kind: 'main' }];
  const push = (type: string, content: unknown, rest: Row = {}): void =>
    void rows.push({ id: `m${rows.length}`, timestamp: timeOf(rows.length), type, content, ...rest });
  const model = { model: 'gemini-3-pro', tokens: { input: 20, output: 6, cached: 5, thoughts: 1, tool: 2, total: 29 } };
  const act = (name: string, args: Row, response: Row, rest: Row = {}): void => {
    const call = `${name}-${rows.length}`;
    const result = [{ functionResponse: { id: call, name, response } }];
    push('gemini', '', {
      ...model,
      toolCalls: [{ id: call, name, args, status: 'success', timestamp: timeOf(rows.length), result, ...rest }],
    });
  };
  for (const beat of beats) {
    switch (beat.do) {
      case 'prompt':
        push('user', [{ text: beat.text }]);
        break;
      case 'say':
        push('gemini', beat.text, model);
        break;
      case 'run': {
        const output = beat.exit === 0 ? beat.output : `Output: ${beat.output}\nExit Code: ${beat.exit}\nProcess Group PGID: 7`;
        act('run_shell_command', { command: beat.command }, { output });
        break;
      }
      case 'background':
        act(
          'run_shell_command',
          { command: beat.command, is_background: true },
          { output: 'Command moved to background (PID: 4711). Output hidden. Press Ctrl+B to view.' },
        );
        break;
      case 'edit': {
        const fileName = beat.path.slice(beat.path.lastIndexOf('/') + 1);
        const fileDiff = `--- ${fileName}\n+++ ${fileName}\n@@ -1,${beat.old.length} +1,${beat.fresh.length} @@\n${diffLines(beat.old, beat.fresh).join('\n')}\n`;
        const filePath = `${cwd}/${beat.path}`;
        act(
          'replace',
          { file_path: filePath, old_string: beat.old.join('\n'), new_string: beat.fresh.join('\n') },
          { output: `Successfully modified file: ${filePath}` },
          { resultDisplay: { fileName, filePath, fileDiff, originalContent: beat.old.join('\n') } },
        );
        break;
      }
      case 'create': {
        const filePath = `${cwd}/${beat.path}`;
        const fileDiff = `--- a\n+++ b\n@@ -0,0 +1,${beat.lines.length} @@\n${diffLines([], beat.lines).join('\n')}\n`;
        act(
          'write_file',
          { file_path: filePath, content: beat.lines.join('\n') },
          { output: 'ok' },
          { resultDisplay: { fileName: beat.path, filePath, fileDiff, isNewFile: true, originalContent: null } },
        );
        break;
      }
      case 'read':
        act('read_file', { file_path: `${cwd}/${beat.path}` }, { output: beat.output });
        break;
      case 'fetch':
        act('web_fetch', { prompt: `Read ${beat.url}` }, { output: beat.output });
        break;
      case 'todo': {
        const todos = beat.items.map(([description, status]) => ({ description, status }));
        act('write_todos', { todos }, { output: 'Successfully updated' }, { resultDisplay: { todos } });
        break;
      }
      case 'compact':
        push('info', 'Chat history compressed.');
        break;
      case 'subagent':
        act('invoke_agent', { agent_name: 'codebase_investigator', prompt: beat.task }, { output: beat.report });
        break;
    }
  }
  const folder = path.join(home, '.gemini/tmp/shop/chats');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, '../.project_root'), cwd);
  fs.writeFileSync(
    path.join(folder, `session-2026-11-02T09-00-${id.slice(0, 8)}.jsonl`),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
}

export function writeAntigravity(home: string, id: string, beats: readonly Beat[]): void {
  using made = new AntigravityHome();
  const steps: Step[] = [];
  const act = (name: string, args: object, type: number, field: number, body: Uint8Array): void => {
    const call = callOf(`call-${steps.length}`, name, args);
    steps.push(answer(steps.length, '', { calls: [call] }));
    steps.push({ idx: steps.length, type, field, body, at: base + steps.length, call });
  };
  const generic = (said: string): Uint8Array => message(bytes(2, text(1, said)));
  const command = (line: string, output: string, exit: number): void =>
    act(
      'run_command',
      { CommandLine: line, Cwd: cwd },
      21,
      28,
      message(text(2, cwd), text(23, line), ...(exit === 0 ? [] : [int(6, exit)]), bytes(21, text(1, output))),
    );
  for (const beat of beats) {
    switch (beat.do) {
      case 'prompt':
        steps.push(prompt(steps.length, beat.text));
        break;
      case 'say':
        steps.push(answer(steps.length, beat.text));
        break;
      case 'run':
        command(beat.command, beat.output, beat.exit);
        break;
      case 'background':
        command(`nohup ${beat.command} &`, beat.output, 0);
        break;
      case 'edit': {
        const chunk = { TargetContent: `${beat.old.join('\n')}\n`, ReplacementContent: `${beat.fresh.join('\n')}\n` };
        const args = { TargetFile: `${cwd}/${beat.path}`, StartLine: 1, EndLine: beat.old.length, ...chunk };
        act('replace_file_content', args, 5, 10, message());
        break;
      }
      case 'create':
        act('write_to_file', { TargetFile: `${cwd}/${beat.path}`, CodeContent: `${beat.lines.join('\n')}\n` }, 5, 10, message());
        break;
      case 'read':
        act('view_file', { AbsolutePath: `${cwd}/${beat.path}` }, 8, 14, text(4, beat.output));
        break;
      case 'fetch':
        act('read_url_content', { Url: beat.url }, 132, 140, generic(beat.output));
        break;
      case 'todo': {
        const mark = { completed: 'x', in_progress: '/', pending: ' ' } as const;
        made.file(
          `brain/${id}/task.md`,
          `# Tasks\n\n${beat.items.map(([item, status]) => `- [${mark[status]}] ${item}\n`).join('')}`,
        );
        break;
      }
      case 'compact':
      case 'subagent':
        act('search_web', { query: 'nothing' }, 132, 140, generic('Nothing.'));
        break;
    }
  }
  made.store(id, steps);
  fs.cpSync(path.join(made.home, '.gemini'), path.join(home, '.gemini'), { recursive: true });
}

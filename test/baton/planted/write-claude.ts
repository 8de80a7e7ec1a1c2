/** A planted session as Claude Code 2.1.332 writes it, its subagents in files of their own. */
import fs from 'node:fs';
import path from 'node:path';
import type { Beat } from './beat.ts';
import { cwd, diffLines, timeOf } from './beat.ts';

type Row = Readonly<Record<string, unknown>>;

class Rows {
  readonly rows: Row[] = [];
  readonly #id: string;
  readonly #common: Row;
  #parent: string | null = null;
  constructor(id: string, common: Row) {
    this.#id = id;
    this.#common = common;
  }
  push(type: string, rest: Row): void {
    const n = this.rows.length + 1;
    const uuid = `${this.#id.slice(0, 24)}${String(n).padStart(12, '0')}`;
    const envelope = { userType: 'external', entrypoint: 'cli', cwd, version: '2.1.332', gitBranch: 'main', ...this.#common };
    this.rows.push({ parentUuid: this.#parent, isSidechain: false, type, uuid, timestamp: timeOf(n), ...envelope, ...rest });
    this.#parent = uuid;
  }
  user(content: unknown, rest: Row = {}): void {
    this.push('user', { message: { role: 'user', content }, ...rest });
  }
  assistant(block: Row, stop: string): void {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 };
    const id = `msg_${this.rows.length}`;
    this.push('assistant', {
      message: { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [block], stop_reason: stop, usage },
    });
  }
  act(name: string, input: Row, text: string, result: unknown, isError = false, rest: Row = {}): void {
    const id = `toolu_${this.#id.slice(0, 8)}${this.rows.length}`;
    this.assistant({ type: 'tool_use', id, name, input }, 'tool_use');
    this.user([{ type: 'tool_result', tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) }], {
      toolUseResult: result,
      ...rest,
    });
  }
  /** The next row begins anew behind a boundary. */
  compact(summary: string): void {
    const before = this.#parent;
    this.#parent = null;
    this.push('system', {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
      isMeta: false,
      logicalParentUuid: before,
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
    });
    this.user(`This session is being continued from a previous conversation that ran out of context.\n${summary}`, {
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    });
  }
  get text(): string {
    return this.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

export function writeClaude(home: string, id: string, beats: readonly Beat[]): void {
  const folder = path.join(home, '.claude/projects/-home-user-shop');
  const rows = new Rows(id, { sessionId: id });
  let agents = 0;
  for (const beat of beats) {
    switch (beat.do) {
      case 'prompt':
        rows.user(beat.text);
        break;
      case 'say':
        rows.assistant({ type: 'text', text: beat.text }, 'end_turn');
        break;
      case 'run': {
        const failed = beat.exit !== 0;
        rows.act(
          'Bash',
          { command: beat.command, description: 'Run it' },
          failed ? `Exit code ${beat.exit}\n${beat.output}` : beat.output,
          failed ? `Error: Exit code ${beat.exit}\n${beat.output}` : { stdout: beat.output, stderr: '', interrupted: false },
          failed,
        );
        break;
      }
      case 'background':
        rows.act(
          'Bash',
          { command: beat.command, run_in_background: true },
          `Command running in background with ID: b8x3z4frq. ${beat.output}`,
          { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b8x3z4frq' },
        );
        break;
      case 'edit': {
        const lines = diffLines(beat.old, beat.fresh);
        const filePath = `${cwd}/${beat.path}`;
        rows.act(
          'Edit',
          { file_path: filePath, old_string: beat.old.join('\n'), new_string: beat.fresh.join('\n') },
          `The file ${filePath} has been updated.`,
          {
            filePath,
            oldString: beat.old.join('\n'),
            newString: beat.fresh.join('\n'),
            structuredPatch: [{ oldStart: 1, oldLines: beat.old.length, newStart: 1, newLines: beat.fresh.length, lines }],
          },
        );
        break;
      }
      case 'create': {
        const filePath = `${cwd}/${beat.path}`;
        const content = `${beat.lines.join('\n')}\n`;
        const result = { type: 'create', filePath, content, structuredPatch: [] };
        rows.act('Write', { file_path: filePath, content }, `File created successfully at: ${filePath}`, result);
        break;
      }
      case 'read': {
        const filePath = `${cwd}/${beat.path}`;
        const file = { filePath, content: beat.output, numLines: 1, startLine: 1, totalLines: 1 };
        rows.act('Read', { file_path: filePath }, beat.output, { type: 'text', file });
        break;
      }
      case 'fetch':
        rows.act('WebFetch', { url: beat.url, prompt: 'What does it say?' }, beat.output, { bytes: 9, code: 200, url: beat.url });
        break;
      case 'todo': {
        const todos = beat.items.map(([content, status]) => ({ content, status, activeForm: content }));
        rows.act('TodoWrite', { todos }, 'Todos have been modified', { oldTodos: [], newTodos: todos });
        break;
      }
      case 'compact':
        rows.compact(beat.summary);
        break;
      case 'subagent': {
        const agentId = `a${id.slice(0, 7)}${agents++}`;
        rows.act('Task', { description: 'Look', prompt: beat.task, subagent_type: 'general-purpose' }, beat.report, {
          status: 'completed',
          prompt: beat.task,
          agentId,
          content: [{ type: 'text', text: beat.report }],
        });
        const agent = new Rows(`${agentId}-${id}`, { sessionId: id, agentId, isSidechain: true });
        agent.user(beat.task);
        for (const text of beat.says) agent.assistant({ type: 'text', text }, 'end_turn');
        fs.mkdirSync(path.join(folder, id, 'subagents'), { recursive: true });
        fs.writeFileSync(path.join(folder, id, 'subagents', `agent-${agentId}.jsonl`), agent.text);
        break;
      }
    }
  }
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${id}.jsonl`), rows.text);
}

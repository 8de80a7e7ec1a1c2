/**
 * Which calls stay calls in Claude Code. Its own tools do, when the input has the shape that they take; a shell call of Codex,
 * pi or Gemini CLI becomes Bash when the command that ran is known exactly. Anything else is not a tool that Claude Code knows.
 */
import type { JsonObject } from '../../contract/json.ts';
import { arr, str } from '../../kit/fields.ts';
import { shellCommand } from '../../kit/shell-command.ts';

export interface NativeCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Fields that an input must have as texts or lists (versions 2.0.77 to 2.1.332). */
const own: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  Read: ['file_path'],
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'old_string', 'new_string'],
  MultiEdit: ['file_path', 'edits'],
  NotebookEdit: ['notebook_path'],
  Glob: ['pattern'],
  Grep: ['pattern'],
  WebFetch: ['url'],
  WebSearch: ['query'],
  TodoWrite: ['todos'],
  Agent: ['prompt'],
  Task: ['prompt'],
  AskUserQuestion: ['questions'],
  ExitPlanMode: [],
  TaskCreate: ['subject'],
  TaskUpdate: ['taskId'],
  TaskList: [],
};

export function nativeCall(name: string, input: JsonObject, cwd: string): NativeCall | undefined {
  const fields = Object.hasOwn(own, name) ? own[name] : undefined;
  if (fields !== undefined)
    return fields.every((field) => str(input, field) !== undefined || arr(input, field) !== undefined)
      ? { name, input }
      : undefined;
  const shell = shellCommand(name, input, cwd);
  return shell === undefined ? undefined : { name: 'Bash', input: { command: shell.command } };
}

/**
 * Which calls stay calls in Claude Code. Its own tools do, when the input has the shape that they take; a shell call of Codex,
 * pi or Gemini CLI becomes Bash when the command that ran is known exactly. Anything else is not a tool that Claude Code knows.
 */
import type { JsonObject } from '../../contract/json.ts';
import { arr, bool, filled, str, strings } from '../../kit/fields.ts';

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
  const command = shellCommand(name, input, cwd);
  return command === undefined ? undefined : { name: 'Bash', input: { command } };
}

function shellCommand(name: string, input: JsonObject, cwd: string): string | undefined {
  const folder = ['workdir', 'cwd', 'dir_path', 'directory'].flatMap((field) => filled(input, field) ?? [])[0];
  if ((folder !== undefined && folder !== cwd) || bool(input, 'is_background') === true) return undefined;
  switch (name) {
    case 'exec_command':
      return str(input, 'cmd');
    case 'bash':
    case 'run_shell_command':
      return str(input, 'command');
    case 'shell':
    case 'local_shell':
    case 'shell_command':
      return str(input, 'command') ?? ofArguments(strings(input, 'command'), arr(input, 'command')?.length ?? 0);
    case 'exec':
      return ofScript(str(input, 'input') ?? str(input, 'code') ?? '');
    default:
      return undefined;
  }
}

/** `["bash", "-lc", script]` is the script; other argument lists are quoted so that a shell gives the same arguments. */
function ofArguments(argv: readonly string[], given: number): string | undefined {
  if (argv.length === 0 || argv.length !== given) return undefined;
  const [shell = '', flag = '', script] = argv;
  if (argv.length === 3 && script !== undefined && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag)) return script;
  return argv.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A script of Codex's code mode that does nothing but run one command and print its output. */
const oneCommand =
  /^\s*(?:const|let|var)\s+(\w+)\s*=\s*await\s+tools\.exec_command\(\s*\{\s*["']?cmd["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)\s*,?\s*\}\s*\)\s*;?\s*text\(\s*\1\.output\s*\)\s*;?\s*$/;

function ofScript(script: string): string | undefined {
  if (script.length > 20_000) return undefined;
  const literal = oneCommand.exec(script)?.[2];
  return literal === undefined ? undefined : unescaped(literal.slice(1, -1));
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'", '`': '`', $: '$' };

/** The text of a literal; undefined when it has an escape that is not simple. */
function unescaped(body: string): string | undefined {
  let plain = true;
  const text = body.replaceAll(/\\([\s\S])/g, (_, sign: string) => {
    const meant = Object.hasOwn(escapes, sign) ? escapes[sign] : undefined;
    if (meant === undefined) plain = false;
    return meant ?? '';
  });
  return plain ? text : undefined;
}

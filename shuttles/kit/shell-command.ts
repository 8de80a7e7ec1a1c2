/**
 * The command of another harness's shell call, when it is known exactly what ran and that it ran in the given folder: what a writer may
 * give to its own harness's shell as the same call. Names and fields as the real programs record them (Claude Code 2.0 to 2.1, Codex
 * 0.39 to 0.171, Gemini CLI 0.9 on, pi 0.73 on, OpenClaw 2026.9). undefined: no such call, or one that this form would not tell whole.
 */
import type { JsonObject } from '../contract/json.ts';
import { arr, bool, field, filled, num, str, strings } from './fields.ts';

export interface ShellCommand {
  readonly command: string;
  /** Milliseconds after which it was to be ended. */
  readonly timeout?: number;
}

export function shellCommand(name: string, input: JsonObject, cwd: string): ShellCommand | undefined {
  const folder = ['workdir', 'working_directory', 'cwd', 'directory', 'dir_path'].map((key) => filled(input, key)).find(Boolean);
  if (folder !== undefined && folder !== cwd && folder !== '.') return undefined;
  if (['run_in_background', 'is_background', 'background'].some((key) => bool(input, key) === true)) return undefined;
  const command = commandIn(name, input);
  if (command === undefined || command.trim() === '') return undefined;
  // A number of seconds here and of milliseconds there: only Claude Code's unit is certain.
  const timeout = name === 'Bash' ? num(input, 'timeout') : undefined;
  return { command, ...(timeout === undefined ? {} : { timeout }) };
}

function commandIn(name: string, input: JsonObject): string | undefined {
  switch (name) {
    case 'Bash':
    case 'bash':
    case 'run_shell_command':
      return str(input, 'command');
    case 'exec_command':
      return str(input, 'cmd');
    case 'shell':
    case 'local_shell':
    case 'shell_command':
      return str(input, 'command') ?? ofArguments(strings(input, 'command'), arr(input, 'command')?.length ?? 0);
    case 'exec':
      // OpenClaw's shell and Codex's code mode have the same name.
      return field(input, 'command') === undefined
        ? ofScript(str(input, 'input') ?? str(input, 'code') ?? '')
        : str(input, 'command');
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

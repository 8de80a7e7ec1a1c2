/**
 * Facts about a tool call, from its arguments, its status and what the program displayed of it (0.61.0; older names too). Shapes that
 * are not known give fewer facts. Only the end of an output is looked at, however long it is.
 */
import type { ActionDetails, FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { field, filled, obj, objects, str } from '../../kit/fields.ts';
import { cut } from './state.ts';

type Action = ActionDetails['action'] & string;

const actions: Readonly<Record<string, Action>> = {
  run_shell_command: 'command',
  read_file: 'read',
  read_many_files: 'read',
  write_file: 'edit',
  replace: 'edit',
  edit: 'edit',
  list_directory: 'search',
  glob: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  web_fetch: 'fetch',
  google_web_search: 'webSearch',
  ask_user: 'question',
  write_todos: 'plan',
  codebase_investigator: 'agent',
  delegate_to_agent: 'agent',
  invoke_agent: 'agent',
};

export function isWeb(name: string): boolean {
  return name === 'web_fetch' || name === 'google_web_search';
}

/** `call`: the record of the call, with its result. */
export function actionDetails(call: JsonObject, content: readonly UserBlock[], isError: boolean): ActionDetails {
  const name = str(call, 'name') ?? '';
  const args = obj(call, 'args');
  const server = /^mcp_(?:_)?(.+?)_/.exec(name)?.[1];
  const agent = filled(call, 'agentId');
  const action = (Object.hasOwn(actions, name) ? actions[name] : undefined) ?? (server === undefined ? other(agent) : 'mcp');
  const end = ending(content);
  const command = action === 'command' ? filled(args, 'command') : undefined;
  const cwd = action === 'command' ? (filled(args, 'dir_path') ?? filled(args, 'directory')) : undefined;
  const change = action === 'edit' && !isError ? fileChange(args, obj(call, 'resultDisplay')) : undefined;
  const path = filled(args, 'file_path') ?? filled(args, 'absolute_path') ?? filled(args, 'dir_path') ?? filled(args, 'path');
  const url = filled(args, 'url');
  const exit = action === 'command' ? exitCodeOf(end, isError) : undefined;
  return {
    action,
    status: statusOf(str(call, 'status'), isError, end),
    ...(command === undefined ? {} : { command: cut(command, 4000) }),
    ...(cwd === undefined ? {} : { cwd: cut(cwd, 4000) }),
    ...(exit === undefined ? {} : { exitCode: exit }),
    ...(change === undefined ? {} : { files: [change] }),
    ...(action === 'fetch' && url !== undefined ? { url: cut(url, 2000) } : {}),
    ...(action === 'mcp' && server !== undefined ? { server: cut(server, 200) } : {}),
    ...(agent === undefined ? {} : { agent: cut(agent, 200) }),
    ...(action === 'question' ? { questions: questionsOf(args) } : {}),
    ...(isDenied(end) ? { decision: { allowed: false, by: 'user' } } : {}),
    ...((action === 'read' || action === 'search') && path !== undefined ? { extra: { path: cut(path, 4000) } } : {}),
  };
}

function other(agent: string | undefined): Action {
  return agent === undefined ? 'other' : 'agent';
}

function ending(content: readonly UserBlock[]): string {
  const last = content.findLast((block) => block.type === 'text');
  return last?.type === 'text' ? last.text.slice(-600) : '';
}

function isDenied(end: string): boolean {
  return /\[Operation Cancelled\] Reason: User (?:did not allow|denied)|Tool execution denied|denied by policy/i.test(end);
}

function statusOf(status: string | undefined, isError: boolean, end: string): NonNullable<ActionDetails['status']> {
  if (isDenied(end)) return 'denied';
  if (status === 'cancelled') return 'interrupted';
  return isError ? 'failed' : 'completed';
}

/** The program writes lines behind the output: `Exit Code: 1` when it was not 0, older versions always. */
function exitCodeOf(end: string, isError: boolean): number | undefined {
  const said = /(?:^|\n)Exit Code: (-?\d{1,10})(?:\n|$)/.exec(end)?.[1];
  if (said !== undefined) return Number(said);
  const cancelled = isError || /(?:^|\n)(?:Signal|Error): (?!\(none\))/.test(end);
  return cancelled ? undefined : 0;
}

/** Longer diffs are counted, not kept: the raw record has them. */
const longest = 200_000;

function fileChange(args: JsonObject | undefined, display: JsonObject | undefined): FileChange | undefined {
  const path = filled(display, 'filePath') ?? filled(args, 'file_path') ?? filled(display, 'fileName');
  if (path === undefined) return undefined;
  const file = str(display, 'fileDiff') ?? '';
  const from = file.startsWith('@@') ? 0 : file.indexOf('\n@@') + 1;
  const diff = from === 0 && !file.startsWith('@@') ? '' : file.slice(from);
  const created = field(display, 'isNewFile') === true || (display !== undefined && field(display, 'originalContent') === null);
  const lines = diff.split('\n');
  return {
    path: cut(path, 4000),
    change: created ? 'add' : 'update',
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    ...(diff === '' || diff.length > longest ? {} : { diff: diff.endsWith('\n') ? diff : `${diff}\n` }),
  };
}

function questionsOf(args: JsonObject | undefined): readonly { readonly question: string }[] {
  const asked = [...objects(args, 'questions').flatMap((item) => filled(item, 'question') ?? []), filled(args, 'question')];
  return asked.flatMap((question) => (question === undefined ? [] : [{ question: cut(question, 2000) }])).slice(0, 16);
}

/**
 * Facts about a tool call, from its arguments, its status and what the program displayed of it (0.61.0; older names too). Shapes that
 * are not known give fewer facts. Only the end of an output is looked at, however long it is.
 */
import type { ActionDetails, FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { field, filled, obj, objects, parseObject, str } from '../../kit/fields.ts';
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
  enter_plan_mode: 'plan',
  exit_plan_mode: 'plan',
  tracker_create_task: 'plan',
  tracker_update_task: 'plan',
  tracker_get_task: 'plan',
  tracker_list_tasks: 'plan',
  tracker_add_dependency: 'plan',
  tracker_visualize: 'plan',
  list_mcp_resources: 'mcp',
  read_mcp_resource: 'mcp',
  get_internal_docs: 'read',
  activate_skill: 'read',
  codebase_investigator: 'agent',
  delegate_to_agent: 'agent',
  invoke_agent: 'agent',
};

/** Text that came from the web is quoted as such. */
export function isWeb(details: ActionDetails): boolean {
  return details.action === 'fetch' || details.action === 'webSearch';
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
  const url = filled(args, 'url') ?? urlIn(filled(args, 'prompt'));
  const start = beginning(content);
  const background = action === 'command' ? /^Command moved to background \(PID: (\d{1,10})\)/.exec(start)?.[1] : undefined;
  const cancelled = action === 'command' && /^Command was (?:automatically )?cancelled\b/.test(start);
  const exit = action === 'command' && background === undefined && !cancelled ? exitCodeOf(end, isError) : undefined;
  const status = cancelled ? 'interrupted' : statusOf(str(call, 'status'), isError || (exit ?? 0) !== 0, end);
  const extra = {
    ...((action === 'read' || action === 'search') && path !== undefined ? { path: cut(path, 4000) } : {}),
    ...(background === undefined ? {} : { backgroundTask: background }),
    ...savedIn(start),
  };
  return {
    action,
    // What was moved to the background has only begun.
    ...(background === undefined ? { status } : {}),
    ...(command === undefined ? {} : { command: cut(command, 4000) }),
    ...(cwd === undefined ? {} : { cwd: cut(cwd, 4000) }),
    ...(exit === undefined ? {} : { exitCode: exit }),
    ...(change === undefined ? {} : { files: [change] }),
    ...(action === 'fetch' && url !== undefined ? { url: cut(url, 2000) } : {}),
    ...(action === 'mcp' && server !== undefined ? { server: cut(server, 200) } : {}),
    ...(agent === undefined ? {} : { agent: cut(agent, 200) }),
    ...(action === 'question' ? { questions: questionsOf(args, content) } : {}),
    ...('savedAt' in extra ? { truncated: true } : {}),
    ...(isDenied(end) ? { decision: { allowed: false, by: /\bpolicy\b/i.test(end) ? 'rule' : 'user' } } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function other(agent: string | undefined): Action {
  return agent === undefined ? 'other' : 'agent';
}

/** `web_fetch` is told in words what to fetch. */
function urlIn(prompt: string | undefined): string | undefined {
  return /\bhttps?:\/\/[^\s"'<>)\]]{1,2000}/.exec(prompt?.slice(0, 20_000) ?? '')?.[0];
}

/** The whole of a long output is put into a file, which the shortened one names. */
function savedIn(start: string): { readonly savedAt?: string } {
  const found = /^Output too large\. [^\n]{0,200}For full output see: ([^\n]{1,1000})/.exec(start)?.[1];
  return found === undefined ? {} : { savedAt: found };
}

function beginning(content: readonly UserBlock[]): string {
  const [first] = content;
  return first?.type === 'text' ? first.text.slice(0, 1500) : '';
}

function ending(content: readonly UserBlock[]): string {
  const last = content.findLast((block) => block.type === 'text');
  return last?.type === 'text' ? last.text.slice(-600) : '';
}

function isDenied(end: string): boolean {
  return /\[Operation Cancelled\] (?:Reason: )?User (?:did not allow|denied)|Tool execution (?:for "[^"\n]{0,200}" )?denied|denied by policy/i.test(
    end,
  );
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

/** The answers come as JSON, by the number of the question. */
function questionsOf(
  args: JsonObject | undefined,
  content: readonly UserBlock[],
): readonly { readonly question: string; readonly answer?: string }[] {
  const asked = [...objects(args, 'questions').flatMap((item) => filled(item, 'question') ?? []), filled(args, 'question')];
  const [first] = content;
  const answers = first?.type === 'text' ? obj(parseObject(first.text.slice(0, 200_000)), 'answers') : undefined;
  return asked
    .flatMap((question, index) => {
      if (question === undefined) return [];
      const answer = filled(answers, String(index));
      return [{ question: cut(question, 2000), ...(answer === undefined ? {} : { answer: cut(answer, 4000) }) }];
    })
    .slice(0, 16);
}

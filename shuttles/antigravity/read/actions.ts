/** Facts about an action, from the call's name and arguments and from what the step itself recorded. */
import type { ActionDetails, FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { count, field, filled, objects, str, strings } from '../../kit/fields.ts';
import { cut } from './state.ts';

type Action = ActionDetails['action'] & string;

const actions: Readonly<Record<string, Action>> = {
  run_command: 'command',
  send_command_input: 'command',
  command_status: 'command',
  view_file: 'read',
  view_file_outline: 'read',
  view_code_item: 'read',
  view_content_chunk: 'read',
  write_to_file: 'edit',
  replace_file_content: 'edit',
  multi_replace_file_content: 'edit',
  list_dir: 'search',
  grep_search: 'search',
  find_by_name: 'search',
  codebase_search: 'search',
  read_url_content: 'fetch',
  search_web: 'webSearch',
  invoke_subagent: 'agent',
  browser_subagent: 'agent',
  ask_question: 'question',
  notify_user: 'question',
  read_terminal: 'command',
  view_file_range: 'read',
  read_browser_page: 'fetch',
  open_browser_url: 'fetch',
  read_resource: 'mcp',
  list_resources: 'mcp',
  generate_image: 'image',
};

/** What the step's own type says when there is no name. */
const byType: Readonly<Record<string, Action>> = {
  RUN_COMMAND: 'command',
  VIEW_FILE: 'read',
  CODE_ACTION: 'edit',
  LIST_DIRECTORY: 'search',
  GREP_SEARCH: 'search',
  FIND: 'search',
  MCP_TOOL: 'mcp',
  READ_URL_CONTENT: 'fetch',
  SEARCH_WEB: 'webSearch',
};

export interface Done {
  readonly name: string;
  /** The step's type as a word; '' when it has none. */
  readonly type: string;
  readonly args: JsonObject | undefined;
  readonly content: readonly UserBlock[];
  readonly failed: boolean;
  readonly cancelled: boolean;
  readonly command?: string | undefined;
  readonly cwd?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly path?: string | undefined;
}

/** Text that came from the web is quoted as such. */
export function isWeb(details: ActionDetails, name: string): boolean {
  return details.action === 'fetch' || details.action === 'webSearch' || name === 'browser_subagent';
}

export function actionDetails(done: Done): ActionDetails {
  const { name, args } = done;
  const action = actionOf(name, done.type);
  const command = action === 'command' ? (done.command ?? filled(args, 'CommandLine')) : undefined;
  const cwd = action === 'command' ? (done.cwd ?? filled(args, 'Cwd')) : undefined;
  const path = done.path ?? filled(args, 'AbsolutePath') ?? filled(args, 'DirectoryPath') ?? filled(args, 'SearchPath');
  const change = action === 'edit' && !done.failed ? fileChange(done, args) : undefined;
  const url = filled(args, 'Url') ?? filled(args, 'url');
  const server = action === 'mcp' ? (filled(args, 'ServerName') ?? filled(args, 'server')) : undefined;
  const agent = action === 'agent' ? conversationIn(done.content) : undefined;
  return {
    action,
    status: done.cancelled ? 'interrupted' : done.failed ? 'failed' : 'completed',
    ...(command === undefined ? {} : { command: cut(command, 4000) }),
    ...(cwd === undefined || cwd === '' ? {} : { cwd: cut(cwd, 4000) }),
    ...(action === 'command' && done.exitCode !== undefined ? { exitCode: done.exitCode } : {}),
    ...(change === undefined ? {} : { files: [change] }),
    ...(action === 'fetch' && url !== undefined ? { url: cut(url, 2000) } : {}),
    ...(server === undefined ? {} : { server: cut(server, 200) }),
    ...(agent === undefined ? {} : { agent }),
    ...(action === 'question' ? { questions: questionsOf(args, done) } : {}),
    ...((action === 'read' || action === 'search') && path !== undefined ? { extra: { path: cut(path, 4000) } } : {}),
  };
}

function actionOf(name: string, type: string): Action {
  const known = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const typed = Object.hasOwn(byType, type) ? byType[type] : undefined;
  return known ?? typed ?? (name.startsWith('mcp') ? 'mcp' : 'other');
}

/** The conversation that a subagent's call started, as its result says. */
export function conversationIn(content: readonly UserBlock[]): string | undefined {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text.slice(0, 8000)] : [])).join('\n');
  return /conversation[_ ]?id"?\s*[:=]\s*"?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/i
    .exec(text)?.[1]
    ?.toLowerCase();
}

const longest = 200_000;

/** The call says what was replaced by what, and only sometimes where: without a line there is no diff, only counts. */
function fileChange(done: Done, args: JsonObject | undefined): FileChange | undefined {
  const path = filled(args, 'TargetFile') ?? done.path;
  if (path === undefined) return undefined;
  const written = str(args, 'CodeContent');
  if (written !== undefined) {
    const lines = linesOf(written);
    const replaced = field(args, 'Overwrite') === true || field(args, 'Overwrite') === 'true';
    const diff =
      replaced || lines.length === 0 ? '' : `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
    return {
      path: cut(path, 4000),
      change: replaced ? 'update' : 'add',
      added: lines.length,
      removed: 0,
      ...(diff === '' || diff.length > longest ? {} : { diff }),
    };
  }
  const chunks = [...(args === undefined ? [] : [args]), ...objects(args, 'ReplacementChunks')];
  let added = 0;
  let removed = 0;
  let diff = '';
  let placed = true;
  for (const chunk of chunks) {
    const [from, to] = [str(chunk, 'TargetContent'), str(chunk, 'ReplacementContent')];
    if (from === undefined || to === undefined) continue;
    const [old, fresh] = [linesOf(from), linesOf(to)];
    const line = count(chunk, 'StartLine');
    removed += old.length;
    added += fresh.length;
    placed &&= line !== undefined && old.length === (count(chunk, 'EndLine') ?? -1) - line + 1;
    diff += `@@ -${line ?? 0},${old.length} +${line ?? 0},${fresh.length} @@\n${old.map((l) => `-${l}\n`).join('')}${fresh.map((l) => `+${l}\n`).join('')}`;
  }
  return {
    path: cut(path, 4000),
    change: 'update',
    added,
    removed,
    ...(placed && diff !== '' && diff.length <= longest ? { diff } : {}),
  };
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** What was answered stands in the result's text; of several questions nobody could say to which it belongs. */
function questionsOf(
  args: JsonObject | undefined,
  done: Done,
): readonly { readonly question: string; readonly answer?: string }[] {
  const asked = [
    ...objects(args, 'questions').flatMap((item) => filled(item, 'question') ?? []),
    ...strings(args, 'questions'),
    ...['question', 'Question', 'Message'].flatMap((name) => filled(args, name) ?? []),
  ].slice(0, 16);
  const [only] = done.content;
  const told = asked.length === 1 && done.content.length === 1 && !done.failed && only?.type === 'text' ? only.text.trim() : '';
  return asked.map((question) => ({ question: cut(question, 2000), ...(told === '' ? {} : { answer: cut(told, 4000) }) }));
}

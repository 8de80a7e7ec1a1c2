/**
 * Which calls stay calls in Gemini CLI: its own tools, when the input has what they take (0.39 to 0.61 take the same), and other
 * harnesses' calls that mean exactly one of them. A call with a field that the tool has no place for is told in words instead, so that no
 * call seems to have done more or less than it did.
 */
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { NativeCall } from '../../kit/carried-turns.ts';
import { arr, bool, filled, num, objects, str } from '../../kit/fields.ts';
import { shellCommand } from '../../kit/shell-command.ts';

/** Texts and lists that the input of Gemini's own tools must have. */
const own: Readonly<Record<string, readonly string[]>> = {
  run_shell_command: ['command'],
  read_file: [],
  read_many_files: [],
  write_file: ['file_path', 'content'],
  replace: ['file_path', 'old_string', 'new_string'],
  glob: ['pattern'],
  grep_search: ['pattern'],
  search_file_content: ['pattern'],
  list_directory: [],
  google_web_search: ['query'],
  web_fetch: ['prompt'],
  write_todos: ['todos'],
  save_memory: ['fact'],
  ask_user: ['questions'],
  activate_skill: ['name'],
  update_topic: [],
  enter_plan_mode: [],
  exit_plan_mode: [],
  invoke_agent: ['prompt'],
};
/** Tools of MCP servers as Gemini CLI names them; other harnesses write two dashes, dots or slashes. */
const ownMcp = /^mcp_[A-Za-z0-9][A-Za-z0-9_.-]{0,58}$/;

/** `undefined`: Gemini CLI has no such tool. */
export function nativeCall(name: string, input: JsonObject, cwd: string): NativeCall | undefined {
  if (Object.hasOwn(own, name) || ownMcp.test(name)) return isOwn(name, input) ? { name, input } : undefined;
  const ran = command(name, input, cwd);
  if (ran !== undefined) return ran;
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  return form === undefined ? undefined : translated(form, input);
}

function isOwn(name: string, input: JsonObject): boolean {
  const needs = Object.hasOwn(own, name) ? (own[name] ?? []) : [];
  if (!needs.every((field) => str(input, field) !== undefined || arr(input, field) !== undefined)) return false;
  return name !== 'read_file' || (str(input, 'file_path') ?? str(input, 'absolute_path')) !== undefined;
}

const folders = ['workdir', 'working_directory', 'cwd', 'directory', 'dir_path'];

function command(name: string, input: JsonObject, cwd: string): NativeCall | undefined {
  const folder = folders.map((field) => filled(input, field)).find((found) => found !== undefined);
  const ran = shellCommand(name === 'bash' ? 'Bash' : name, input, folder ?? cwd);
  if (ran === undefined) return undefined;
  const description = filled(input, 'description');
  return {
    name: 'run_shell_command',
    input: {
      command: ran.command,
      ...(description === undefined ? {} : { description }),
      ...(folder === undefined || folder === cwd || folder === '.' ? {} : { dir_path: folder }),
    },
  };
}

/** How another harness's tool is said with Gemini's. `make` gives undefined for an input that has no such form. */
interface Form {
  readonly name: string;
  /** Every field that the input may have. */
  readonly fields: readonly string[];
  readonly make: (input: JsonObject) => Readonly<Record<string, JsonValue | undefined>> | undefined;
}

const replacing = (from: string, to: string, path: string, more: readonly string[] = []): Form => ({
  name: 'replace',
  fields: [path, from, to, ...more],
  make: (input) => {
    const every = bool(input, 'replace_all') === true ? { allow_multiple: true } : {};
    // Gemini's tool must be told what the change is for; the records of others do not say.
    return {
      file_path: str(input, path),
      instruction: 'Replace this text.',
      old_string: str(input, from),
      new_string: str(input, to),
      ...every,
    };
  },
});
const reading = (path: string): Form => ({
  name: 'read_file',
  fields: [path, 'offset', 'limit'],
  make: (input) => {
    const [start, lines] = [num(input, 'offset'), num(input, 'limit')];
    const end = lines === undefined ? undefined : Math.max(1, start ?? 1) + lines - 1;
    return {
      file_path: str(input, path),
      ...(start === undefined ? {} : { start_line: Math.max(1, start) }),
      ...(end === undefined ? {} : { end_line: end }),
    };
  },
});
const writing = (path: string): Form => ({
  name: 'write_file',
  fields: [path, 'content'],
  make: (input) => ({ file_path: str(input, path), content: str(input, 'content') }),
});
const globbing: Form = {
  name: 'glob',
  fields: ['pattern', 'path'],
  make: (input) => ({ pattern: str(input, 'pattern'), ...optional('dir_path', str(input, 'path')) }),
};
const listing: Form = {
  name: 'list_directory',
  fields: ['path'],
  make: (input) => ({ dir_path: str(input, 'path') ?? '.' }),
};

/** Claude Code's tools, then Codex's, then pi's and OpenClaw's. */
const forms: Readonly<Record<string, Form>> = {
  Read: reading('file_path'),
  Write: writing('file_path'),
  Edit: replacing('old_string', 'new_string', 'file_path', ['replace_all']),
  Glob: globbing,
  LS: listing,
  WebSearch: { name: 'google_web_search', fields: ['query'], make: (input) => ({ query: str(input, 'query') }) },
  WebFetch: {
    name: 'web_fetch',
    fields: ['url', 'prompt'],
    make: (input) => {
      const url = str(input, 'url');
      return {
        prompt: url === undefined ? undefined : [url, filled(input, 'prompt')].filter((text) => text !== undefined).join(' '),
      };
    },
  },
  TodoWrite: { name: 'write_todos', fields: ['todos'], make: (input) => todos(input, 'todos', 'content', ['activeForm']) },
  update_plan: { name: 'write_todos', fields: ['plan'], make: (input) => todos(input, 'plan', 'step', []) },
  read: reading('path'),
  write: writing('path'),
  edit: replacing('oldText', 'newText', 'path'),
  find: globbing,
  ls: listing,
};

function translated({ name, fields, make }: Form, input: JsonObject): NativeCall | undefined {
  const given = Object.keys(input).filter((field) => input[field] !== undefined);
  if (!given.every((field) => fields.includes(field))) return undefined;
  // A field that is there has the type that its tool gives it.
  const wrong = given.some((field) => !isTyped(field, input));
  const made = wrong ? undefined : make(input);
  if (made === undefined || Object.values(made).some((value) => value === undefined)) return undefined;
  return { name, input: made };
}

function isTyped(field: string, input: JsonObject): boolean {
  if (field === 'offset' || field === 'limit') return Number.isSafeInteger(num(input, field)) && (num(input, field) ?? 0) >= 0;
  if (field === 'replace_all') return bool(input, field) !== undefined;
  return str(input, field) !== undefined || arr(input, field) !== undefined;
}

/** Only a list in which every task has a text and a status that Gemini's tool knows. */
function todos(
  input: JsonObject,
  list: string,
  text: string,
  more: readonly string[],
): { readonly todos: JsonValue } | undefined {
  const tasks = objects(input, list);
  if (tasks.length !== arr(input, list)?.length) return undefined;
  const made = tasks.flatMap((task) => {
    const [description, status] = [str(task, text), str(task, 'status')];
    const known = status === 'pending' || status === 'in_progress' || status === 'completed';
    const whole = Object.keys(task).every((field) => [text, 'status', ...more].includes(field));
    return description === undefined || !known || !whole ? [] : [{ description, status }];
  });
  return made.length === tasks.length ? { todos: made } : undefined;
}

function optional(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

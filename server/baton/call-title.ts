/** A tool call as one line: its command, its file, its pattern. Names of arguments differ over harnesses; all are tried. */
import type { ToolCallBlock } from '../../shuttles/contract/message.ts';
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';

export interface CallFacts {
  readonly title: string;
  /** The shell command, or ''. */
  readonly command: string;
  /** The file that it would write, or ''. */
  readonly path: string;
}

/** A file or a folder, under the names that harnesses have for it. */
const pathKeys = [
  'file_path',
  'notebook_path',
  'path',
  'absolute_path',
  'TargetFile',
  'AbsolutePath',
  'DirectoryPath',
  'SearchDirectory',
  'SearchPath',
  'dir_path',
] as const;
const searchKeys = ['pattern', 'query', 'Query', 'Pattern'] as const;
const titleKeys = [
  'url',
  'Url',
  'description',
  'prompt',
  'Prompt',
  'message',
  'Message',
  'name',
  'skill',
  'subject',
  'question',
  'title',
  'task',
  'Task',
  'toolSummary',
] as const;
const writers =
  /^(?:write|edit|multiedit|notebookedit|create|str_replace|apply_patch|update_file|write_file|edit_file|replace|multi_replace|ast_edit)/i;

export function callFacts(call: ToolCallBlock): CallFacts {
  const args = call.arguments;
  const command = commandOf(args);
  if (command !== '') return { title: command, command, path: '' };
  const patch =
    /^\*\*\* (?:Update|Add|Delete) File: (.{1,400})$/m.exec(textOf(args, 'input') || textOf(args, 'patch'))?.[1] ?? '';
  const path = patch || firstOf(args, pathKeys);
  const search = firstOf(args, searchKeys);
  const named = search === '' ? path || firstOf(args, titleKeys) : path === '' ? search : `${search} in ${path}`;
  const title = named || questionIn(args) || textOf(args, 'input') || rest(args);
  return { title, command: '', path: writers.test(call.name) ? path : '' };
}

function firstOf(args: JsonObject, keys: readonly string[]): string {
  return keys.map((key) => textOf(args, key)).find((text) => text !== '') ?? '';
}

function questionIn(args: JsonObject): string {
  const asked = args['questions'];
  const first = isList(asked) ? asked[0] : undefined;
  if (typeof first === 'string') return first;
  return typeof first === 'object' && first !== null && !isList(first) ? textOf(first, 'question') : '';
}

/** "a: 2, b: 40": whatever short values a tool of unknown kind is given; of a list its length. */
function rest(args: JsonObject): string {
  return Object.entries(args)
    .flatMap(([key, value]) => {
      const isShort = typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '');
      if (isList(value)) return [`${key}: ${value.length}`];
      return isShort ? [`${key}: ${String(value).slice(0, 200)}`] : [];
    })
    .slice(0, 6)
    .join(', ');
}

function commandOf(args: JsonObject): string {
  for (const key of ['command', 'cmd', 'script', 'CommandLine']) {
    const value = args[key];
    if (typeof value === 'string') return value;
    if (isList(value) && value.length > 0 && value.every((part) => typeof part === 'string'))
      return value.length === 3 && /^-l?i?c$/.test(value[1] as string) ? (value[2] as string) : value.join(' ');
  }
  return '';
}
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

function textOf(args: JsonObject, key: string): string {
  const value = args[key];
  return typeof value === 'string' ? value : '';
}

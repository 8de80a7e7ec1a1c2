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

const titleKeys = [
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'message',
  'name',
  'skill',
  'subject',
  'question',
];
const writers = /^(?:write|edit|multiedit|notebookedit|create|str_replace|apply_patch|update_file|write_file|edit_file)/i;

export function callFacts(call: ToolCallBlock): CallFacts {
  const command = commandOf(call.arguments);
  if (command !== '') return { title: command, command, path: '' };
  const patch =
    /^\*\*\* (?:Update|Add|Delete) File: (.{1,400})$/m.exec(
      textOf(call.arguments, 'input') || textOf(call.arguments, 'patch'),
    )?.[1] ?? '';
  const path =
    patch || textOf(call.arguments, 'file_path') || textOf(call.arguments, 'notebook_path') || textOf(call.arguments, 'path');
  const title =
    path || titleKeys.map((key) => textOf(call.arguments, key)).find((text) => text !== '') || textOf(call.arguments, 'input');
  return { title, command: '', path: writers.test(call.name) ? path : '' };
}

function commandOf(args: JsonObject): string {
  for (const key of ['command', 'cmd', 'script']) {
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

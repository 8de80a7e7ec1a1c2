/** Calls as blocks of an answer, and the calls that wait for their results. */
import type { JsonObject } from '../../contract/json.ts';
import type { ToolCallBlock } from '../../contract/message.ts';
import { asObject, asStr, field, filled, parseJson, parseObject, str } from '../../kit/fields.ts';
import { openCall, type OpenCall, type State } from './state.ts';

/** Of a store: arguments are JSON in a text. */
export function storedCall(state: State, call: JsonObject, place: string): ToolCallBlock {
  const id = filled(call, 'id') ?? place;
  const name = filled(call, 'name') ?? 'unknown';
  const text = str(call, 'args') ?? '';
  openCall(state, id, name, text);
  return { type: 'toolCall', id, name, arguments: parseObject(text) ?? (text === '' ? {} : { input: text }) };
}

/** Of a transcript: each argument is JSON in a text of its own, or a bare text. */
export function writtenCall(state: State, call: JsonObject, id: string): ToolCallBlock {
  const name = filled(call, 'name') ?? 'unknown';
  const given = field(call, 'args');
  const args = Object.fromEntries(
    Object.entries(asObject(given) ?? (asStr(given) === undefined ? {} : { input: given })).map(([key, value]) => {
      const text = asStr(value);
      return [key, text === undefined ? value : (parseJson(text) ?? text)];
    }),
  );
  openCall(state, id, name, JSON.stringify(args));
  return { type: 'toolCall', id, name, arguments: args };
}

/** Takes the call of that id. */
export function closeCall(state: State, id: string): OpenCall | undefined {
  const at = state.calls.findLastIndex((call) => call.id === id);
  return at < 0 ? undefined : state.calls.splice(at, 1)[0];
}

const names: Readonly<Record<string, readonly string[]>> = {
  VIEW_FILE: ['view_file', 'view_file_outline', 'view_code_item'],
  RUN_COMMAND: ['run_command', 'send_command_input', 'command_status'],
  CODE_ACTION: ['replace_file_content', 'multi_replace_file_content', 'write_to_file'],
  LIST_DIRECTORY: ['list_dir'],
  GREP_SEARCH: ['grep_search'],
  FIND: ['find_by_name'],
};

/** Takes the oldest call that a step of this type can be the result of; results of other types take the oldest of all. */
export function closeFirst(state: State, type: string): OpenCall | undefined {
  const fitting = Object.hasOwn(names, type) ? names[type] : undefined;
  const claimed = new Set(Object.values(names).flat());
  const at = state.calls.findIndex(({ name }) => (fitting === undefined ? !claimed.has(name) : fitting.includes(name)));
  return at < 0 ? undefined : state.calls.splice(at, 1)[0];
}

/**
 * One line of a rollout in one form for all versions: `{timestamp, ordinal?, type, payload, metadata?}` since 0.39, bare
 * payloads before. Total: what has none of the known forms keeps its own type name, or `unknown`.
 */
import type { JsonObject } from '../../contract/json.ts';
import { asObject, count, field, isoTime, obj, str } from '../../kit/fields.ts';

export interface Line {
  readonly type: string;
  readonly payload: JsonObject;
  readonly metadata: JsonObject | undefined;
  readonly ordinal: number | undefined;
  /** Milliseconds since 1970. */
  readonly at: number | null;
}

const bareItems = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'web_search_call',
]);

export function toLine(value: JsonObject): Line {
  const type = str(value, 'type');
  const payload = asObject(field(value, 'payload'));
  const at = isoTime(field(value, 'timestamp'));
  const rest = { metadata: obj(value, 'metadata'), ordinal: count(value, 'ordinal'), at };
  if (type !== undefined && payload !== undefined) return { type, payload, metadata: rest.metadata, ordinal: rest.ordinal, at };
  if (type !== undefined && bareItems.has(type)) return { type: 'response_item', payload: value, ...rest };
  if (str(value, 'record_type') !== undefined) return { type: 'state', payload: value, ...rest };
  if (type === undefined && str(value, 'id') !== undefined && str(value, 'timestamp') !== undefined) {
    return { type: 'session_meta', payload: value, ...rest };
  }
  return { type: type ?? 'unknown', payload: payload ?? {}, ...rest };
}

/** The turn that a record says it belongs to. */
export function turnOf(line: Line): string | undefined {
  return str(line.payload, 'turn_id') ?? str(passthrough(line.payload), 'turn_id');
}

/** Codex's own notes on a message: the turn, and what kind of text each content item is. Since about 0.147. */
export function passthrough(payload: JsonObject): JsonObject | undefined {
  return obj(payload, 'internal_chat_message_metadata_passthrough');
}

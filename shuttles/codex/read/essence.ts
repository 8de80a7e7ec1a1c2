/**
 * What a record says, as text to be hashed: without ids, times and empty fields, which a later version adds when it writes a
 * copy, and with the UI log's two spellings (legacy events, `item_completed` items) as one.
 */
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { asArray, asObject, num, obj, objects, str, strings } from '../../kit/fields.ts';

export function essence(kind: string, payload: JsonObject): string {
  const type = str(payload, 'type') ?? '';
  if (type === 'token_count') return `tokens\n${tokens(obj(obj(payload, 'info'), 'total_token_usage'))}`;
  if (kind === 'token_usage_record') return `tokens\n${str(payload, 'response_id') ?? ''}\n${tokens(obj(payload, 'usage'))}`;
  if (kind === 'turn_context')
    return ['cwd', 'model', 'approval_policy', 'effort'].map((name) => str(payload, name) ?? '').join('\n');
  const item = type === 'item_completed' ? obj(payload, 'item') : undefined;
  const shown = item === undefined ? shownEvent(type, payload) : shownItem(item);
  if (shown !== undefined) return shown;
  let text = '';
  let count = 0;
  for (const name of telling) {
    const value = payload[name] ?? null;
    if (value === null) continue;
    const said = typeof value === 'string' ? value : name === 'content' ? contents(value) : canonical(value);
    text += count === 0 ? `${name}\n${said}` : `\n${name}\n${said}`;
    count += 1;
  }
  return count > 1 ? text : canonical(payload);
}

/** The same text for the same JSON whatever the order of its members; members without a value do not count. */
export function canonical(value: JsonValue | undefined): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const list = asArray(value);
  if (list !== undefined) return `[${list.map(canonical).join(',')}]`;
  const object = value as JsonObject;
  let members = '';
  for (const name of Object.keys(object).toSorted()) {
    if ((object[name] ?? null) !== null)
      members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonical(object[name])}`;
  }
  return `{${members}}`;
}

const telling =
  'type role turn_id call_id name namespace arguments input action output message text content summary encrypted_content info replacement_history num_turns item usage error'.split(
    ' ',
  );

/** A count that is not there is none: later versions write more of them. */
function tokens(usage: JsonObject | undefined): string {
  const of = (name: string): number => num(usage, name) ?? 0;
  const input = `${of('input_tokens')} ${of('cached_input_tokens')} ${of('cache_write_input_tokens')}`;
  return `${input} ${of('output_tokens')} ${of('reasoning_output_tokens')}`;
}

function shownEvent(type: string, event: JsonObject): string | undefined {
  switch (type) {
    case 'user_message':
    case 'agent_message':
      return `shown ${type}\n${str(event, 'message') ?? contents(event['content'] ?? null)}`;
    case 'agent_reasoning':
      return `shown reasoning\n${str(event, 'text') ?? ''}`;
    case 'patch_apply_end':
      return `shown change\n${str(event, 'call_id') ?? ''}\n${canonical(event['changes'])}`;
    case 'exec_command_end':
    case 'mcp_tool_call_end':
    case 'web_search_end':
    case 'view_image_tool_call':
    case 'image_generation_end':
      return `shown action\n${str(event, 'call_id') ?? ''}`;
    default:
      return undefined;
  }
}

function shownItem(item: JsonObject): string | undefined {
  const id = str(item, 'id') ?? '';
  switch (str(item, 'type') ?? '') {
    case 'UserMessage':
      return `shown user_message\n${texts(item)}`;
    case 'AgentMessage':
      return `shown agent_message\n${texts(item)}`;
    case 'Reasoning':
      return `shown reasoning\n${strings(item, 'summary_text').join('\n\n')}`;
    case 'FileChange':
      return `shown change\n${id}\n${canonical(item['changes'])}`;
    case 'CommandExecution':
    case 'McpToolCall':
    case 'WebSearch':
    case 'ImageView':
    case 'ImageGeneration':
      return `shown action\n${id}`;
    default:
      return undefined;
  }
}

function texts(item: JsonObject): string {
  return objects(item, 'content')
    .flatMap((part) => str(part, 'text') ?? [])
    .join('\n');
}

function contents(content: JsonValue): string {
  const parts = asArray(content) ?? [content];
  return parts.map((part) => str(asObject(part), 'text') ?? str(asObject(part), 'image_url') ?? canonical(part)).join('\n');
}

/**
 * Content blocks of messages and tool results as they were found: strings, lists of blocks, bare strings in lists, null,
 * nothing at all. A block that has no counterpart becomes a short text marker, so that no record loses its place.
 */
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { AssistantBlock, ImageBlock, ToolCallBlock, UserBlock } from '../../contract/message.ts';
import { asArray, asObject, asStr, obj, parseObject, str, type Loose } from '../../kit/fields.ts';
import { cut } from './state.ts';

export function userBlocks(content: Loose): readonly UserBlock[] {
  if (content === undefined || content === null || content === '') return [];
  const list = asArray(content) ?? [content];
  return list.flatMap((block) => userBlock(block) ?? []);
}

function userBlock(block: JsonValue): UserBlock | undefined {
  if (block === null) return undefined;
  if (typeof block === 'string') return { type: 'text', text: block };
  const object = asObject(block);
  if (object === undefined) return { type: 'text', text: JSON.stringify(block) };
  switch (str(object, 'type') ?? '') {
    case 'text':
      return { type: 'text', text: str(object, 'text') ?? '' };
    case 'image':
      return image(object) ?? marker(object);
    case 'tool_reference':
      return { type: 'text', text: `[tool: ${str(object, 'tool_name') ?? ''}]` };
    default:
      return marker(object);
  }
}

export function assistantBlocks(content: Loose, key: string): readonly AssistantBlock[] {
  if (content === undefined || content === null || content === '') return [];
  const list = asArray(content) ?? [content];
  return list.flatMap((block, index) => assistantBlock(block, `${key}:${index}`) ?? []);
}

function assistantBlock(block: JsonValue, place: string): AssistantBlock | undefined {
  const object = asObject(block);
  if (object === undefined) return userBlock(block);
  switch (str(object, 'type') ?? '') {
    case 'thinking': {
      const signature = str(object, 'signature');
      return { type: 'thinking', thinking: str(object, 'thinking') ?? '', ...(signature === undefined ? {} : { signature }) };
    }
    case 'redacted_thinking': {
      const signature = str(object, 'data');
      return { type: 'thinking', thinking: '', redacted: true, ...(signature === undefined ? {} : { signature }) };
    }
    case 'tool_use':
      return toolCall(object, place);
    default:
      return userBlock(object);
  }
}

function toolCall(object: JsonObject, place: string): ToolCallBlock {
  const input = object['input'];
  const text = asStr(input);
  const args = asObject(input) ?? (text === undefined ? undefined : (parseObject(text) ?? { input: text })) ?? {};
  return { type: 'toolCall', id: str(object, 'id') ?? place, name: str(object, 'name') ?? 'unknown', arguments: args };
}

function image(object: JsonObject): ImageBlock | undefined {
  const source = obj(object, 'source');
  const mimeType = str(source, 'media_type') ?? 'image/png';
  const data = str(source, 'data');
  if (data !== undefined) return { type: 'image', mimeType, data };
  const url = str(source, 'url');
  return url === undefined ? undefined : { type: 'image', mimeType, url };
}

/** Documents, search results, blocks of later versions: their kind, and the text that they have in a plain place. */
function marker(object: JsonObject): UserBlock {
  const kind = cut(str(object, 'type') ?? 'block', 60);
  const words = ['title', 'text', 'name', 'query', 'url'].flatMap((name) => str(object, name) ?? []).join(' ');
  return { type: 'text', text: words === '' ? `[${kind}]` : `[${kind}] ${cut(words, 2000)}` };
}

export function textOf(blocks: readonly (UserBlock | AssistantBlock)[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/**
 * Content of messages and results as it was found: a string, a list of blocks, nothing at all. A block that has no counterpart becomes
 * a short text, so that no record loses what it says. Images that omp keeps elsewhere are referred to, never opened.
 */
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { AssistantBlock, ImageBlock, ToolCallBlock, UserBlock } from '../../contract/message.ts';
import { asArray, asObject, asStr, bool, filled, field, parseObject, str, type Loose } from '../../kit/fields.ts';
import { cut } from './state.ts';

export function userBlocks(content: Loose): readonly UserBlock[] {
  return listOf(content).flatMap((block) => userBlock(block) ?? []);
}

export function assistantBlocks(content: Loose, key: string): readonly AssistantBlock[] {
  return listOf(content).flatMap((block, index) => assistantBlock(block, `${key}:${index}`) ?? []);
}

function listOf(content: Loose): readonly JsonValue[] {
  if (content === undefined || content === null || content === '') return [];
  return asArray(content) ?? [content];
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
      return image(object);
    default:
      return marker(object);
  }
}

function assistantBlock(block: JsonValue, place: string): AssistantBlock | undefined {
  const object = asObject(block);
  switch (str(object, 'type') ?? '') {
    case 'thinking': {
      const signature = str(object, 'thinkingSignature');
      return {
        type: 'thinking',
        thinking: str(object, 'thinking') ?? '',
        ...(signature === undefined ? {} : { signature }),
        ...(bool(object, 'redacted') === true ? { redacted: true } : {}),
      };
    }
    case 'toolCall':
      return toolCall(object ?? {}, place);
    default:
      return userBlock(block);
  }
}

function toolCall(object: JsonObject, place: string): ToolCallBlock {
  const given = field(object, 'arguments');
  const text = asStr(given);
  const args = asObject(given) ?? (text === undefined ? undefined : (parseObject(text) ?? { input: text })) ?? {};
  return { type: 'toolCall', id: filled(object, 'id') ?? place, name: filled(object, 'name') ?? 'unknown', arguments: args };
}

function image(object: JsonObject): UserBlock {
  const mimeType = str(object, 'mimeType') ?? 'image/png';
  const data = filled(object, 'data');
  if (data === undefined) return marker(object);
  const found: ImageBlock = data.startsWith('blob:')
    ? { type: 'image', mimeType, url: cut(data, 200) }
    : { type: 'image', mimeType, data };
  return found;
}

function marker(object: JsonObject): UserBlock {
  const kind = cut(str(object, 'type') ?? 'block', 60);
  const words = ['title', 'text', 'name', 'url'].flatMap((name) => str(object, name) ?? []).join(' ');
  return { type: 'text', text: words === '' ? `[${kind}]` : `[${kind}] ${cut(words, 2000)}` };
}

export function textOf(blocks: readonly (UserBlock | AssistantBlock)[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

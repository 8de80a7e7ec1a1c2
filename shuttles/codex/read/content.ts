/** Content items of Codex messages and tool outputs as blocks: input_text, output_text, input_image and their UI spellings. */
import type { ImageBlock, UserBlock } from '../../contract/message.ts';
import type { JsonObject } from '../../contract/json.ts';
import { asObject, field, objects, str } from '../../kit/fields.ts';

const textTypes = new Set(['input_text', 'output_text', 'text', 'Text', 'summary_text', 'reasoning_text']);

/** The content items of a message. Other tools write a plain string, which Codex itself leaves out. */
export function contentItems(message: JsonObject): readonly JsonObject[] {
  const text = str(message, 'content');
  return text === undefined ? objects(message, 'content') : [{ type: 'text', text }];
}

export function contentBlocks(message: JsonObject): readonly UserBlock[] {
  return contentItems(message).flatMap((item) => blockOf(item) ?? []);
}

export function blockOf(item: JsonObject): UserBlock | undefined {
  const type = str(item, 'type') ?? '';
  const text = str(item, 'text');
  if (textTypes.has(type)) return text === undefined ? undefined : { type: 'text', text };
  if (type === 'input_image' || type === 'image') return imageBlock(imageUrl(item));
  if (type === 'local_image') return imageBlock(str(item, 'path'));
  if (type === 'encrypted_content') return { type: 'text', text: '[encrypted]' };
  if (type === 'refusal') return { type: 'text', text: str(item, 'refusal') ?? '' };
  if (text !== undefined) return { type: 'text', text };
  // A kind of content that is newer than this reader keeps its place.
  return /^(?:input|output)_\w+$/.test(type) ? { type: 'text', text: `[${type}]` } : undefined;
}

/** `data:` URLs become data; anything else stays a reference that nobody follows. */
export function imageBlock(url: string | undefined): ImageBlock | undefined {
  if (url === undefined) return undefined;
  const inline = /^data:([^;,]*)(?:;[^,]*)?,/.exec(url.slice(0, 200));
  if (inline === null) return { type: 'image', mimeType: mimeByName(url), url };
  return { type: 'image', mimeType: inline[1] || 'image/png', data: url.slice(inline[0].length) };
}

/** The texts of blocks, one after another. */
export function textOf(blocks: readonly UserBlock[]): string {
  return blocks
    .map((block) => (block.type === 'text' ? block.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function imageUrl(item: JsonObject): string | undefined {
  return str(item, 'image_url') ?? str(asObject(field(item, 'image_url')), 'url') ?? str(item, 'url');
}

const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

function mimeByName(url: string): string {
  const extension = /\.([a-z]{3,4})(?:$|[?#])/i.exec(url.slice(-80))?.[1]?.toLowerCase() ?? '';
  return mimeTypes[extension] ?? 'application/octet-stream';
}

/**
 * Contents as they are found: a string, one part, a list of parts (text, thought, call, response, data). A part that has no counterpart
 * becomes a short text, so that no record loses what it says.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { asArray, asObject, asStr, bool, field, filled, obj, objects, str, type Loose } from '../../kit/fields.ts';
import { cut } from './state.ts';

export type Part = string | JsonObject;

export function partsOf(content: Loose): readonly Part[] {
  if (content === undefined || content === null || content === '') return [];
  return (asArray(content) ?? [content]).flatMap((part): readonly Part[] => {
    const found = asStr(part) ?? asObject(part);
    return found === undefined ? [] : [found];
  });
}

export function isThought(part: Part): boolean {
  return typeof part !== 'string' && bool(part, 'thought') === true;
}

export function textOf(part: Part): string | undefined {
  return typeof part === 'string' ? part : str(part, 'text');
}

export function responseIn(part: Part): JsonObject | undefined {
  return typeof part === 'string' ? undefined : obj(part, 'functionResponse');
}

export function responsesIn(parts: readonly Part[]): readonly JsonObject[] {
  return parts.map(responseIn).filter((response) => response !== undefined);
}

export function isCall(part: Part): boolean {
  return typeof part !== 'string' && obj(part, 'functionCall') !== undefined;
}

/** Calls as parts of a content; those without an id cannot be told from each other. */
export function callsIn(parts: readonly Part[]): readonly { readonly call: JsonObject; readonly id: string }[] {
  return parts.flatMap((part) => {
    const call = typeof part === 'string' ? undefined : obj(part, 'functionCall');
    const id = filled(call, 'id');
    return call === undefined || id === undefined ? [] : [{ call, id }];
  });
}

export function blocksOf(parts: readonly Part[]): readonly UserBlock[] {
  return parts.flatMap((part) => blockOf(part) ?? []);
}

function blockOf(part: Part): UserBlock | undefined {
  const text = textOf(part);
  if (text !== undefined) return text === '' ? undefined : { type: 'text', text };
  if (typeof part === 'string') return undefined;
  const inline = obj(part, 'inlineData');
  const data = filled(inline, 'data');
  const mimeType = str(inline, 'mimeType') ?? '';
  if (data !== undefined && mimeType.startsWith('image/')) return { type: 'image', mimeType, data };
  const file = obj(part, 'fileData');
  const named = filled(file, 'fileUri') ?? filled(inline, 'mimeType') ?? Object.keys(part)[0];
  return named === undefined ? undefined : { type: 'text', text: `[${cut(named, 500)}]` };
}

/** What a tool answered: its `output` or `error`, else all of it, and what came along with it. */
export function responseBlocks(response: JsonObject, beside: readonly Part[]): readonly UserBlock[] {
  const answer = field(response, 'response');
  const object = asObject(answer);
  const said = asStr(answer) ?? str(object, 'output') ?? str(object, 'error');
  const rest = object === undefined || Object.keys(object).length === 0 ? '' : JSON.stringify(object);
  const text = said ?? rest;
  return [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...blocksOf(objects(response, 'parts')),
    ...blocksOf(beside),
  ];
}

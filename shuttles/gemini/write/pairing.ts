/**
 * A history in which every call has one result right behind it, which the server asks for. Gemini CLI 0.43 to 0.61 record a result twice,
 * in its call and as a message, and give their model both when the session is resumed, one more with every resume; a call that was
 * interrupted has none. The calls then stand in their message's content, and the first message with a result is the one that counts. Pure.
 */
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { arr, filled, obj, objects, str } from '../../kit/fields.ts';
import { missingResult } from '../../kit/carried-turns.ts';
import { hidden, responseParts, shownAnswer } from './rows.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** As its message records it. */
  readonly result: readonly JsonValue[];
}

/** undefined: it is so already. */
export function paired(messages: readonly JsonObject[]): readonly JsonObject[] | undefined {
  const out: JsonObject[] = [];
  let changed = false;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] ?? {};
    const calls = callsOf(message);
    if (str(message, 'type') !== 'gemini' || calls.length === 0) {
      out.push(message);
      continue;
    }
    const behind = messages.slice(at + 1);
    const end = behind.findIndex((other) => str(other, 'type') === 'gemini' && !isEmptyAnswer(other));
    const between = end < 0 ? behind : behind.slice(0, end);
    at += between.length;
    const told = between.flatMap((other) => responseIds(other));
    const recorded = objects(message, 'toolCalls').filter((call) => hasResult(call)).length;
    if (recorded === 0 && eachOnce(calls, told)) out.push(message, ...between);
    else {
      changed = true;
      out.push(...together(message, calls, between));
    }
  }
  return changed ? out : undefined;
}

function together(message: JsonObject, calls: readonly Call[], between: readonly JsonObject[]): readonly JsonObject[] {
  const { toolCalls: _, ...rest } = message;
  const content = contentParts(message);
  const texts = content.flatMap((part) => (typeof part['text'] === 'string' && part['thought'] !== true ? [part['text']] : []));
  const own = new Set(content.flatMap((part) => str(obj(part, 'functionCall'), 'id') ?? []));
  const parts = calls.filter(({ id }) => !own.has(id)).map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
  const open = new Map(calls.map((call) => [call.id, call]));
  const behind = between.flatMap((other): readonly JsonObject[] => {
    if (responseIds(other).length === 0) return [other];
    const kept = onlyFirst(contentParts(other), open);
    return kept.length === 0 ? [] : [{ ...other, content: kept, displayContent: hidden }];
  });
  const missing = [...open.values()].flatMap((call) => answerTo(call));
  const at = typeof message['timestamp'] === 'string' ? { timestamp: message['timestamp'] } : {};
  return [
    { ...rest, content: [...content, ...parts], displayContent: shownAnswer(texts, [...content.filter(isCall), ...parts]) },
    ...(missing.length === 0
      ? []
      : [{ id: `${str(message, 'id') ?? ''}_answered`, ...at, type: 'user', content: missing, displayContent: hidden }]),
    ...behind,
  ];
}

/** Responses to calls that are still open, with what stands beside them; taken ones leave `open`. */
function onlyFirst(parts: readonly JsonObject[], open: Map<string, Call>): readonly JsonObject[] {
  let keeps = true;
  return parts.filter((part) => {
    const response = obj(part, 'functionResponse');
    if (response !== undefined) keeps = open.delete(str(response, 'id') ?? '');
    return keeps || typeof part['text'] === 'string';
  });
}

function answerTo({ id, name, result }: Call): readonly JsonObject[] {
  const parts = objects({ result }, 'result');
  const from = parts.findIndex((part) => str(obj(part, 'functionResponse'), 'id') === id);
  if (from < 0) return responseParts(id, name, missingResult.content, true);
  const next = parts.findIndex((part, index) => index > from && obj(part, 'functionResponse') !== undefined);
  return parts.slice(from, next < 0 ? parts.length : next);
}

function callsOf(message: JsonObject): readonly Call[] {
  const recorded = objects(message, 'toolCalls').flatMap((call): readonly Call[] => {
    const id = filled(call, 'id');
    if (id === undefined) return [];
    return [{ id, name: str(call, 'name') ?? 'unknown', args: obj(call, 'args') ?? {}, result: arr(call, 'result') ?? [] }];
  });
  const known = new Set(recorded.map(({ id }) => id));
  const said = contentParts(message).flatMap((part): readonly Call[] => {
    const call = obj(part, 'functionCall');
    const id = filled(call, 'id');
    if (id === undefined || known.has(id)) return [];
    return [{ id, name: str(call, 'name') ?? 'unknown', args: obj(call, 'args') ?? {}, result: [] }];
  });
  return [...recorded, ...said];
}

function contentParts({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return Array.isArray(content) ? objects({ content }, 'content') : [];
}

function isCall(part: JsonObject): boolean {
  return obj(part, 'functionCall') !== undefined;
}

function responseIds(message: JsonObject): readonly string[] {
  if (str(message, 'type') !== 'user') return [];
  return contentParts(message).flatMap((part) => str(obj(part, 'functionResponse'), 'id') ?? []);
}

function hasResult(call: JsonObject): boolean {
  return (arr(call, 'result') ?? []).length > 0 || str(call, 'result') !== undefined;
}

function eachOnce(calls: readonly Call[], told: readonly string[]): boolean {
  return told.length === calls.length && calls.every(({ id }) => told.includes(id));
}

/** Not given to the model, so that nothing ends before it. */
function isEmptyAnswer(message: JsonObject): boolean {
  return contentParts(message).length === 0 && objects(message, 'toolCalls').length === 0;
}

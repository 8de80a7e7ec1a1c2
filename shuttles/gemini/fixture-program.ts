/**
 * For tests: what Gemini CLI 0.61 gives its model when it resumes a file, and the line that it puts behind the file's end then. Told by its
 * rules, which test/agents holds against the program itself.
 */
import type { JsonObject, JsonValue } from '../contract/json.ts';
import { arr, obj, objects, parseObject, str } from '../kit/fields.ts';

export interface Turn {
  readonly id: string;
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** Lines as its own line reader cuts them. */
function records(text: string): readonly JsonObject[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => parseObject(line))
    .filter((record) => record !== undefined);
}

function history(text: string): readonly JsonObject[] {
  const messages = new Map<string, JsonObject>();
  for (const record of records(text)) {
    const id = str(record, 'id');
    const all = arr(obj(record, '$set'), 'messages');
    if (id !== undefined) messages.set(id, record);
    if (all === undefined) continue;
    messages.clear();
    for (const message of objects({ all }, 'all')) messages.set(str(message, 'id') ?? '', message);
  }
  return [...messages.values()];
}

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return objects({ content }, 'content');
}

/** As text, which decides whether a prompt is given to the model. */
function shown(parts: readonly JsonObject[]): string {
  return parts.map((part) => str(part, 'text') ?? '[Part]').join('');
}

export function resumedTurns(text: string): readonly Turn[] {
  return history(text).flatMap((message): readonly Turn[] => {
    const id = str(message, 'id') ?? '';
    const parts = partsOf(message['content']);
    if (message['type'] === 'user') {
      const said = shown(parts).trim();
      return said === '' || /^(?:[/?]|<session_context>|<hook_context>)/.test(said) ? [] : [{ id, role: 'user', parts }];
    }
    if (message['type'] !== 'gemini') return [];
    const calls = objects(message, 'toolCalls');
    const own = parts.some((part) => obj(part, 'functionCall') !== undefined)
      ? parts
      : [
          ...parts,
          ...calls.map((call) => ({ functionCall: { id: str(call, 'id'), name: str(call, 'name'), args: obj(call, 'args') } })),
        ];
    const answers = calls.flatMap((call) => objects(call, 'result'));
    return [
      ...(own.length === 0 ? [] : [{ id, role: 'model' as const, parts: own }]),
      ...(own.length === 0 || answers.length === 0 ? [] : [{ id: `${id}_response`, role: 'user' as const, parts: answers }]),
    ];
  });
}

/** The rewrite that every resume leaves: what was given to the model, with members that the program does not know. */
export function rewrittenBy(text: string): string {
  const known = new Map(history(text).map((message) => [str(message, 'id'), message]));
  const context = {
    id: 'd04923d38bb0f6017037e74183378ef4',
    type: 'user',
    content: [{ text: '<session_context>\nToday\n</session_context>' }],
  };
  const messages = resumedTurns(text).map(({ id, role, parts }) => ({
    ...(known.get(id) ?? { id, type: role === 'user' ? 'user' : 'gemini' }),
    content: [...parts],
  }));
  return `${JSON.stringify({ $set: { messages: [context, ...messages] } })}\n`;
}

/** Turns of one role in a row are one for the server; calls and responses as `name id`. */
export function pairsIn(
  turns: readonly Turn[],
): readonly { readonly calls: readonly string[]; readonly responses: readonly string[] }[] {
  const merged: { role: Turn['role']; parts: JsonObject[] }[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  const named = (parts: readonly JsonObject[], kind: string): readonly string[] =>
    parts.flatMap((part) => {
      const found = obj(part, kind);
      return found === undefined ? [] : [`${str(found, 'name')} ${str(found, 'id')}`];
    });
  return merged.flatMap(({ role, parts }, index) => {
    const responses = named(merged[index + 1]?.parts ?? [], 'functionResponse');
    return role === 'user' ? [] : [{ calls: named(parts, 'functionCall'), responses }];
  });
}

/**
 * Sessions of older versions: one JSON object a file, `{sessionId, …, messages: []}`, written anew with every message. It is read as the
 * header and one record a message. The header carries the time of the last write, so that a file that was written again is read again
 * from its start; what is known of it already is known by its keys.
 */
import type { Container, Held } from '../contract/container.ts';
import type { JsonObject } from '../contract/json.ts';
import type { NativeRecord } from '../contract/read.ts';
import { arr, asObject, field, filled, isoTime, parseObject } from '../kit/fields.ts';

const name = 'session';

export const geminiContainer: Container = {
  form: 'document',
  holds: (relative) => relative.endsWith('.json'),
  sessions(held) {
    const session = sessionIn(held);
    if (session === undefined) return { refused: 'it is no JSON object with a session id and messages' };
    const updatedAt = isoTime(field(session, 'lastUpdated'));
    return {
      sessions: [{ name, length: 1 + (arr(session, 'messages') ?? []).length, ...(updatedAt === null ? {} : { updatedAt }) }],
    };
  },
  *records(held, asked, from) {
    const session = asked === name ? sessionIn(held) : undefined;
    if (session === undefined) return;
    const { messages: _, ...header } = session;
    if (from === 0) yield record(0, header);
    const messages = arr(session, 'messages') ?? [];
    for (let index = Math.max(0, from - 1); index < messages.length; index++) {
      const message = asObject(messages[index] ?? null);
      yield message === undefined
        ? { ok: false, offset: index + 1, length: 1, text: '', reason: 'a message that is no object' }
        : record(index + 1, message);
    }
  },
};

function record(offset: number, value: JsonObject): NativeRecord {
  return { ok: true, offset, length: 1, value };
}

function sessionIn(held: Held): JsonObject | undefined {
  if (held.form !== 'document') return undefined;
  const session = parseObject(held.text);
  return filled(session, 'sessionId') === undefined || arr(session, 'messages') === undefined ? undefined : session;
}

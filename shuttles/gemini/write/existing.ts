/**
 * A session's file as it lies there, as far as going on with it needs: the history that its records build, by the rules of the program
 * (0.39 to 0.61): a message again replaces the first one in its place, a rewind cuts, `$set.messages` replaces all. What Loom does not
 * know whole it refuses, in one sentence.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { ExistingSession } from '../../contract/shuttle.ts';
import { field, filled, isoTime, obj, objects, str } from '../../kit/fields.ts';
import { RecordCutter } from '../../kit/records.ts';

export interface Existing {
  /** In order, each id once. */
  readonly messages: readonly JsonObject[];
  /** Of the newest message, milliseconds since 1970. */
  readonly lastAt: number;
  /** Has the program put the whole history in its place (`$set.messages`)? Versions that never do so take such a record for good. */
  readonly rewritten: boolean;
}

const newline = 10;

/** A text: why the session cannot be gone on with. */
export function existingSession({ nativeId, path, size, head, tail }: ExistingSession): Existing | string {
  if (!path.endsWith('.jsonl'))
    return 'The session is a JSON document of an older Gemini CLI, which is written anew with every message: Loom does not go on with it.';
  const all = wholeFile(size, head, tail);
  if (all === undefined) return 'The session is longer than Loom looks at (8 MiB), so that Loom does not go on with it.';
  if (all.at(-1) !== newline)
    return 'The last record of the session is not ended: Gemini CLI is writing it or was ended while it did, so that Loom does not go on with it.';
  const records = new RecordCutter(0).feed(all);
  const last = records.at(-1);
  if (last === undefined || !last.ok) return 'The last record of the session is damaged, so that Loom does not go on with it.';
  const history = new Map<string, JsonObject>();
  let header: JsonObject = {};
  for (const record of records) if (record.ok) header = { ...header, ...taken(history, record.value) };
  if (str(header, 'sessionId') !== nativeId || filled(header, 'projectHash') === undefined)
    return 'The file does not say that it is this session of Gemini CLI, so that Loom does not go on with it.';
  if (str(header, 'kind') === 'subagent') return 'The session is that of a subagent, which Gemini CLI does not resume.';
  const messages = [...history.values()];
  const lastAt = messages.reduce((newest, message) => Math.max(newest, isoTime(field(message, 'timestamp')) ?? 0), 0);
  const rewritten = records.some((record) => record.ok && Array.isArray(obj(record.value, '$set')?.['messages']));
  return { messages, lastAt, rewritten };
}

/** Takes a record into the history; gives what it says of the session as a whole. */
function taken(history: Map<string, JsonObject>, record: JsonObject): JsonObject {
  const rewindTo = str(record, '$rewindTo');
  const id = str(record, 'id');
  if (rewindTo !== undefined) rewind(history, rewindTo);
  else if (id !== undefined) history.set(id, record);
  else {
    const set = obj(record, '$set') ?? record;
    if (Array.isArray(set['messages'])) {
      if (set !== record) history.clear();
      for (const message of objects(set, 'messages')) {
        const own = str(message, 'id');
        if (own !== undefined) history.set(own, message);
      }
    }
    const { messages: _, ...facts } = set;
    return facts;
  }
  return {};
}

/** To a message that is not there: everything goes. */
function rewind(history: Map<string, JsonObject>, to: string): void {
  const ids = [...history.keys()];
  for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) history.delete(id);
}

/** undefined: there are bytes between the two parts. */
function wholeFile(size: number, head: Uint8Array, tail: Uint8Array): Uint8Array | undefined {
  if (size <= tail.length) return tail;
  if (size > head.length + tail.length) return undefined;
  return Buffer.concat([head, tail.subarray(head.length + tail.length - size)]);
}

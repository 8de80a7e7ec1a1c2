/**
 * What must be known of a rollout before lines are put behind it: its form, its last ordinal, its newest time, and how much its model was
 * last sent. A rollout that Codex would refuse, or that it would refuse afterwards, is told by a sentence.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord } from '../../contract/read.ts';
import type { ExistingSession } from '../../contract/shuttle.ts';
import { count, filled, obj, str } from '../../kit/fields.ts';
import { RecordCutter } from '../../kit/records.ts';
import { toLine, type Line } from '../read/record.ts';

export interface RolloutEnd {
  readonly mode: 'legacy' | 'paginated';
  /** Of the last line of a paginated rollout; -1 in a legacy one. */
  readonly ordinal: number;
  /** Milliseconds since 1970. */
  readonly newest: number;
  /** The newest `token_count`'s `info`, and the tokens of the last request and its answer. */
  readonly info?: JsonObject;
  readonly tokens: number;
}
export type FoundEnd = { readonly ok: true; readonly end: RolloutEnd } | { readonly ok: false; readonly refusal: string };

const newline = 10;

export function rolloutEnd({ nativeId, head, tail, size }: ExistingSession): FoundEnd {
  const [first] = new RecordCutter(0).feed(head.subarray(0, head.indexOf(newline) + 1));
  if (first?.ok !== true) return no('does not begin with a header that can be read');
  const header = toLine(first.value);
  const mode = modeOf(header, first.value, nativeId);
  if ('refusal' in mode) return no(mode.refusal);
  if (tail.at(-1) !== newline) return no('ends in the middle of a line');
  const from = tail.byteLength >= size ? 0 : tail.indexOf(newline) + 1;
  const records = new RecordCutter(0).feed(tail.subarray(from));
  const last = records.at(-1);
  if (last?.ok !== true) return no('ends with a damaged line');
  const ordinal = toLine(last.value).ordinal;
  // Codex refuses such a file for good: an older version went on in it.
  if (mode.mode === 'paginated' && ordinal === undefined) return no('has lines without a number at its end');
  return { ok: true, end: { mode: mode.mode, ordinal: ordinal ?? -1, ...facts(records) } };
}

function no(what: string): FoundEnd {
  return { ok: false, refusal: `The session's file ${what}, so Loom does not go on in it.` };
}

function modeOf(
  header: Line,
  value: JsonObject,
  nativeId: string,
): { readonly mode: RolloutEnd['mode'] } | { readonly refusal: string } {
  if (header.type !== 'session_meta' || obj(value, 'payload') === undefined)
    return { refusal: 'is of a version of Codex that today’s cannot resume' };
  const id = filled(header.payload, 'id');
  if (id?.toLowerCase() !== nativeId.toLowerCase()) return { refusal: `is of another session (${id ?? 'without an id'})` };
  const isChild =
    filled(header.payload, 'parent_thread_id') !== undefined || obj(obj(header.payload, 'source'), 'subagent') !== undefined;
  if (isChild || str(obj(header.payload, 'source'), 'subagent') !== undefined)
    return { refusal: 'is of a helper that another session started' };
  switch (str(header.payload, 'history_mode') ?? 'legacy') {
    case 'legacy':
      return { mode: 'legacy' };
    case 'paginated':
      return { mode: 'paginated' };
    default:
      return { refusal: 'has a form that this version of Loom does not know' };
  }
}

function facts(records: readonly NativeRecord[]): Pick<RolloutEnd, 'newest' | 'tokens'> & { readonly info?: JsonObject } {
  let newest = 0;
  let info: JsonObject | undefined;
  for (const record of records) {
    if (!record.ok) continue;
    const line = toLine(record.value);
    newest = Math.max(newest, line.at ?? 0);
    if (line.type === 'event_msg' && str(line.payload, 'type') === 'token_count') info = obj(line.payload, 'info') ?? info;
  }
  const tokens = count(obj(info, 'last_token_usage'), 'total_tokens') ?? 0;
  return { newest, tokens, ...(info !== undefined && { info }) };
}

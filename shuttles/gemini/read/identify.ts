/**
 * Whose file it is: the full session id in its header, never the eight signs in its name, which other sessions may share. A resumed
 * session leaves a second file with the same id in which nobody said anything: that is no session file. A subagent's file lies in a
 * folder named after the session that started it.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { field, filled, obj, objects } from '../../kit/fields.ts';
import { isSessionId, placeOf } from '../folders.ts';
import { saysSomething } from './prompt.ts';

/** A head that is full of records without a word is that of a long session. */
const manyRecords = 64;

export function identify(path: string, head: readonly NativeRecord[], sidecars: Sidecars): SourceIdentity | undefined {
  const place = placeOf(path);
  const values = head.flatMap((record) => (record.ok ? [record.value] : []));
  const nativeId = values.flatMap((value) => headerId(value) ?? []).find(isSessionId);
  // A whole JSON file is a container, and itself no session.
  if (place === undefined || nativeId === undefined || path.endsWith('.json')) return undefined;
  if (values.length < manyRecords && !values.some(isSaid)) return undefined;
  const { parent } = place;
  const childOf = parent !== undefined && isSessionId(parent) && parent !== nativeId ? { nativeId: parent } : undefined;
  return {
    nativeId,
    part: place.stem,
    ...(childOf === undefined ? {} : { childOf }),
    needs: childOf === undefined ? [] : filesOf(childOf.nativeId, place.chats, place.separator, sidecars),
  };
}

export function headerId(value: JsonObject): string | undefined {
  const isHeader = ['projectHash', 'startTime', 'kind'].some((name) => field(value, name) !== undefined);
  return isHeader || field(value, 'type') === undefined ? filled(value, 'sessionId') : undefined;
}

function isSaid(value: JsonObject): boolean {
  return saysSomething(value) || objects(obj(value, '$set'), 'messages').some(saysSomething);
}

/** Files that may be that session's: their names carry its first eight signs, or, of a session that Loom wrote, all of them. */
function filesOf(id: string, chats: string, separator: string, sidecars: Sidecars): readonly string[] {
  const ending = `-${id.slice(0, 8)}`;
  return sidecars
    .list(chats)
    .filter((name) => name.startsWith('session-') && (name.endsWith(`${ending}.jsonl`) || name.endsWith(`-loom-${id}.jsonl`)))
    .toSorted()
    .map((name) => `${chats}${separator}${name}`);
}

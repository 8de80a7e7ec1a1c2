/**
 * A session's file as it lies there, as far as going on with it needs: whose it is, its last record, the ids that are taken, the model
 * that the person had chosen. What Loom does not know whole it refuses, in one sentence: omp's files, other versions, a torn or damaged
 * end, a tree with one id twice.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { ExistingSession } from '../../contract/shuttle.ts';
import { field, filled, isoTime, num, obj, objects, str } from '../../kit/fields.ts';
import { RecordCutter } from '../../kit/records.ts';
import { isOmpPath } from '../folders.ts';

export interface Existing {
  /** Id of the record that new ones stand behind. */
  readonly last: string;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  readonly ids: ReadonlySet<string>;
  readonly callIds: ReadonlySet<string>;
  /** Are these all of the file's? */
  readonly knowsAll: boolean;
  /** As the newest record on the way to the root says that names one of the person's. */
  readonly model: { readonly provider: string; readonly modelId: string } | undefined;
}

const newline = 10;
/** 8 hex digits or a UUID; what others made of it holds no sign that could be read in two ways. */
const idForm = /^[\w.:-]{1,128}$/;

/** A text: why the session cannot be gone on with. */
export function existingSession({ nativeId, path, size, head, tail }: ExistingSession): Existing | string {
  if (isOmpPath(path)) return 'The session belongs to omp, whose files have a form of their own: Loom does not go on with it.';
  if (tail.at(-1) !== newline)
    return 'The last record of the session is not ended: pi is writing it or was ended while it did, so that Loom does not go on with it.';
  const refusal = headerRefusal(nativeId, head);
  if (refusal !== undefined) return refusal;

  const all = wholeFile(size, head, tail);
  const newest = rowsOf(all ?? tail, all === undefined);
  const rows = all === undefined ? [...rowsOf(head, false), ...newest] : newest;
  const last = newest.at(-1);
  if (last === undefined || last === damage || last.id === undefined || !idForm.test(last.id))
    return 'The last record of the session is damaged or too long to be looked at, so that Loom does not go on with it.';
  const entries = rows.filter((row) => row !== damage);
  if (entries.filter((row) => row.id === last.id).length > 1)
    return 'Two records of the session have the same id, so that Loom does not go on with it.';
  return {
    last: last.id,
    lastAt: last.at,
    ids: new Set(entries.flatMap((row) => row.id ?? [])),
    callIds: new Set(entries.flatMap((row) => row.calls)),
    knowsAll: all !== undefined,
    model: modelOf(entries, last.id),
  };
}

function headerRefusal(nativeId: string, head: Uint8Array): string | undefined {
  const end = head.indexOf(newline);
  const [first] = end < 0 ? [] : new RecordCutter(0).feed(head.subarray(0, end + 1));
  // A byte order mark in front of it is refused by pi 1.6 too.
  const header = first?.ok === true && first.offset === 0 && first.value['type'] === 'session' ? first.value : undefined;
  if (header === undefined) return 'The file does not begin as a session of pi does, so that Loom does not go on with it.';
  if (str(header, 'id') !== nativeId) return 'The file is of another session than it was, so that Loom does not go on with it.';
  const version = num(header, 'version');
  return version === 3
    ? undefined
    : `The session has the form of version ${version ?? 1}, which Loom cannot go on with: it takes version 3.`;
}

/** undefined: there are bytes between the two parts. */
function wholeFile(size: number, head: Uint8Array, tail: Uint8Array): Uint8Array | undefined {
  if (size <= tail.length) return tail;
  if (size > head.length + tail.length) return undefined;
  return Buffer.concat([head, tail.subarray(head.length + tail.length - size)]);
}

interface RowFacts {
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly at: number;
  readonly calls: readonly string[];
  readonly model: Existing['model'];
}

const damage = 'damaged';

/** The records of a part of the file. Of one that begins anywhere, what stands before its first newline may be cut. */
function rowsOf(bytes: Uint8Array, anywhere: boolean): readonly (RowFacts | typeof damage)[] {
  const records = new RecordCutter(0).feed(anywhere ? bytes.subarray(bytes.indexOf(newline) + 1) : bytes);
  return records
    .filter((record) => !record.ok || record.value['type'] !== 'session')
    .map((record) => (record.ok ? rowFacts(record.value) : damage));
}

function rowFacts(value: JsonObject): RowFacts {
  const message = obj(value, 'message');
  const calls = objects(message, 'content').flatMap((block) => (block['type'] === 'toolCall' ? (str(block, 'id') ?? []) : []));
  return {
    id: filled(value, 'id'),
    parent: filled(value, 'parentId'),
    at: isoTime(field(value, 'timestamp')) ?? 0,
    calls,
    model: str(value, 'type') === 'model_change' ? modelIn(value, 'modelId') : modelIn(message, 'model'),
  };
}

function modelIn(value: JsonObject | undefined, name: string): Existing['model'] {
  const provider = filled(value, 'provider');
  const modelId = filled(value, name);
  return provider === undefined || modelId === undefined || provider === 'loom' ? undefined : { provider, modelId };
}

function modelOf(rows: readonly RowFacts[], last: string): Existing['model'] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const seen = new Set<string>();
  for (let id: string | undefined = last; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const row: RowFacts | undefined = byId.get(id);
    if (row?.model !== undefined) return row.model;
    id = row?.parent;
  }
  return undefined;
}

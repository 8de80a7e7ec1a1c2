/**
 * The envelope of a record: which record of the tree it is, behind which it stands, when and where it was written.
 * A uuid names a record over all files and copies only when it has a uuid's form; other names (transcripts made by hand use
 * `u1`, `u2`) are kept apart by session.
 */
import type { JsonObject } from '../../contract/json.ts';
import { bool, isoTime, field, obj, str } from '../../kit/fields.ts';
import { isUuid } from '../names.ts';
import type { State } from './state.ts';

export interface Row {
  readonly value: JsonObject;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly at: number | null;
  /** Identity of the record; made from its place in the file when it has no uuid. */
  readonly key: string;
  readonly uuid: string | undefined;
  /** Key of the record that it stands behind; null: it begins a tree. */
  readonly parent: string | null;
  readonly sidechain: boolean;
  readonly inherited: boolean;
}

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** The key of a record's uuid, as other records refer to it. */
export function recordKey(sessionId: string, uuid: string): string {
  return isUuid(uuid) && uuid !== nilUuid ? uuid.toLowerCase() : `${sessionId}/${uuid.slice(0, 200)}`;
}

export function placeKey(sessionId: string, offset: number): string {
  return `${sessionId}@${offset}`;
}

export function rowOf(state: State, value: JsonObject, offset: number, length: number): Row {
  const uuid = filledStr(value, 'uuid');
  const key = uuid === undefined ? placeKey(state.id, offset) : recordKey(state.id, uuid);
  return {
    value,
    offset,
    length,
    type: str(value, 'type') ?? '',
    at: isoTime(field(value, 'timestamp')),
    key,
    uuid,
    parent: parentOf(state, value, key),
    sidechain: bool(value, 'isSidechain') === true && !state.child,
    inherited: obj(value, 'forkedFrom') !== undefined,
  };
}

function parentOf(state: State, value: JsonObject, key: string): string | null {
  const claimed = field(value, 'parentUuid');
  if (claimed === null) return null;
  if (typeof claimed !== 'string' || claimed === '') return state.last;
  const parent = recordKey(state.id, claimed);
  return parent === key ? state.last : parent;
}

function filledStr(value: JsonObject, name: string): string | undefined {
  const text = str(value, name);
  return text === '' ? undefined : text;
}

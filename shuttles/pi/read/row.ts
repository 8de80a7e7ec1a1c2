/**
 * The envelope of a record: its identity over copies, its name within the file, what it stands behind, when it was written.
 *
 * An id is unique within one file only, and a fork copies records with their ids. So a record is known everywhere by its id, time and
 * the beginning of what it says, and within its file by its id, which is how others refer to it. Programs before trees existed
 * (January 2026) wrote no ids; those that stand on such records today were made up when a later pi rewrote the file, and do not count.
 */
import { hash as digest } from 'node:crypto';
import type { JsonObject } from '../../contract/json.ts';
import { asObject, asStr, field, isoTime, obj, objects, str, type Loose } from '../../kit/fields.ts';
import { cut, remember, type State } from './state.ts';

export interface Row {
  readonly value: JsonObject;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly at: number | null;
  readonly id: string | undefined;
  /** Identity of the record over all files. */
  readonly key: string;
  /** How other records of this file refer to it. */
  readonly name: string;
  /** Key or name of the record that it stands behind; null: it begins a tree. */
  readonly parent: string | null;
  readonly inherited: boolean;
}

const firstTrees = Date.UTC(2026, 0, 2);

/** The name that a record's id stands for in this file. */
export function nameOf(state: State, id: string): string {
  return `${state.scope}/${cut(id, 200)}`;
}

/** The name of the record with that number, for those without an id. */
export function numberName(state: State, index: number): string {
  return `${state.scope}~${index}`;
}

/** Of a record that made several entries, the first has this name too. */
export function firstName(name: string): string {
  return `${name}^`;
}

export function rowOf(state: State, value: JsonObject, offset: number, length: number): Row {
  const id = filledStr(field(value, 'id'));
  const type = str(value, 'type') ?? '';
  const at = isoTime(field(value, 'timestamp')) ?? isoTime(field(obj(value, 'message'), 'timestamp'));
  return {
    value,
    offset,
    length,
    type,
    at,
    id,
    key: keyOf(state, value, id, at, offset),
    name: id === undefined ? numberName(state, state.count) : nameOf(state, id),
    parent: parentOf(state, value, id),
    inherited: state.forkedAt !== null && at !== null && at < state.forkedAt,
  };
}

function keyOf(state: State, value: JsonObject, id: string | undefined, at: number | null, offset: number): string {
  if (at !== null && at < firstTrees) return said(state, hash(essence(value)));
  if (id === undefined) return `${state.scope}@${offset}`;
  return `pi:${hash([cut(id, 200), at === null ? state.scope : '', ...essence(value)])}`;
}

/** What was said at the very same time in the very same words was said again, by the same rule in every copy. */
function said(state: State, text: string): string {
  const known = state.said.find((item) => item.hash === text);
  if (known === undefined) remember(state, 'said', { hash: text, times: 1 });
  else known.times++;
  return known === undefined ? `pi:${text}` : `pi:${text}.${known.times}`;
}

/** What stays the same in a copy, and when a later version rewrites the file: no ids, no parents, no arguments. */
function essence(value: JsonObject): readonly string[] {
  const message = obj(value, 'message');
  const role = str(message, 'role') ?? '';
  return [
    str(value, 'type') ?? '',
    scalar(field(value, 'timestamp')),
    role === 'hookMessage' ? 'custom' : cut(role, 40),
    scalar(field(message, 'timestamp')),
    scalar(field(message, 'toolCallId')),
    opening(field(message, 'content') ?? field(value, 'content') ?? field(value, 'summary')),
    ...['customType', 'modelId', 'model', 'thinkingLevel', 'targetId', 'name', 'label', 'kind'].map((name) =>
      scalar(field(value, name)),
    ),
  ];
}

function scalar(value: Loose): string {
  return typeof value === 'string' ? cut(value, 256) : typeof value === 'number' ? String(value) : '';
}

/** The first text, thought or call of a content. */
function opening(content: Loose): string {
  if (typeof content === 'string') return cut(content, 256);
  const first = objects(asObject({ content: content ?? null }), 'content')[0];
  const text = asStr(field(first, 'text')) ?? asStr(field(first, 'thinking'));
  return text === undefined ? `${scalar(field(first, 'id'))} ${scalar(field(first, 'name'))}` : cut(text, 256);
}

function hash(parts: readonly string[]): string {
  return digest('sha256', JSON.stringify(parts), 'base64url').slice(0, 24);
}

function parentOf(state: State, value: JsonObject, id: string | undefined): string | null {
  const claimed = field(value, 'parentId');
  if (claimed === null) return null;
  const parent = filledStr(claimed);
  // A record of the first versions stands behind the one before it, and so does one that names itself.
  if (parent === undefined || parent === id || parent === state.last?.id) return state.last?.key ?? null;
  return state.roots.includes(cut(parent, 200)) ? null : nameOf(state, parent);
}

function filledStr(value: Loose): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The history that the program goes on from, as its records build it: a message is added, or comes again with more in it; a rewind cuts
 * it before a message; `$set.messages` replaces it whole (after every resume by what is there already, after a compression by a summary
 * and what is retained). A message whose text was changed begins a fork.
 */
import type { JsonObject } from '../../contract/json.ts';
import { copiedState } from '../../kit/copied-state.ts';
import { field, filled, isoTime } from '../../kit/fields.ts';
import { piecesOf } from './message.ts';
import { mark, piece, write, type Origin, type Page, type Piece } from './page.ts';
import { blocksOf, partsOf, textOf } from './parts.ts';
import { isOnlyContext, isSnapshot } from './prompt.ts';
import { noteTime } from './session-facts.ts';
import { cut, hash, rememberMessage, rememberPiece, type Given } from './state.ts';

export function readMessage(page: Page, message: JsonObject, record: Origin): void {
  const { state } = page;
  const id = cut(filled(message, 'id') ?? `@${record.offset}`, 200);
  const at = isoTime(field(message, 'timestamp'));
  noteTime(page, at);
  const origin = { ...record, at, nativeId: id };
  const known = state.recent.find((given) => given.id === id);
  if (isSnapshot(message)) return known === undefined ? summary(page, message, origin, []) : undefined;
  if (known !== undefined) return again(page, message, origin, known);
  mark(page, beforeKey(page, id), state.tail);
  const given: Given = { id, pieces: [], text: '', hasThoughts: false, hasUsage: false, variant: '' };
  rememberMessage(state, given);
  give(page, given, piecesOf(page, message, given), origin);
}

function again(page: Page, message: JsonObject, origin: Origin, given: Given): void {
  const before = { ...given, pieces: [...given.pieces] };
  let pieces = piecesOf(page, message, given);
  const text = textHash(pieces);
  if (before.text !== '' && text !== '' && text !== before.text) {
    // Other words under the same id: the talk goes on from them, and from before the old ones.
    page.state.tail = beforeKey(page, given.id);
    Object.assign(given, { pieces: [], text: '', hasThoughts: false, hasUsage: before.hasUsage, variant: `${text}~` });
    pieces = piecesOf(page, message, given);
  }
  give(page, given, pieces, origin);
}

/** Writes what has not been given yet. */
function give(page: Page, given: Given, pieces: readonly Piece[], origin: Origin): void {
  const { state } = page;
  let key = state.tail;
  let isNew = false;
  for (const item of pieces) {
    const name = given.variant + item.name;
    const digest = hash(name);
    if (given.pieces.includes(digest)) continue;
    rememberPiece(given, digest);
    const own = keyOf(page, given, item);
    write(page, origin, item, own, key);
    key = own;
    isNew = true;
  }
  const text = textHash(pieces);
  if (text !== '') given.text = text;
  if (!isNew) return;
  // Results may stand in another order than they came in: what follows stands behind all of them.
  const end = `${state.scope}/$${given.id}.${hash(given.pieces.toSorted().join())}`;
  mark(page, end, key);
  state.tail = end;
}

export function rewind(page: Page, id: string): void {
  const { state } = page;
  state.tail = beforeKey(page, cut(id, 200));
  const from = state.recent.findIndex((given) => given.id === id);
  if (from >= 0) state.recent.splice(from);
}

export function replaceAll(page: Page, messages: readonly JsonObject[], record: Origin): void {
  const { state } = page;
  if (messages.length === 0) return;
  const at = messages.findIndex((message) => isSnapshot(message) && !state.seen.includes(hash(filled(message, 'id') ?? '')));
  const snapshot = at < 0 || state.seen.length === 0 ? undefined : messages[at];
  if (snapshot !== undefined) {
    const rest = messages.slice(at + 1);
    const isRetained = (message: JsonObject): boolean => state.seen.includes(hash(filled(message, 'id') ?? ''));
    summary(page, snapshot, { ...record, at: isoTime(field(snapshot, 'timestamp')) }, rest.filter(isRetained));
    for (const message of rest) if (!isRetained(message)) readMessage(page, message, record);
    return;
  }
  const told = contextInFront(page, messages);
  state.epoch = record.offset;
  state.tail = null;
  state.recent = [];
  state.results = [];
  state.model = null;
  for (const message of [...messages.slice(told), ...messages.slice(0, told)]) readMessage(page, message, record);
}

/**
 * How many messages at the beginning tell of the program's surroundings and are new, while others are known: a session that began without
 * gets them with a rewrite. They are taken as said when they were, behind all that was there, so that the session stays one line.
 */
function contextInFront({ state }: Page, messages: readonly JsonObject[]): number {
  const known = messages.findIndex((message) => state.seen.includes(hash(filled(message, 'id') ?? '')));
  const before = messages.slice(0, Math.max(0, known));
  return before.every(isOnlyContext) ? before.length : 0;
}

/** Stands behind what was said; of that, `retained` is still given to the model. */
function summary(page: Page, message: JsonObject, origin: Origin, retained: readonly JsonObject[]): void {
  const { state } = page;
  const id = cut(filled(message, 'id') ?? `@${origin.offset}`, 200);
  const text = partsOf(field(message, 'content'))
    .flatMap((part) => textOf(part) ?? [])
    .join('\n');
  const keys = retained.slice(0, 4).flatMap((kept) => keysOf(page, kept));
  mark(page, beforeKey(page, id), state.tail);
  const given: Given = { id, pieces: [], text: '', hasThoughts: false, hasUsage: false, variant: '' };
  rememberMessage(state, given);
  const content = { text, messages: [{ role: 'user' as const, content: blocksOf(partsOf(field(message, 'content'))) }] };
  give(page, given, [piece('s', 'summary', content, 'model', keys.length === 0 ? {} : { retainFromKey: keys })], origin);
}

/** Keys that the pieces of a message have, found without giving anything out. */
function keysOf(page: Page, message: JsonObject): readonly string[] {
  const given: Given = {
    id: cut(filled(message, 'id') ?? '', 200),
    pieces: [],
    text: '',
    hasThoughts: false,
    hasUsage: false,
    variant: '',
  };
  const trial: Page = { state: copiedState(page.state), out: [], facts: {} };
  return piecesOf(trial, message, given)
    .slice(0, 8)
    .map((item) => keyOf(page, given, item));
}

/** Calls and results are known by the call's id, wherever they stand. */
function keyOf({ state }: Page, given: Given, item: Piece): string {
  return item.name.startsWith('/')
    ? `${state.scope}${item.name}${given.variant}`
    : `${state.scope}/${given.id}.${given.variant}${item.name}`;
}

/** Stands where the message does; a rewrite of the history gives each message a new one. */
function beforeKey({ state }: Page, id: string): string {
  return `${state.scope}/^${state.epoch}.${id}`;
}

function textHash(pieces: readonly Piece[]): string {
  return pieces.find(({ name, content }) => name.startsWith('t:') && hasText(content))?.name ?? '';
}

function hasText(content: Piece['content']): boolean {
  return 'content' in content && content.content.some((block) => block.type !== 'thinking');
}

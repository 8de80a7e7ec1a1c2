/**
 * Where one call of the reader puts what it finds: outputs in order, and the state to go on from. A record that makes several
 * entries is a chain: each stands behind the one before it and the last carries the record's own key, so that whatever
 * stands behind the record stands behind all of them.
 */
import type { ContentByKind, EntryKindName, Trust } from '../../contract/entry.ts';
import type { Draft, Place, ReadOutput } from '../../contract/read.ts';
import type { Row } from './row.ts';
import type { Facts, State } from './state.ts';

export interface Page {
  readonly state: State;
  readonly out: ReadOutput[];
  /** What was learnt of the session in this call. */
  readonly facts: Facts;
}

/** One entry of a record. `name` tells it from the others of the record; `with`: keys whose branch it belongs to. */
export interface Piece<K extends EntryKindName = EntryKindName> {
  readonly kind: K;
  readonly content: ContentByKind[K];
  readonly trust: Trust;
  readonly name?: string;
  readonly with?: readonly string[];
  readonly aliases?: readonly string[];
  readonly retainFromKey?: string;
}

export function piece<K extends EntryKindName>(
  kind: K,
  content: ContentByKind[K],
  trust: Trust,
  rest: Omit<Piece, 'kind' | 'content' | 'trust'> = {},
): Piece {
  return { kind, content, trust, ...rest };
}

/** Writes the pieces of a record; a record without any becomes a mark, so that others can stand behind it. */
export function write(page: Page, row: Row, pieces: readonly Piece[]): void {
  if (pieces.length === 0) page.out.push({ type: 'mark', keys: [row.key], after: row.parent });
  let after = row.parent;
  for (const [index, item] of pieces.entries()) {
    const last = index === pieces.length - 1;
    const key = last ? row.key : `${row.key}#${item.name ?? index + 1}`;
    page.out.push(draft(row, item, key, after));
    after = key;
  }
  settle(page, row);
}

function draft(row: Row, item: Piece, key: string, after: string | null): Draft {
  const place: Place = item.with === undefined ? { kind: 'after', key: after } : { kind: 'with', keys: item.with, after };
  return {
    type: 'entry',
    kind: item.kind,
    content: item.content,
    at: row.at,
    trust: item.trust,
    place,
    keys: item.aliases === undefined ? [key] : [key, ...item.aliases],
    ...(row.uuid === undefined ? {} : { nativeId: row.uuid.slice(0, 200) }),
    ...(item.retainFromKey === undefined ? {} : { retainFromKey: item.retainFromKey }),
    ...(row.inherited ? { inherited: true } : {}),
    offset: row.offset,
    length: row.length,
  } as Draft;
}

/** Subagents of old versions wrote beside the main line into one file: the line goes on from the main record, not from theirs. */
function settle(page: Page, row: Row): void {
  const { state } = page;
  if (row.sidechain) {
    state.inlineSidechain = true;
    return;
  }
  state.last = row.key;
  if (state.inlineSidechain) page.out.push({ type: 'head', key: row.key, exact: false });
}

/** An entry outside the tree, at the end of what this file is writing. */
export function writeAtTip(page: Page, row: Row, item: Piece): void {
  page.out.push({ ...draft(row, item, row.key, null), place: { kind: 'tip' } });
}

/**
 * Where one call of the reader puts what it finds: outputs in order, and the state to go on from. A record that makes several entries
 * is a chain, its own first and remarks behind it; whatever stands behind the record stands behind all of them.
 */
import type { ContentByKind, EntryKindName, Trust } from '../../contract/entry.ts';
import type { Usage } from '../../contract/message.ts';
import type { Draft, ReadOutput } from '../../contract/read.ts';
import { firstName, type Row } from './row.ts';
import { cut, remember, type Facts, type State } from './state.ts';

export interface Page {
  readonly state: State;
  readonly out: ReadOutput[];
  /** What was learnt of the session in this call. */
  readonly facts: Facts;
}

export interface Piece<K extends EntryKindName = EntryKindName> {
  readonly kind: K;
  readonly content: ContentByKind[K];
  readonly trust: Trust;
  readonly retainFromKey?: readonly string[];
  readonly edit?: NonNullable<Draft['edit']>;
  readonly spent?: Usage;
}

export function piece<K extends EntryKindName>(
  kind: K,
  content: ContentByKind[K],
  trust: Trust,
  rest: Omit<Piece, 'kind' | 'content' | 'trust'> = {},
): Piece {
  return { kind, content, trust, ...rest };
}

/** Writes the pieces of a record and its name in this file; a record without any is a name for the place where it stands. */
export function write(page: Page, row: Row, pieces: readonly Piece[]): void {
  const { state, out } = page;
  let key = row.parent;
  for (const [index, item] of pieces.entries()) {
    const own = index === 0 ? row.key : `${row.key}#${index + 1}`;
    out.push(draft(row, item, own, key));
    key = own;
  }
  if (key !== null) {
    out.push({ type: 'mark', keys: [row.name], after: key });
    if (pieces.length > 1) out.push({ type: 'mark', keys: [firstName(row.name)], after: row.key });
  } else if (row.id !== undefined) {
    remember(state, 'roots', cut(row.id, 200));
  }
  state.last = { id: cut(row.id ?? row.name, 200), key };
}

function draft(row: Row, item: Piece, key: string, after: string | null): Draft {
  const { kind, content, trust, ...rest } = item;
  return {
    type: 'entry',
    kind,
    content,
    at: row.at,
    trust,
    place: { kind: 'after', key: after },
    keys: [key],
    ...(row.id === undefined ? {} : { nativeId: cut(row.id, 200) }),
    ...rest,
    ...(row.inherited ? { inherited: true } : {}),
    offset: row.offset,
    length: row.length,
  } as Draft;
}

/** An entry outside the tree, at the end of what this file is writing. */
export function writeAtTip(page: Page, row: Pick<Row, 'offset' | 'length' | 'at'>, item: Piece): void {
  const key = `${page.state.scope}@${row.offset}`;
  page.out.push({
    type: 'entry',
    kind: item.kind,
    content: item.content,
    at: row.at,
    trust: item.trust,
    place: { kind: 'tip' },
    keys: [key],
    offset: row.offset,
    length: row.length,
  } as Draft);
}

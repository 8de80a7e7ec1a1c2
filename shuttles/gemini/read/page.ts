/**
 * Where one call of the reader puts what it finds. A message makes several entries, each with a key of its own, so that a record that
 * comes again, alone or in a rewrite of the whole history, only adds what is new. Before a message stands a mark to which a rewind
 * returns, behind it one for what follows.
 */
import type { ContentByKind, EntryKindName, Trust } from '../../contract/entry.ts';
import type { Draft, ReadOutput } from '../../contract/read.ts';
import type { Facts, State } from './state.ts';

export interface Page {
  readonly state: State;
  readonly out: ReadOutput[];
  /** What was learnt of the session in this call. */
  readonly facts: Facts;
}

/** The record that a message stands in. */
export interface Origin {
  readonly offset: number;
  readonly length: number;
  readonly at: number | null;
  readonly nativeId?: string;
}

export interface Piece<K extends EntryKindName = EntryKindName> {
  /** Name of the piece within its message, or (with `/` in front) within the session. */
  readonly name: string;
  readonly kind: K;
  readonly content: ContentByKind[K];
  readonly trust: Trust;
  /** Stands where one of these is, when they are known. */
  readonly with?: readonly string[];
  readonly aliases?: readonly string[];
  readonly retainFromKey?: readonly string[];
}

export function piece<K extends EntryKindName>(
  name: string,
  kind: K,
  content: ContentByKind[K],
  trust: Trust,
  rest: Omit<Piece, 'name' | 'kind' | 'content' | 'trust'> = {},
): Piece {
  return { name, kind, content, trust, ...rest };
}

export function write(page: Page, origin: Origin, item: Piece, key: string, after: string | null): void {
  const { kind, content, trust, aliases = [], with: near, retainFromKey } = item;
  page.out.push({
    type: 'entry',
    kind,
    content,
    at: origin.at,
    trust,
    place: near === undefined ? { kind: 'after', key: after } : { kind: 'with', keys: near, after },
    keys: [key, ...aliases],
    ...(origin.nativeId === undefined ? {} : { nativeId: origin.nativeId }),
    ...(retainFromKey === undefined ? {} : { retainFromKey }),
    offset: origin.offset,
    length: origin.length,
  } as Draft);
}

/** An entry of no message, behind what was read last. */
export function writeAtTail(page: Page, origin: Origin, item: Piece): void {
  const key = `${page.state.scope}@${origin.offset}${item.name}`;
  write(page, origin, item, key, page.state.tail);
  page.state.tail = key;
}

export function mark(page: Page, key: string, after: string | null): void {
  page.out.push({ type: 'mark', keys: [key], after });
}

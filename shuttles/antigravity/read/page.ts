/** Where one call of the reader puts what it finds: entries in a line, one behind the other, and facts of which only changes are given. */
import type { ContentByKind, EntryKindName, Trust } from '../../contract/entry.ts';
import type { Draft, Place, ReadOutput } from '../../contract/read.ts';
import { promptFact } from '../../kit/title.ts';
import type { Facts, State } from './state.ts';

export interface Page {
  readonly state: State;
  readonly out: ReadOutput[];
  readonly facts: Facts;
}

/** The record that entries are made from. */
export interface Origin {
  readonly offset: number;
  readonly length: number;
  readonly at: number | null;
  /** Its identity within the file. */
  readonly key: string;
}

export interface Piece<K extends EntryKindName = EntryKindName> {
  readonly kind: K;
  readonly content: ContentByKind[K];
  readonly trust: Trust;
  readonly aliases?: readonly string[];
  /** Stands where one of these is, when they are known. */
  readonly with?: readonly string[];
}

export function piece<K extends EntryKindName>(
  kind: K,
  content: ContentByKind[K],
  trust: Trust,
  rest: Pick<Piece, 'aliases' | 'with'> = {},
): Piece {
  return { kind, content, trust, ...rest };
}

/** A name for the end of the conversation: what stands beside it goes there. */
export const body = 'body';

export function write(page: Page, origin: Origin, pieces: readonly Piece[]): void {
  for (const [index, item] of pieces.entries()) {
    const key = `${page.state.scope}/${origin.key}${index === 0 ? '' : `#${index + 1}`}`;
    const near = item.with;
    put(
      page,
      origin,
      item,
      key,
      near === undefined ? { kind: 'after', key: page.state.tail } : { kind: 'with', keys: near, after: page.state.tail },
    );
    page.state.tail = key;
  }
}

/** Beside the conversation, wherever that ends now. */
export function writeBeside(page: Page, origin: Origin, item: Piece): void {
  put(page, origin, item, `${page.state.scope}/${origin.key}`, { kind: 'with', keys: [body], after: null });
}

function put(page: Page, origin: Origin, item: Piece, key: string, place: Place): void {
  page.out.push({
    type: 'entry',
    kind: item.kind,
    content: item.content,
    at: origin.at,
    trust: item.trust,
    place,
    keys: [key, body, ...(item.aliases ?? [])],
    offset: origin.offset,
    length: origin.length,
  } as Draft);
}

export function noteFacts({ state, facts }: Page, found: Facts): void {
  for (const [name, value] of Object.entries(found) as [keyof Facts, never][]) {
    if (value === undefined || state.facts[name] === value) continue;
    state.facts[name] = value;
    facts[name] = value;
  }
}

export function noteTime(page: Page, at: number | null): void {
  if (at === null) return;
  const { createdAt, updatedAt = 0 } = page.state.facts;
  noteFacts(page, { ...(createdAt === undefined ? { createdAt: at } : {}), ...(at > updatedAt ? { updatedAt: at } : {}) });
}

export function notePrompt(page: Page, typed: string): void {
  if (page.state.typed) return;
  const { line, names } = promptFact(typed);
  if (line === '' || (!names && page.state.facts.firstPrompt !== undefined)) return;
  page.state.typed = names;
  noteFacts(page, { firstPrompt: line });
}

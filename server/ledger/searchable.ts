/**
 * What the search index is given of an entry, made without the ledger, so that a thread of its own can prepare it: taking text apart
 * costs more than putting it into the index.
 */
import type { ContentByKind, EntryKindName, LedgerEntry } from '../../shuttles/contract/entry.ts';
import { foundText, indexedText } from './search-text.ts';

export interface Searchable {
  /** Its text in the form of the index; as UTF-8 where it came that way: made a string it would only be written out again. */
  readonly body: string | Uint8Array;
  /** Of its text as it was written, in characters. */
  readonly length: number;
}

/** `content` is of that kind: a draft's or an entry's. undefined: nothing of it is found by search. */
export function searchable(
  kind: EntryKindName,
  content: ContentByKind[EntryKindName],
): (Searchable & { readonly body: string }) | undefined {
  const text = textFound(kind, content);
  return text === undefined ? undefined : { body: indexedText(text), length: text.length };
}

/** That text as it was written. */
export function textFound(kind: EntryKindName, content: ContentByKind[EntryKindName]): string | undefined {
  const text = foundText({ kind, content } as Pick<LedgerEntry, 'kind' | 'content'> as LedgerEntry);
  return text.trim() === '' ? undefined : text;
}

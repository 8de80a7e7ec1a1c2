/** Puts entries into the search index, inside the transaction that stores them. */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { NewDocument } from './documents-table.ts';
import { foundText, indexedText } from './search-text.ts';

/** undefined: nothing of it is found by search. */
export function documentOf(
  entry: LedgerEntry,
  place: { readonly thread: number; readonly session: string; readonly harness: string },
): NewDocument | undefined {
  const text = foundText(entry);
  if (text.trim() === '') return undefined;
  return {
    row: {
      thread: place.thread,
      session: place.session,
      conversation: entry.conversationId,
      entry: entry.id,
      kind: entry.kind,
      harness: place.harness,
      at: entry.content.at,
      length: text.length,
    },
    body: indexedText(text),
  };
}

export function documentsOf(
  entries: readonly LedgerEntry[],
  place: { readonly thread: number; readonly session: string; readonly harness: string },
): readonly NewDocument[] {
  return entries.map((entry) => documentOf(entry, place)).filter((document) => document !== undefined);
}

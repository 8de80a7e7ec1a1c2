/** Puts entries into the search index, inside the transaction that stores them. */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { NewDocument } from './documents-table.ts';
import { searchable } from './searchable.ts';
import type { Searchable } from './searchable.ts';

export interface DocumentPlace {
  readonly thread: number;
  readonly harness: string;
}

/** `found`: made elsewhere already (null: nothing of it is found by search). undefined: it needs no document. */
export function documentOf(
  entry: LedgerEntry,
  { thread, harness }: DocumentPlace,
  found: Searchable | null = searchable(entry.kind, entry.content) ?? null,
): NewDocument | undefined {
  if (found === null) return undefined;
  const { id, conversationId, kind, content } = entry;
  return {
    row: { thread, conversation: conversationId, entry: id, kind, harness, at: content.at, length: found.length },
    body: found.body,
  };
}

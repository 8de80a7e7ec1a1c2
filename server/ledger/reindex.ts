/**
 * Indexes what an older index held and the present one does not yet: a part at a time, each with its place in one transaction, so
 * that it can stop anywhere and go on later. Meanwhile what is new is indexed as ever.
 */
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { NewDocument, UnindexedRow } from './documents-table.ts';
import { documentOf } from './indexing.ts';
import type { Ledger } from './ledger.ts';
import { entryById } from './transcript.ts';

/** Indexes about `most` entries. false: nothing is left. */
export function reindexSome(ledger: Ledger, most: number): boolean {
  const rows = ledger.documents.unindexed(most);
  if (rows.length === 0) return false;
  const made: { readonly row: UnindexedRow; readonly document: NewDocument | undefined }[] = [];
  for (const row of rows.toReversed()) {
    const entry = readable(ledger, row);
    made.push({ row, document: entry === undefined ? undefined : documentOf(entry, row) });
  }
  ledger.transact(() => {
    // Another process may have indexed them, or taken out their conversation, while they were read.
    const still = made.filter(({ row }) => ledger.documents.indexed(row.number));
    ledger.documents.add(still.map(({ document }) => document).filter((document) => document !== undefined));
  });
  return true;
}

/** What is damaged is not found: `loom doctor --deep` names its thread. */
function readable(ledger: Ledger, { session, entry }: UnindexedRow): LedgerEntry | undefined {
  try {
    return entryById(ledger, session, entry);
  } catch (error) {
    if (error instanceof DamagedPack) return undefined;
    throw error;
  }
}

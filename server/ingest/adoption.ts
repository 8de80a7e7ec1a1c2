/**
 * Which of two native sessions with common records is the original, when no record says so (`claude --fork-session`, and every resume
 * by old versions). Files are read newest first, so the copy often comes in before its original and holds the common entries; then
 * the older file is made the parent, and what they have in common counts for it. Only counts and the parent link move: entries
 * stay where they are.
 */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { BranchRow } from '../ledger/branches-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { Position } from '../ledger/keys-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { parseFacts } from './facts.ts';

export interface Adoption {
  /** The thread of the original, with what it has in common. */
  readonly original: ThreadRow;
  /** The thread of the copy, which came in first. */
  readonly copy: ThreadRow;
}

/** Call once, when the original's file has been read to its end for the first time. `entriesThrough`: the common transcript. */
export function adopt(
  ledger: Ledger,
  native: NativeRow,
  thread: ThreadRow,
  birth: number,
  position: Position,
  entriesThrough: (position: Position) => readonly LedgerEntry[],
): Adoption | undefined {
  const common = commonOf(ledger, native, position);
  if (common === undefined) return undefined;
  const { at, holder } = common;
  const other = ledger.natives.byNumber(holder.native);
  if (other === undefined || other.child_of !== null || other.thread === thread.number || other.written_by_loom === 1)
    return undefined;
  if (parseFacts(native.facts).forkedFrom !== undefined || parseFacts(other.facts).forkedFrom !== undefined) return undefined;
  const births = ledger.sources.byNative(other.number).map((source) => source.birth);
  if (births.length === 0 || birth === 0 || birth >= Math.min(...births)) return undefined;
  const copy = ledger.threads.byNumber(other.thread);
  if (copy === undefined) return undefined;
  const shared = entriesThrough(at).filter(
    (entry) => ledger.branches.get(native.session, entry.conversationId)?.native === other.number,
  );
  const prompts = shared.filter(
    (entry) =>
      entry.kind === 'user' &&
      entry.content.origin !== 'harness' &&
      entry.content.origin !== 'loom' &&
      entry.content.origin !== 'hook',
  ).length;
  return {
    original: {
      ...thread,
      entries: thread.entries + shared.length,
      turns: thread.turns + prompts,
      parent_thread: null,
      parent_entry: null,
    },
    copy: {
      ...copy,
      entries: Math.max(0, copy.entries - shared.length),
      turns: Math.max(0, copy.turns - prompts),
      parent_thread: thread.id,
      parent_entry: at.entry,
    },
  };
}

/** Where the original's transcript leaves what the other session holds; it may have gone on, and have been rewound, since. */
function commonOf(
  ledger: Ledger,
  native: NativeRow,
  position: Position,
): { readonly at: Position; readonly holder: BranchRow } | undefined {
  let at = position;
  for (;;) {
    const holder = ledger.branches.get(native.session, at.conversation);
    if (holder === undefined || at.entry === 0) return undefined;
    if (holder.native !== native.number) return { at, holder };
    if (holder.parent_conversation === null || holder.parent_entry === null) return undefined;
    at = { conversation: holder.parent_conversation, entry: holder.parent_entry };
  }
}

/**
 * Which of two native sessions with common records is the original, when no record says so (`claude --fork-session`, and every resume
 * by old versions). Files are read newest first, so the copy often comes in before its original and holds the common entries; then
 * the older file is made the parent, and what they have in common counts for it. Only counts and parent links move: entries stay where
 * they are. A family of copies hangs together by the age of their files, in whatever order these are read.
 */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { SessionFacts } from '../../shuttles/contract/read.ts';
import type { Usage } from '../../shuttles/contract/message.ts';
import { harnessIds } from '../../shuttles/contract/harness.ts';
import type { BranchRow } from '../ledger/branches-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { Position } from '../ledger/keys-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { addUsage, parseFacts } from './facts.ts';

export interface Adoption {
  /** The thread of the session that was read just now. */
  readonly original: ThreadRow;
  /** The thread that counted what the two have in common until now. */
  readonly copy: ThreadRow;
}

/**
 * Call when the session's file has been read to its end for the first time, and when what was read of it later has records that the ledger
 * had already: the copy may have been the first to tell them. `entriesThrough`: the transcript up to a place. Writes the rows of all threads
 * that it changes but the session's own.
 */
export function adopt(
  ledger: Ledger,
  native: NativeRow,
  thread: ThreadRow,
  birth: number,
  position: Position,
  entriesThrough: (position: Position) => readonly LedgerEntry[],
): Adoption | undefined {
  const common = commonOf(ledger, native, position);
  if (common === undefined || birth === 0 || parseFacts(native.facts).forkedFrom !== undefined) return undefined;
  const holder = ledger.natives.byNumber(common.holder.native);
  if (holder === undefined || holder.child_of !== null || holder.thread === thread.number) return undefined;
  let at = common.at.entry;
  const counts = countedBy(ledger, holder.thread, at);
  if (counts === undefined || counts.number === thread.number) return undefined;
  let copy: ThreadRow = counts;
  let original: ThreadRow = { ...thread, parent_thread: copy.id, parent_entry: at };
  const shared = entriesThrough(common.at);
  // From the copy to its own original and on, as long as they are younger: each gives up what this one has too.
  for (;;) {
    const age = birthOf(ledger, copy);
    if (age === undefined) return undefined;
    if (birth >= age) return { original, copy };
    const from = copy.parent_entry ?? 0;
    const given = shareOf(shared.filter(({ id }) => id > from && id <= at));
    // What the two had in common before counts for the original already.
    const isKnown = copy.parent_thread === thread.id;
    const { parent_thread, parent_entry }: ThreadRow = isKnown ? thread : copy;
    original = moved(original, given, 1, { parent_thread, parent_entry });
    copy = moved(copy, given, -1, { parent_thread: thread.id, parent_entry: at });
    ledger.threads.update(copy);
    if (isKnown) return { original, copy };
    const next = parent_thread === null ? undefined : ledger.threads.byId(parent_thread);
    if (next === undefined || next.session !== thread.session || parent_entry === null) return { original, copy };
    at = parent_entry;
    copy = next;
  }
}

/** The thread that counts what stands at that entry: the holder's, or the one that has adopted it. */
function countedBy(ledger: Ledger, number: number, entry: number): ThreadRow | undefined {
  let row = ledger.threads.byNumber(number);
  for (let depth = 0; row?.parent_thread != null && (row.parent_entry ?? 0) >= entry && depth < 1000; depth++) {
    const parent = ledger.threads.byId(row.parent_thread);
    if (parent === undefined || parent.session !== row.session) return row;
    row = parent;
  }
  return row;
}

/** When the thread's oldest file was made; undefined: unknown, or the thread says itself what it is a copy of. */
function birthOf(ledger: Ledger, thread: ThreadRow): number | undefined {
  const first = ledger.natives.byThread(thread.number).find((native) => native.child_of === null);
  if (first === undefined || first.written_by_loom === 1 || parseFacts(first.facts).forkedFrom !== undefined) return undefined;
  const births = ledger.sources.byNative(first.number).map((source) => source.birth);
  return births.length === 0 ? undefined : Math.min(...births);
}

interface Share {
  readonly entries: number;
  readonly prompts: number;
  /** Those that were counted for the copy: what its own records mark as copied never was. */
  readonly counted: number;
  readonly usage: Usage;
}

function shareOf(entries: readonly LedgerEntry[]): Share {
  const prompts = entries.filter(isPrompt);
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    entries: entries.length,
    prompts: prompts.length,
    counted: prompts.filter((entry) => entry.content.provenance.inherited !== true).length,
    usage: entries.reduce<Usage>(
      (sum, entry) =>
        entry.kind === 'assistant' && entry.content.usage !== undefined && entry.content.provenance.inherited !== true
          ? addUsage(sum, entry.content.usage)
          : sum,
      none,
    ),
  };
}

/** The thread with the share added (1) or taken away (-1), under another parent. */
function moved(
  row: ThreadRow,
  { entries, prompts, counted, usage }: Share,
  sign: 1 | -1,
  parent: Pick<ThreadRow, 'parent_thread' | 'parent_entry'>,
): ThreadRow {
  const sum = (count: number, change: number): number => Math.max(0, count + sign * change);
  return {
    ...row,
    ...parent,
    entries: sum(row.entries, entries),
    turns: sum(row.turns, sign === 1 ? prompts : counted),
    usage_input: sum(row.usage_input, usage.input),
    usage_output: sum(row.usage_output, usage.output),
    usage_cache_read: sum(row.usage_cache_read, usage.cacheRead),
    usage_cache_write: sum(row.usage_cache_write, usage.cacheWrite),
  };
}

/** A prompt that a person gave (`isPrompt` of a draft in commit.ts). */
function isPrompt(entry: LedgerEntry): boolean {
  return entry.kind === 'user' && ['typed', 'queued', 'chat'].includes(entry.content.origin);
}

/**
 * The session that a harness made this one from by importing it (`importedFrom`): both are one thread, whose talk goes on where a person
 * goes on with it. undefined: the ledger does not have it, or it belongs under another session.
 */
export function importedOrigin(ledger: Ledger, { importedFrom }: SessionFacts): NativeRow | undefined {
  const harness = harnessIds.find((id) => id === importedFrom?.harness);
  if (harness === undefined || importedFrom?.nativeId === undefined) return undefined;
  const origin = ledger.natives.byNativeId(harness, importedFrom.nativeId);
  return origin?.child_of === null && ledger.threads.byNumber(origin.thread)?.child === 0 ? origin : undefined;
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

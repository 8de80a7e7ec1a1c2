/**
 * A thread's row after a batch: counts, times, and, when the session drives the thread, where it stands, what is shown of it and what
 * stopped it. Before the first hand-over a session drives once a person goes on in it; after that only the one that holds the lease.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { BranchRow } from '../ledger/branches-table.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { Position } from '../ledger/keys-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { SessionFacts } from '../../shuttles/contract/read.ts';
import type { Usage } from '../../shuttles/contract/message.ts';
import type { Branches } from './branches.ts';
import { addUsage, parseFacts, titleOf } from './facts.ts';
import { headOf } from './head.ts';
import { isPrompt, recordStanding, standingOf } from './lease-standing.ts';
import type { Placement } from './placement.ts';
import { stopAfter } from './stopped.ts';

export interface ReadBatch {
  /** As `placed` of the run. */
  readonly entries: readonly LedgerEntry[];
  /** The source had been read to its end before. */
  readonly follows: boolean;
  readonly mtime: number;
}

/** The row with what the batch adds to it, written. */
export function updateThread(
  ledger: Ledger,
  native: NativeRow,
  facts: SessionFacts,
  run: Placement,
  branches: Branches,
  { entries, follows, mtime }: ReadBatch,
): ThreadRow {
  const old = ledger.threads.byNumber(native.thread);
  if (old === undefined) throw new Error('a native session names a thread that is not there');
  let row = old;
  const own = run.placed.filter(({ draft }) => draft.inherited !== true);
  let usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let newest = 0;
  for (const { draft } of own) {
    if (draft.usage !== undefined) usage = addUsage(usage, draft.usage);
    if (draft.spent !== undefined) usage = addUsage(usage, draft.spent);
  }
  for (const { draft } of run.placed) if (draft.at !== null && draft.at > newest) newest = draft.at;
  // An import is no news: its thread stays where it stood in the list until somebody goes on with the copy.
  const isImport = facts.importedFrom !== undefined && row.current_native !== null && row.current_native !== native.number;
  const isNews = !isImport || own.some(({ draft }) => isPrompt(draft));
  row = {
    ...row,
    entries: row.entries + (isNews ? run.placed.length : 0),
    usage_input: row.usage_input + usage.input,
    usage_output: row.usage_output + usage.output,
    usage_cache_read: row.usage_cache_read + usage.cacheRead,
    usage_cache_write: row.usage_cache_write + usage.cacheWrite,
    updated_at: isNews ? Math.max(row.updated_at, facts.updatedAt ?? 0, newest) : row.updated_at,
  };
  if (native.child_of === null) {
    const prompts = own.filter(({ draft }) => isPrompt(draft)).length;
    const standing = standingOf(ledger, row, native);
    // Before the first hand-over whoever goes on drives; after it, who holds the lease.
    const drives =
      standing.kind === 'free'
        ? row.current_native === null || row.current_native === native.number || prompts > 0
        : standing.kind === 'holds';
    row = { ...row, turns: row.turns + prompts, source_gone: 0 };
    if (drives) {
      row = showNative(ledger, { ...row, current_native: native.number }, native, facts, run.position, branches);
      const stop = stopAfter(run.placed, entries, () => ledger.stops?.of(row.number) ?? null);
      if (stop !== undefined) ledger.stops?.put(row.number, stop);
    }
    if (standing.kind !== 'lost') {
      const turn = own.findLast(({ draft }) => draft.kind === 'turn')?.draft;
      if (turn?.phase !== undefined) row = { ...row, last_turn: turn.phase };
      else if (prompts > 0) row = { ...row, last_turn: null };
    }
    recordStanding(ledger, native, standing, { own, follows, mtime });
  }
  ledger.threads.update(row);
  return row;
}

/** The thread's row shows the facts and the head of the native session that drives it. */
function showNative(
  ledger: Ledger,
  row: ThreadRow,
  native: NativeRow,
  facts: SessionFacts,
  position: Position,
  branches: Branches,
): ThreadRow {
  const any = (conversation: number): BranchRow | undefined => branches.any(conversation);
  const named = native.head_key === null ? undefined : sameSession(ledger.keys.get(native.head_key), native.session);
  const head = headOf(branches.own, any, named, native.head_exact === 1, position);
  const parent = facts.forkedFrom === undefined ? undefined : ledger.natives.byNativeId(native.harness, facts.forkedFrom);
  const first = native.number === firstNative(ledger, row, native);
  const branch = branches.own[0];
  return {
    ...row,
    current_conversation: head.conversation,
    current_entry: head.entry,
    harness: native.harness,
    surface: facts.surface ?? row.surface,
    branch: facts.branch ?? row.branch,
    model: facts.model ?? row.model,
    ...(first
      ? {
          title: titleOf(facts, parent === undefined ? undefined : parseFacts(parent.facts)),
          cwd: facts.startCwd ?? facts.cwd ?? row.cwd,
          repo: facts.repo ?? row.repo,
          automation: facts.automation === true ? 1 : 0,
          archived: facts.archived === true ? 1 : 0,
          created_at: facts.createdAt ?? row.created_at,
          imported_from:
            facts.importedFrom === undefined
              ? null
              : `${facts.importedFrom.harness}${facts.importedFrom.nativeId === undefined ? '' : `:${facts.importedFrom.nativeId}`}`,
          parent_thread: parentThread(ledger, row, parent, branch),
          parent_entry: branch?.parent_entry ?? row.parent_entry,
        }
      : { title: facts.customTitle ?? row.title }),
  };
}

function firstNative(ledger: Ledger, row: ThreadRow, native: NativeRow): number {
  return ledger.natives.byThread(row.number).find((other) => other.child_of === null)?.number ?? native.number;
}

function parentThread(
  ledger: Ledger,
  row: ThreadRow,
  parent: NativeRow | undefined,
  branch: BranchRow | undefined,
): string | null {
  if (parent !== undefined && parent.thread !== row.number) return ledger.threads.byNumber(parent.thread)?.id ?? null;
  if (branch === undefined || branch.parent_conversation === null) return row.parent_thread;
  const from = ledger.branches.get(row.session, branch.parent_conversation);
  const native = from === undefined ? undefined : ledger.natives.byNumber(from.native);
  if (native === undefined || native.thread === row.number) return row.parent_thread;
  return ledger.threads.byNumber(native.thread)?.id ?? null;
}

export function sameSession<T extends { readonly session: string }>(found: T | undefined, session: string): T | undefined {
  return found !== undefined && found.session === session ? found : undefined;
}

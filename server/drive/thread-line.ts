/** The way back from where a thread stands through the conversations that it came from. */
import type { BranchRow } from '../ledger/branches-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';

export interface Stretch {
  readonly branch: BranchRow;
  /** The last entry of it that is part of the thread. */
  readonly through: number;
}

const mostDeep = 10_000;

/** Newest first. `tip`: the entry that the thread goes on from. */
export function lineOf(ledger: Ledger, thread: ThreadRow, tip: number): readonly Stretch[] {
  const line: Stretch[] = [];
  let at: { conversation: number; entry: number } | undefined = { conversation: thread.current_conversation, entry: tip };
  while (at !== undefined && line.length < mostDeep) {
    const branch = ledger.branches.get(thread.session, at.conversation);
    if (branch === undefined) break;
    line.push({ branch, through: at.entry });
    const { parent_conversation: conversation, parent_entry: entry } = branch;
    at = conversation === null || entry === null ? undefined : { conversation, entry };
  }
  return line;
}

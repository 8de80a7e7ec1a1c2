/**
 * Where a native session goes on from (formats: Claude's `last-prompt` rule; for linear formats simply the newest branch).
 * A head that names an unknown record counts as absent.
 */
import type { BranchRow } from '../ledger/branches-table.ts';
import type { Position } from '../ledger/keys-table.ts';

export interface Head {
  readonly conversation: number;
  /** The talk goes on from before the end of that conversation; null: from its end. */
  readonly entry: number | null;
}

export function headOf(
  own: readonly BranchRow[],
  any: (conversation: number) => BranchRow | undefined,
  named: Position | undefined,
  exact: boolean,
  source: Position,
): Head {
  if (named !== undefined && exact) {
    const branch = any(named.conversation);
    return {
      conversation: named.conversation,
      entry: branch !== undefined && branch.last_content > named.entry ? named.entry : null,
    };
  }
  const candidates = named === undefined ? own : own.filter((branch) => isBelow(branch, named, any));
  const newest = newestOf(candidates) ?? newestOf(own);
  const isOwn = own.some(({ conversation }) => conversation === source.conversation);
  // Of a copy that another file was ahead of, what comes next stands in that one's branch.
  const goesOnElsewhere = newest !== undefined && !isOwn && source.conversation !== 0 && source.entry > newest.last_content;
  if (newest !== undefined && !goesOnElsewhere) return { conversation: newest.conversation, entry: null };
  // Nothing of its own yet: a copy, which ends where the source's position is, wherever the other one goes on.
  return { conversation: source.conversation, entry: source.conversation === 0 ? null : source.entry };
}

function newestOf(branches: readonly BranchRow[]): BranchRow | undefined {
  let best: BranchRow | undefined;
  for (const branch of branches) if (best === undefined || branch.last_content > best.last_content) best = branch;
  return best;
}

function isBelow(branch: BranchRow, position: Position, any: (conversation: number) => BranchRow | undefined): boolean {
  if (branch.conversation === position.conversation) return branch.last_entry >= position.entry;
  let at: BranchRow | undefined = branch;
  for (let depth = 0; at !== undefined && depth < 10_000; depth++) {
    if (at.parent_conversation === position.conversation) return (at.parent_entry ?? 0) >= position.entry;
    at = at.parent_conversation === null ? undefined : any(at.parent_conversation);
  }
  return false;
}

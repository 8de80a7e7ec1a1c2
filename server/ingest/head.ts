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
  if (newest !== undefined) return { conversation: newest.conversation, entry: null };
  // Nothing of its own yet: a copy that ends where the source's position is.
  const branch = any(source.conversation);
  return {
    conversation: source.conversation,
    entry: branch !== undefined && branch.last_content > source.entry ? source.entry : null,
  };
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

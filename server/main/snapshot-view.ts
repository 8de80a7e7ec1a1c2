/** From a snapshot's row to what is shown of it. */
import type { Ledger } from '../ledger/ledger.ts';
import type { SnapshotRow } from '../ledger/snapshots-table.ts';
import type { SnapshotView } from '../protocol/world.ts';

export function snapshotView(ledger: Ledger, row: SnapshotRow): SnapshotView {
  return {
    number: row.number,
    worktree: ledger.snapshots?.worktree(row.worktree)?.root ?? '',
    at: row.at,
    cause: row.cause,
    thread: row.thread === null ? null : (ledger.threads.byNumber(row.thread)?.id ?? null),
    head: row.head,
    branch: row.branch,
    leftOut: JSON.parse(row.left_out) as SnapshotView['leftOut'],
    leftOutTotal: row.left_out_total,
  };
}

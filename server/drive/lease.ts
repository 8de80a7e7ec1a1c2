/**
 * The lease of a thread: who drives it, since when and for the how-manieth time. A hand-over, a return, or a person who follows a session
 * that went on elsewhere acquires it, in the transaction that moves the thread; the one before is lost with that. A session that writes
 * renews its own (server/ingest/lease-standing.ts). The engine's `loom.lease` value has the same epoch.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { LeaseRow } from '../ledger/leases-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface Acquired {
  readonly epoch: number;
  readonly harness: HarnessId;
  /** Number of the native session that drives from now on. */
  readonly native: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * The ledger's rows of it; `row` is the thread as it was before. What it returns goes into the thread's row. Conflicts of sessions of that
 * harness are over: the thread is there again. Nothing is stopped any more.
 */
export function acquireLease(
  ledger: Ledger,
  row: ThreadRow,
  { epoch, harness, native, at }: Acquired,
): Pick<ThreadRow, 'lease_epoch' | 'lease_harness'> {
  const { leases, conflicts, stops } = ledger;
  if (leases === undefined || conflicts === undefined) throw new Error('a ledger of an older Loom is only read');
  if (leases.newest(row.number) === undefined) leases.insert(firstLease(row));
  leases.lose(row.number, at);
  leases.insert({
    thread: row.number,
    epoch,
    harness,
    native,
    acquired_at: at,
    renewed_at: at,
    lost_at: null,
    turns: 0,
  });
  for (const conflict of conflicts.openOf(row.number))
    if (ledger.natives.byNumber(conflict.native)?.harness === harness) conflicts.end(conflict.number, at, null);
  stops?.put(row.number, null);
  return { lease_epoch: epoch, lease_harness: harness };
}

/** Of whoever had the thread before it changed hands for the first time. */
function firstLease(row: ThreadRow): LeaseRow {
  return {
    thread: row.number,
    epoch: 0,
    harness: row.harness,
    native: row.current_native,
    acquired_at: row.created_at,
    renewed_at: row.updated_at,
    lost_at: null,
    turns: row.turns,
  };
}

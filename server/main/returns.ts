/**
 * Harnesses that a thread can go back to: the way that it came leads through a session of theirs which has not been gone on with, whose
 * file is still there, and what is new can be put to its end. The same way as server/drive/return-way.ts goes, without a look at the file:
 * a few reads a thread that has changed hands, none for the others.
 */
import { lineOf } from '../drive/thread-line.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { ThreadView } from '../protocol/views.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { shuttles } from '../../shuttles/registry.ts';

const appending: ReadonlySet<HarnessId> = new Set(
  shuttles.flatMap(({ harness, write }) => ('absent' in write || 'absent' in write.append ? [] : [harness])),
);

/** `turns`: prompts that the thread was given since. Who drove it last comes first. */
export function returnsOf(ledger: Ledger, row: ThreadRow, able: ReadonlySet<HarnessId> = appending): ThreadView['returns'] {
  if (row.lease_epoch === 0) return [];
  const seen = new Set<HarnessId>([row.harness]);
  const returns: { readonly harness: HarnessId; readonly turns: number }[] = [];
  for (const { branch, through } of lineOf(ledger, row, Number.MAX_SAFE_INTEGER)) {
    const native = ledger.natives.byNumber(branch.native);
    if (native === undefined || native.thread !== row.number || native.child_of !== null || seen.has(native.harness)) continue;
    seen.add(native.harness);
    const isGoneOn = ledger.branches.byNative(native.number).some(({ last_content }) => last_content > through);
    if (!isGoneOn && able.has(native.harness) && isThere(ledger, native.number))
      returns.push({ harness: native.harness, turns: turnsSince(ledger, row, native.number) });
  }
  return returns;
}

function turnsSince(ledger: Ledger, row: ThreadRow, native: number): number {
  const leases = ledger.leases?.of(row.number) ?? [];
  const left = leases.findLastIndex((lease) => lease.native === native);
  return leases.slice(left + 1).reduce((sum, { turns }) => sum + turns, 0);
}

function isThere(ledger: Ledger, native: number): boolean {
  return ledger.sources.byNative(native).some(({ status }) => status === 'current' || status === 'reading');
}

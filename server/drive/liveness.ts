/**
 * May the thread be taken over now? Read first, before anything is written: which processes hold its native sessions, and what the
 * transcript says of the last turn. An idle holder is named in a warning; one that works, waits or cannot be told is not passed over.
 */
import type { NativeRow } from '../ledger/natives-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { Holder } from '../../shuttles/contract/shuttle.ts';

export interface Liveness {
  /** Why it must not be taken over, in one line that names every process; null: it may. */
  readonly refusal: string | null;
  readonly warnings: readonly string[];
}

export function livenessOf(
  thread: ThreadRow,
  held: readonly { readonly native: NativeRow; readonly holder: Holder }[],
): Liveness {
  const active = held.filter(({ holder }) => isActive(thread, holder));
  if (active.length > 0) return { refusal: active.map(describe).join('; '), warnings: [] };
  return {
    refusal: null,
    warnings: held.map(
      ({ native, holder }) => `${describe({ native, holder })}: do not go on there, or the thread will have two branches.`,
    ),
  };
}

function isActive(thread: ThreadRow, holder: Holder): boolean {
  if (holder.activity === 'idle') return false;
  if (holder.activity !== 'unknown') return true;
  return thread.last_turn === null || thread.last_turn === 'started';
}

function describe({ native, holder }: { readonly native: NativeRow; readonly holder: Holder }): string {
  const process = holder.pid === null ? 'a process whose id is not known' : `process ${holder.pid}`;
  const doing =
    holder.activity === 'unknown' ? 'has it open' : holder.activity === 'idle' ? 'has it open, idle' : `is ${holder.activity}`;
  return `${harnessNames[native.harness]} ${doing} (${process}, ${holder.evidence})`;
}

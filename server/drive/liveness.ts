/**
 * May the thread be taken over now? Read first, before anything is written: which processes hold its native sessions, and what each
 * transcript says of its last turn. An idle holder is named in a warning; one that works, waits or cannot be told is not passed over,
 * unless it is a session that has lost the thread already: it drives nothing, and what it writes is a conflict anyhow.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Activity, Holder } from '../../shuttles/contract/shuttle.ts';
import { minuteOf } from './minute.ts';
import { turnIn } from './turn-state.ts';
import type { TurnPhase } from './turn-state.ts';

export interface HeldSession {
  readonly native: NativeRow;
  readonly holder: Holder;
  /** Phase of the session's newest turn boundary; null: a prompt came since, or none is known. */
  readonly turn: TurnPhase | null;
}
export interface Liveness {
  /** Why it must not be taken over, in one line that names every process; null: it may. */
  readonly refusal: string | null;
  readonly warnings: readonly string[];
}

/** The thread's sessions that live processes hold, each with its own turn. */
export async function heldSessions(
  ledger: Ledger,
  thread: ThreadRow,
  holders: (harness: HarnessId, nativeId: string) => readonly Holder[],
): Promise<readonly HeldSession[]> {
  const held: HeldSession[] = [];
  for (const native of ledger.natives.byThread(thread.number)) {
    if (native.child_of !== null) continue;
    for (const holder of holders(native.harness, native.native_id))
      held.push({ native, holder, turn: await turnOf(ledger, thread, native) });
  }
  return held;
}

async function turnOf(ledger: Ledger, thread: ThreadRow, native: NativeRow): Promise<TurnPhase | null> {
  if (native.number === thread.current_native && thread.last_turn !== null) return thread.last_turn as TurnPhase;
  const newest = ledger.branches.byNative(native.number).toSorted((a, b) => b.last_content - a.last_content)[0];
  return newest === undefined ? null : turnIn(await ledger.engine(native.session), newest.conversation, native.harness);
}

export function livenessOf(thread: ThreadRow, held: readonly HeldSession[]): Liveness {
  const drives = ({ native }: HeldSession): boolean => thread.lease_epoch === 0 || native.number === thread.current_native;
  const active = held.filter((session) => drives(session) && isActive(session));
  if (active.length > 0) return { refusal: active.map(describe).join('; '), warnings: [] };
  return {
    refusal: null,
    warnings: held.map((session) =>
      drives(session)
        ? `${describe(session)}: do not go on there, or the thread will have two branches.`
        : `${describe(session)}, in a session that the thread has left: what it writes is not carried.`,
    ),
  };
}

/** What a session is believed to do: as its harness says, else as its transcript does while a process lives. */
export function activityOf(holder: Holder, turn: string | null): Activity {
  if (holder.activity !== 'unknown') return holder.activity;
  return turn === null ? 'unknown' : turn === 'started' ? 'working' : 'idle';
}

function isActive({ holder, turn }: HeldSession): boolean {
  return activityOf(holder, turn) !== 'idle';
}

/** "Claude Code (cli) is working: process 4711 since 2026-11-30 14:02 UTC (its registry entry, its start time matches)". */
function describe({ native, holder, turn }: HeldSession): string {
  const surface = holder.surface === undefined ? '' : ` (${holder.surface})`;
  const process = holder.pid === null ? 'a process whose id is not known' : `process ${holder.pid}`;
  const since = holder.since === undefined ? '' : ` since ${minuteOf(holder.since) ?? 'an unknown time'}`;
  return `${harnessNames[native.harness]}${surface} ${doing(holder, turn)}: ${process}${since} (${holder.evidence})`;
}

function doing(holder: Holder, turn: TurnPhase | null): string {
  const activity = activityOf(holder, turn);
  switch (activity) {
    case 'working':
      return holder.activity === 'unknown' ? 'has it open with a turn that has not ended' : 'is working';
    case 'waiting':
      return holder.waitingFor === undefined ? 'is waiting for the person' : `is waiting (${holder.waitingFor})`;
    case 'idle':
      return 'has it open, idle';
    case 'unknown':
      return 'has it open, and whether it works cannot be told';
  }
}

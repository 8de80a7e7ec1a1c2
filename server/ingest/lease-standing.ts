/**
 * What a batch of a native session means for the lease of its thread. After the first hand-over only the session that holds the lease
 * moves the thread; what another one of its sessions writes stays on a branch of that session, and when it is a person's or an agent's
 * doing it is a conflict, which the person ends (server/drive/conflict.ts). Written within the transaction of the batch.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { LeaseRow } from '../ledger/leases-table.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { Placed } from './placement.ts';
import type { OutlinedDraft } from './translated-batch.ts';

export type LeaseStanding =
  /** The thread has not changed hands, or the session is a subagent's: who goes on with it drives it. */
  { readonly kind: 'free' } | { readonly kind: 'holds' | 'lost'; readonly lease: LeaseRow };

export function standingOf(ledger: Ledger, thread: ThreadRow, native: NativeRow): LeaseStanding {
  if (thread.lease_epoch === 0 || native.child_of !== null) return { kind: 'free' };
  const lease = ledger.leases?.newest(thread.number);
  if (lease === undefined || lease.native === null) return { kind: 'free' };
  return { kind: lease.native === native.number ? 'holds' : 'lost', lease };
}

export interface LeaseBatch {
  /** What the session added, without what it inherits. */
  readonly own: readonly Placed[];
  /** The source had been read to its end before: everything in it is new. Otherwise it may be history that is read late, or again. */
  readonly follows: boolean;
  /** Of the file; for records that bear no time. */
  readonly mtime: number;
}

/** Renews the holder's lease; opens or grows the conflict of a session that lost it. */
export function recordStanding(ledger: Ledger, native: NativeRow, standing: LeaseStanding, batch: LeaseBatch): void {
  if (standing.kind === 'free' || batch.own.length === 0) return;
  const { lease } = standing;
  if (standing.kind === 'holds') {
    const at = Math.max(...batch.own.map(({ draft }) => draft.at ?? 0));
    const prompts = batch.own.filter(({ draft }) => isPrompt(draft)).length;
    ledger.leases?.renew(lease.thread, lease.epoch, at === 0 ? Math.round(batch.mtime) : at, prompts);
    return;
  }
  const doings = batch.own.filter(({ draft }) => isDoing(draft) && (batch.follows || !isBefore(draft, lease.acquired_at)));
  const [first] = doings;
  const last = doings.at(-1);
  if (first === undefined || last === undefined) return;
  ledger.conflicts?.add({
    thread: lease.thread,
    native: native.number,
    epoch: lease.epoch,
    conversation: last.conversation,
    first_entry: first.id,
    entries: doings.length,
    began_at: first.draft.at ?? Math.round(batch.mtime),
  });
}

/** A prompt that a person gave, and not one that a harness copied or made up. */
export function isPrompt({ origin }: Pick<OutlinedDraft, 'origin'>): boolean {
  return origin === 'typed' || origin === 'queued' || origin === 'chat';
}

/** Somebody works there. Titles, settings, usage and the end of a turn come late without anybody's doing. */
function isDoing(draft: OutlinedDraft): boolean {
  switch (draft.kind) {
    case 'user':
      return isPrompt(draft);
    case 'assistant':
    case 'tool_result':
      return true;
    case 'turn':
      return draft.phase === 'started';
    case 'step':
    case 'system':
    case 'notice':
    case 'summary':
    case 'handoff':
    case 'reset':
    case 'plan':
    case 'setting':
    case 'snapshot':
    case 'opaque':
      return false;
  }
}

function isBefore(draft: OutlinedDraft, moment: number): boolean {
  return draft.at !== null && draft.at < moment;
}

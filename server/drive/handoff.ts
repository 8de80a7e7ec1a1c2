/** One hand-over that is ready to be carried: what its execution needs, in memory only (see ContinueState for what is remembered). */
import { sessionValue } from '../engine/address.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import type { Disclosure } from '../protocol/requests.ts';
import type { Stored } from '../../shuttles/contract/entry.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { Change } from './change.ts';
import type { Composed } from './compose.ts';
import { refuseWithout } from './consent.ts';
import type { Agreement } from './consent.ts';
import { idOf } from './made.ts';
import type { Carrier } from './made.ts';

export interface Handoff {
  /** As it was when the session was composed. */
  readonly thread: ThreadRow;
  readonly shuttle: Shuttle;
  /** By which the task and the ledger know it: a native session's, or a prompt's mark. */
  readonly id: string;
  readonly carrier: Carrier;
  readonly change: Change;
  /** The entry that the thread goes on from. */
  readonly tip: number;
  /** Of the entry that the thread goes on with. */
  readonly content: Stored<'handoff'>;
  readonly disclosure: Disclosure;
  readonly agreement: Agreement;
  /** The folder that the agreement is for. */
  readonly folder: string;
  readonly at: number;
}

/** Who drives a thread, and how often it changed hands. */
export interface Lease {
  readonly epoch: number;
  readonly holder: HarnessId;
}
export const leaseOf = (thread: string) => sessionValue<Lease>('loom.lease', thread);

/** What a hand-over passes through, in order; the last two only when it is taken back. */
export type HandoffStep =
  | 'composed'
  | 'asked'
  | 'executing'
  /** Inside the transaction of the intent. */
  | 'intending'
  | 'intended'
  | 'written'
  /** Inside the transaction that makes the session the thread's. */
  | 'settling'
  | 'settled'
  | 'takingBack'
  | 'takenBack';

/** Throws `Fault` C006 (it does not read back as what was sent), C005 (it has no place) or C010 (nobody has agreed to it). */
export function handoffOf(thread: ThreadRow, composed: Composed, at: number): Handoff {
  const { shuttle, made, tip, result, agreement, folder } = composed;
  const { problem, change, carrier } = made;
  if (problem !== undefined) throw new Fault(problem.id, problem.detail);
  const { disclosure } = result;
  refuseWithout(agreement, { from: thread.harness, to: shuttle.harness, folder });
  const content = contentOf(thread, composed, at);
  return { thread, shuttle, id: idOf(carrier), carrier, change, tip, content, disclosure, agreement, folder, at };
}

function contentOf(thread: ThreadRow, { shuttle, context, edited, result }: Composed, at: number): Stored<'handoff'> {
  const { harness } = shuttle;
  const { baton, disclosure, mode, nativeId } = result;
  const retained = context.filter(({ head }) => !head).flatMap(({ entries }) => entries);
  const carried = context.filter(({ head, baton: made }) => head && made !== 'compiled').map(({ message }) => message);
  return {
    text: baton,
    from: thread.harness,
    to: harness,
    mode,
    nativeId,
    bytes: Buffer.byteLength(baton),
    masked: disclosure.masked,
    quoted: disclosure.quoted,
    ...(edited ? { edited: true } : {}),
    ...(retained.length === 0 ? {} : { retainFrom: Math.min(...retained) }),
    ...(carried.length === 0 ? {} : { carried }),
    at,
    provenance: { harness, source: 0, offset: 0, length: 0, translator: 1, trust: 'loom' },
  };
}

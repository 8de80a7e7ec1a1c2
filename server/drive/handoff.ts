/** One hand-over that is ready to be carried: what its execution needs, in memory only (see ContinueState for what is remembered). */
import { createHash } from 'node:crypto';
import { sessionValue } from '../engine/address.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import type { Disclosure } from '../protocol/requests.ts';
import type { Stored } from '../../shuttles/contract/entry.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Environment, Shuttle, WrittenSession } from '../../shuttles/contract/shuttle.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { Composed } from './compose.ts';
import type { ReadBack } from './read-back.ts';

export interface Handoff {
  /** As it was when the session was composed. */
  readonly thread: ThreadRow;
  readonly shuttle: Shuttle;
  /** The harness's folder that the session is written below. */
  readonly root: string;
  readonly written: WrittenSession;
  readonly back: ReadBack;
  /** The entry that the thread goes on from. */
  readonly tip: number;
  /** Of the entry that the thread goes on with. */
  readonly content: Stored<'handoff'>;
  readonly disclosure: Disclosure;
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

/** Throws `Fault` C006 (it does not read back as what was sent) or C005 (it has no place). */
export function handoffOf(thread: ThreadRow, composed: Composed, environment: Environment, at: number): Handoff {
  const { shuttle, written, back, tip, result } = composed;
  if (back.problem !== undefined) throw new Fault('C006', back.problem);
  const root = shuttle.find.roots(environment).find((candidate) => isBelow(written.path, candidate.path))?.path;
  if (root === undefined) throw new Fault('C005', `${written.path} is below none of the harness's folders.`);
  const { disclosure } = result;
  return { thread, shuttle, root, written, back, tip, content: contentOf(thread, composed, at), disclosure, at };
}

function contentOf(thread: ThreadRow, { shuttle, written, context, edited, result }: Composed, at: number): Stored<'handoff'> {
  const { harness } = shuttle;
  const { baton, disclosure } = result;
  const retained = context.filter(({ head }) => !head).flatMap(({ entries }) => entries);
  const carried = context.filter(({ head, baton: made }) => head && made !== 'compiled').map(({ message }) => message);
  return {
    text: baton,
    from: thread.harness,
    to: harness,
    mode: 'native',
    nativeId: written.nativeId,
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

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One hand-over that a person wants, and what the server answers to it. A dry run writes nothing and asks for no agreement. */
import type { HarnessId } from '../shuttles/contract/harness.ts';
import { requests, type ContinueMode, type ContinueParams, type ContinueResult } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import type { Link } from './link.ts';

export interface HandOver {
  readonly thread: ThreadView;
  readonly harness: HarnessId;
  readonly mode: ContinueMode | null;
  /** The person chose to fork from the last turn of a thread that is being driven. */
  readonly force: boolean;
  /** The target's program is here and can be started in a terminal. */
  readonly starts: boolean;
  /** What the target is known not to get as it was. */
  readonly losses: readonly string[];
}
/** A hand-over as a dry run found it. */
export interface PlannedHandOver {
  readonly handOver: HandOver;
  readonly result: ContinueResult;
  /** Its baton was a person's already when it was planned. */
  readonly edited: boolean;
}
export type Agreement = ContinueParams['confirmed'];

/** `baton`: as the person edited it; null: as compiled. */
export async function plan(link: Link, handOver: HandOver, baton: string | null): Promise<PlannedHandOver> {
  const result = await link.request(requests.continueIn, { ...params(handOver, baton), dryRun: true, confirmed: null });
  return { handOver, result, edited: baton !== null };
}

/** `agreement`: what the person has just agreed to. An agreement from before, or none that is needed, is told by null. */
export async function carry(link: Link, planned: PlannedHandOver, baton: string, agreement: Agreement): Promise<ContinueResult> {
  const edited = isEdited(planned, baton);
  return link.request(requests.continueIn, {
    ...params(planned.handOver, baton),
    edited,
    dryRun: false,
    confirmed: agreement,
  });
}

/** It is not what was compiled. */
export function isEdited({ result, edited }: PlannedHandOver, baton: string): boolean {
  return edited || baton !== result.baton;
}

function params(handOver: HandOver, baton: string | null): Omit<ContinueParams, 'dryRun' | 'confirmed'> {
  const { thread, harness, mode, force } = handOver;
  return { thread: thread.id, harness, mode, baton, force };
}

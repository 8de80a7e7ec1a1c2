/**
 * How a thread goes to a harness. Asked for nothing in particular, the best that there is: back to the session that it was in before, a
 * new native session, a prompt that names the baton. Within one harness it is a new session: a fork.
 */
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import type { ContinueParams } from '../protocol/requests.ts';
import type { Launch, Shuttle, Write } from '../../shuttles/contract/shuttle.ts';
import { returnWay } from './return-way.ts';
import type { ReturnDependencies, ReturnWay } from './return-way.ts';

export type Way =
  | ReturnWay
  | { readonly mode: 'native'; readonly shuttle: Shuttle; readonly write: Write }
  | {
      readonly mode: 'prompt';
      readonly shuttle: Shuttle;
      readonly begin: Exclude<Launch['begin'], { readonly absent: string }>;
    };

/** Why something else than the best was chosen goes to `warnings`. Throws `Fault` C004 or C011. */
export function wayOf(
  thread: ThreadRow,
  tip: number,
  shuttle: Shuttle,
  mode: ContinueParams['mode'],
  deps: ReturnDependencies,
  warnings: string[],
): Way {
  switch (mode) {
    case 'native':
      return nativeWay(shuttle);
    case 'prompt':
      return promptWay(shuttle);
    case 'return': {
      const found = returnWay(thread, tip, shuttle, deps);
      if (found === undefined) throw new Fault('C011', 'The thread was in no other session of that agent.');
      if ('refusal' in found) throw new Fault('C011', found.refusal);
      return found;
    }
    case null: {
      const found = thread.harness === shuttle.harness ? undefined : returnWay(thread, tip, shuttle, deps);
      if (found !== undefined && 'mode' in found) return found;
      if (found !== undefined) warnings.push(notBack(found.refusal));
      if (writesUnasked(shuttle)) return nativeWay(shuttle);
      return 'absent' in shuttle.write && !canBegin(shuttle) ? nativeWay(shuttle) : promptWay(shuttle);
    }
  }
}

/** Of a thread that could have gone back. */
export function notBack(refusal: string): string {
  return `It goes on in a new session, and not in the one that it was in before: ${refusal}`;
}

/** A new native session is what a thread becomes there. */
export function writesUnasked({ write }: Shuttle): boolean {
  return !('absent' in write) && write.onlyAsked !== true;
}

export function canBegin({ launch }: Shuttle): boolean {
  return !('absent' in launch) && !('absent' in launch.begin);
}

export function nativeWay(shuttle: Shuttle): Way {
  const { write } = shuttle;
  if ('absent' in write) throw new Fault('C004', write.absent);
  return { mode: 'native', shuttle, write };
}

function promptWay(shuttle: Shuttle): Way {
  const { launch } = shuttle;
  if ('absent' in launch) throw new Fault('C004', launch.absent);
  if ('absent' in launch.begin) throw new Fault('C004', launch.begin.absent);
  return { mode: 'prompt', shuttle, begin: launch.begin };
}

/** The picker of Continue in…: who can take the thread over and what each would get, best first. */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { HarnessStatus, ThreadView } from '../server/protocol/views.ts';
import { label } from './plain-text.ts';

export interface HarnessChoice {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly harness: HarnessId;
  /** Why it cannot be chosen; null: it can. */
  readonly refusal: string | null;
  /** Its program is on this machine, so that a terminal can be opened on the session. */
  readonly starts: boolean;
}

/** `last`: the harness that the person chose here before. */
export function harnessChoices(
  thread: ThreadView,
  harnesses: readonly HarnessStatus[],
  last: string | undefined,
): readonly HarnessChoice[] {
  return harnesses
    .toSorted((a, b) => rank(a, thread, last) - rank(b, thread, last))
    .map((status) => (status.canReceive ? receiver(status, thread) : refuser(status)));
}

/** What can be started comes first, the last choice before the others; the thread's own harness after those: that is only a fork. */
function rank(status: HarnessStatus, thread: ThreadView, last: string | undefined): number {
  if (!status.canReceive) return 5;
  const own = status.harness === thread.harness;
  if (status.installed === null) return own ? 4 : 3;
  if (own) return 2;
  return status.harness === last ? 0 : 1;
}

function receiver(status: HarnessStatus, thread: ThreadView): HarnessChoice {
  const held = thread.native.some((native) => native.harness === status.harness);
  const detail =
    status.harness === thread.harness
      ? 'A new session of the same agent, with the earlier turns and the baton'
      : held
        ? 'Returns to it: the earlier turns as its own history, and the baton with what was added since'
        : 'The earlier turns as its own history, and the baton';
  return { ...common(status), detail, refusal: null };
}

function refuser(status: HarnessStatus): HarnessChoice {
  const refusal = status.reason ?? 'Loom cannot write sessions for it.';
  return { ...common(status), detail: label(refusal, 200), refusal };
}

function common(status: HarnessStatus): Omit<HarnessChoice, 'detail' | 'refusal'> {
  return {
    label: harnessNames[status.harness],
    description: status.installed === null ? 'its program was not found' : label(status.installed, 80),
    harness: status.harness,
    starts: status.installed !== null,
  };
}

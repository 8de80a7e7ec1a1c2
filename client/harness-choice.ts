/** The picker of Continue in…: who can take the thread over and what each would get, best first. */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { ContinueParams } from '../server/protocol/requests.ts';
import type { HarnessStatus, ThreadView } from '../server/protocol/views.ts';
import { oneLine } from './plain-text.ts';

export interface HarnessChoice {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly harness: HarnessId;
  readonly mode: ContinueParams['mode'];
  /** Why it cannot be chosen; null: it can. */
  readonly refusal: string | null;
}

/** `last`: what the person chose here before; it comes first. */
export function harnessChoices(thread: ThreadView, harnesses: readonly HarnessStatus[], last: string | undefined): readonly HarnessChoice[] {
  const receiving = harnesses.filter((status) => status.installed !== null && status.canReceive);
  const others = harnesses.filter((status) => !receiving.includes(status));
  const ranked = receiving.toSorted((a, b) => rank(a, thread, last) - rank(b, thread, last));
  return [
    ...ranked.map((status) => nativeChoice(status, thread)),
    ...ranked.map((status) => briefChoice(status)),
    ...others.map((status) => refusedChoice(status)),
  ];
}

/** The last choice first, then the other harnesses; the thread's own harness comes last, that is only a fork. */
function rank(status: HarnessStatus, thread: ThreadView, last: string | undefined): number {
  if (status.harness === thread.harness) return 2;
  return status.harness === last ? 0 : 1;
}

function nativeChoice(status: HarnessStatus, thread: ThreadView): HarnessChoice {
  const held = thread.native.some((native) => native.harness === status.harness);
  const own = status.harness === thread.harness;
  const history = own
    ? 'A new session of the same harness, with the earlier turns'
    : held
      ? 'Returns: the earlier turns as its own history, and what was added since'
      : 'The earlier turns as its own history, and the baton';
  return { ...common(status), detail: history, mode: 'native', refusal: null };
}

function briefChoice(status: HarnessStatus): HarnessChoice {
  return {
    ...common(status),
    label: `${harnessNames[status.harness]}, brief only`,
    detail: 'A new session that begins with the baton; no earlier turns',
    mode: 'prompt',
    refusal: null,
  };
}

function refusedChoice(status: HarnessStatus): HarnessChoice {
  const refusal = status.installed === null ? 'It is not installed on this machine.' : (status.reason ?? 'Loom cannot write sessions for it.');
  return { ...common(status), detail: oneLine(refusal, 200), mode: 'native', refusal };
}

function common(status: HarnessStatus): { readonly label: string; readonly description: string; readonly harness: HarnessId } {
  const description = status.installed === null ? 'not installed' : oneLine(status.installed, 60);
  return { label: harnessNames[status.harness], description, harness: status.harness };
}

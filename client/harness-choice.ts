/**
 * The picker of Continue in…: who can take the thread over and what each would get, best first. All of it is in words, which is what a
 * screen reader reads of a row: label, description, detail, in this order.
 */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { HarnessStatus, ThreadView } from '../server/protocol/views.ts';
import { counted } from './amounts.ts';
import { label } from './plain-text.ts';
import { verifiedWords } from './verified-words.ts';

export interface HarnessChoice {
  readonly label: string;
  /** What it will get. */
  readonly description: string;
  /** What will not arrive, or why it cannot be chosen. */
  readonly detail: string;
  readonly harness: HarnessId;
  /** null: the best that there is. */
  readonly mode: 'native' | null;
  readonly group: ChoiceGroup;
  /** Why it cannot be chosen; null: it can. */
  readonly refusal: string | null;
  /** Its program is on this machine, so that a terminal can be opened on the session. */
  readonly starts: boolean;
  /** A sentence each. */
  readonly losses: readonly string[];
}
/** Their order is the order in the picker. */
const groups = ['return', 'installed', 'missing', 'same', 'refused'] as const;
export type ChoiceGroup = (typeof groups)[number];

/** What stands above each group. */
export const groupWords: Readonly<Record<ChoiceGroup, string>> = {
  return: 'Drove it before',
  installed: 'Installed here',
  missing: 'Its program was not found',
  same: 'The same agent',
  refused: 'Cannot take it over',
};

/** `last`: the harness that the person chose here before; it comes first in its group. */
export function harnessChoices(
  thread: ThreadView,
  harnesses: readonly HarnessStatus[],
  last: string | undefined,
): readonly HarnessChoice[] {
  return harnesses
    .flatMap((status) => choicesOf(status, thread))
    .toSorted(
      (a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || Number(b.harness === last) - Number(a.harness === last),
    );
}

/** A native session that is only written when it is asked for has a row of its own, behind what the agent gets otherwise. */
function choicesOf(status: HarnessStatus, thread: ThreadView): readonly HarnessChoice[] {
  const choice = choiceOf(status, thread);
  if (choice.refusal !== null || !isOnlyAsked(status)) return [choice];
  const native = `native history, ${verifiedWords(status, thread.harness)}`;
  return [
    { ...choice, losses: [], detail: detailOf({ ...status, losses: [] }, choice.group) },
    { ...choice, mode: 'native', description: native, detail: detailOf({ ...status, modes: ['native'] }, choice.group) },
  ];
}

function isOnlyAsked({ modes }: HarnessStatus): boolean {
  return modes[0] === 'prompt' && modes.includes('native');
}

function choiceOf(status: HarnessStatus, thread: ThreadView): HarnessChoice {
  const group = groupOf(status, thread);
  const common = {
    label: harnessNames[status.harness],
    harness: status.harness,
    mode: null,
    group,
    starts: status.installed !== null,
    losses: status.losses,
  };
  if (group === 'refused') {
    const refusal = status.reason ?? 'Loom cannot write sessions for it.';
    return { ...common, description: 'cannot take it over', detail: label(refusal, 200), refusal };
  }
  return { ...common, description: getsWords(status, thread), detail: detailOf(status, group), refusal: null };
}

function groupOf(status: HarnessStatus, thread: ThreadView): ChoiceGroup {
  if (!status.canReceive) return 'refused';
  if (status.harness === thread.harness) return 'same';
  if (status.installed === null) return 'missing';
  return returnTo(status.harness, thread) === undefined ? 'installed' : 'return';
}

function returnTo(harness: HarnessId, thread: ThreadView): ThreadView['returns'][number] | undefined {
  return harness === thread.harness ? undefined : thread.returns.find((one) => one.harness === harness);
}

/** "return with 6 new turns", "native history, verified with 0.171.0", "brief only: …". */
function getsWords(status: HarnessStatus, thread: ThreadView): string {
  const back = returnTo(status.harness, thread);
  if (back !== undefined) return returnWords(back.turns);
  const [best = 'native'] = status.modes;
  switch (best) {
    case 'native':
      return `native history, ${verifiedWords(status, thread.harness)}`;
    case 'prompt':
      return briefWords;
  }
}

export function returnWords(turns: number): string {
  return turns === 0 ? 'return, with no new turn' : `return with ${counted(turns, 'new turn')}`;
}
export const briefWords = 'brief only: summary and plan, not the native history';

function detailOf(status: HarnessStatus, group: ChoiceGroup): string {
  const first =
    group === 'return'
      ? 'Its own session goes on: only what is new is added at its end.'
      : group === 'same'
        ? `A fork: a new session of the same agent${status.modes[0] === 'prompt' ? '' : ', with the earlier turns and the baton'}.`
        : '';
  return label([first, lossWords(status.losses)].filter((part) => part !== '').join(' '), 220);
}

function lossWords(losses: readonly string[]): string {
  const [first, ...more] = losses;
  if (first === undefined) return '';
  return `Not as it was: ${first}${more.length === 0 ? '' : ` And ${more.length} more.`}`;
}

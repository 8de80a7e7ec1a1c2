/** A turn of a thread as a row of a picker. Pure. */
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { TurnChanges } from '../server/protocol/world.ts';
import { pathWords, totalWords, turnName } from './changes-words.ts';
import { label } from './plain-text.ts';

export interface TurnItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

export function turnItem(turns: readonly TurnChanges[], turn: TurnChanges): TurnItem {
  const who = turn.entry === null ? 'you or another agent' : harnessNames[turn.harness];
  const names = turn.files.slice(0, 4).map((file) => pathWords(file));
  return {
    label: turnName(turns, turn),
    description: `${who} · ${totalWords(turn.filesTotal, turn.added, turn.removed)}`,
    detail: label(names.join(', ') + (turn.filesTotal > names.length ? ', …' : ''), 200),
  };
}

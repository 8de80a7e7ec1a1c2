/**
 * What turns did to files, in words: on chips and in tooltips, in titles of editors, in the list. Turns are counted as `loom snapshot`
 * counts them: from 1, over those of which snapshots are known. Pure; paths are data.
 */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { ChangedBy, ChangedFile, TurnChanges } from '../server/protocol/world.ts';
import { counted } from './amounts.ts';
import { oneLine, visible } from './plain-text.ts';

/** "3 files +40 −12". */
export function totalWords(files: number, added: number, removed: number): string {
  return `${counted(files, 'file')} ${lineWords(added, removed)}`;
}

/** "+40 −12". */
export function lineWords(added: number, removed: number): string {
  return `+${added} −${removed}`;
}

export function sizeWords({ added, removed, change }: ChangedFile): string {
  if (change === 'mode') return 'mode changed';
  const lines = added === null || removed === null ? 'no text' : lineWords(added, removed);
  return change === 'modified' ? lines : `${changeNames[change]}, ${lines}`;
}

export function pathWords({ path, from }: ChangedFile): string {
  return from === undefined ? visible(path) : `${visible(from)} → ${visible(path)}`;
}

/** Whose change it is, as far as it is known. */
export function byWords(by: ChangedBy, harness: HarnessId): string {
  switch (by) {
    case 'tool':
      return `edited by ${harnessNames[harness]}`;
    case 'command':
      return `changed while ${harnessNames[harness]} ran commands`;
    case 'between':
      return 'by you or another agent';
    case 'unclear':
      return 'unclear by whom: more than one was at work';
  }
}

/** The place of a turn among those that are told, from 1; of what lies between two turns, how many came before it. */
export function turnNumber(turns: readonly TurnChanges[], turn: TurnChanges): number {
  const at = turns.findIndex(({ before, after }) => before === turn.before && after === turn.after);
  return turns.slice(0, at + 1).filter(({ entry }) => entry !== null).length;
}

/** "Turn 3", "Between turns 2 and 3". */
export function turnName(turns: readonly TurnChanges[], turn: TurnChanges): string {
  const number = turnNumber(turns, turn);
  return turn.entry === null ? `Between turns ${number} and ${number + 1}` : `Turn ${number}`;
}

/** "Turn 3 · Fix double charge race". */
export function changesTitle(name: string, thread: string): string {
  return `${name} · ${oneLine(thread, 60)}`;
}

/** One line a file, at most twenty of them. */
export function tooltipWords(turn: TurnChanges): string {
  const lines = turn.files
    .slice(0, mostLines)
    .map((file) => `${pathWords(file)}: ${sizeWords(file)}, ${byWords(file.by, turn.harness)}`);
  const more = turn.filesTotal - lines.length;
  return [
    ...lines,
    more > 0 ? `and ${counted(more, 'more file')}` : '',
    turn.beside.length === 0 ? '' : `${counted(turn.beside.length, 'other thread')} worked in the same folder meanwhile`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** "between turns: 1 file +2 −0, by you or another agent". */
export function betweenWords(turn: TurnChanges): string {
  return `between turns: ${totalWords(turn.filesTotal, turn.added, turn.removed)}, by you or another agent`;
}

const mostLines = 20;
const changeNames = { added: 'new', deleted: 'deleted', moved: 'moved', modified: 'changed' };

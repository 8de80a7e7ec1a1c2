/** What the commands on snapshots say to people. */
import type { ChangedFile, RestoreStep, ThreadChanges } from '../../protocol/world.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';

export function counts(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Turns are counted from 1, as `--turn` takes them; what happened between them has no number. */
export function changesLines({ turns, reason, files, added, removed, worktree }: ThreadChanges): readonly string[] {
  const lines: string[] = [];
  let number = 0;
  for (const turn of turns) {
    const what = `${counts(turn.filesTotal, 'file')} +${turn.added} -${turn.removed}`;
    const who = turn.entry === null ? 'between two turns' : `turn ${++number} of ${harnessNames[turn.harness]}`;
    const beside = turn.beside.length === 0 ? '' : `, beside ${turn.beside.map((id) => id.slice(0, 8)).join(', ')}`;
    lines.push(`${who}: ${what} (snapshots ${turn.before} to ${turn.after}${beside})`);
    for (const file of turn.files.slice(0, 20)) lines.push(`  ${fileLine(file)}${turn.entry === null ? '' : `  ${file.by}`}`);
    if (turn.filesTotal > 20) lines.push(`  … and ${turn.filesTotal - 20} more`);
  }
  if (number > 0) lines.push(`In all: ${counts(files, 'file')} +${added} -${removed} in ${worktree ?? ''}`);
  return reason === null ? lines : [...lines, reason];
}

export function fileLine({ path, from, change, added, removed }: ChangedFile): string {
  const letter = { added: 'A', deleted: 'D', modified: 'M', moved: 'R', mode: 'T' }[change];
  const size = added === null || removed === null ? 'not text' : `+${added} -${removed}`;
  return `${letter} ${from === undefined ? '' : `${from} → `}${path}  ${size}`;
}

const doing = {
  write: 'write   ',
  delete: 'delete  ',
  merge: 'merge   ',
  none: 'leave   ',
  conflict: 'CONFLICT',
} as const;

export function stepLine({ path, action, note }: RestoreStep): string {
  return `${doing[action]} ${path}${note === '' ? '' : `  ${note}`}`;
}

/** What a restore will do and did, in words. Pure. */
import type { RestoreStep } from '../server/protocol/world.ts';
import { counted } from './amounts.ts';

export interface StepWords {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** Without an icon: names of files are data. */
export function stepWords({ path, action, note }: RestoreStep): StepWords {
  const description = {
    write: 'is written as it was before',
    delete: 'is deleted: it was not there before',
    merge: 'is taken back, later changes stay',
    none: 'stays as it is',
    conflict: 'cannot be taken back without losing later changes',
  }[action];
  return { label: path, description, detail: note };
}

/** undefined: nothing would be done. */
export function planWords(steps: readonly RestoreStep[]): string | undefined {
  const count = (...actions: readonly RestoreStep['action'][]): number =>
    steps.filter(({ action }) => actions.includes(action)).length;
  const [back, deleted, conflicts] = [count('write', 'merge'), count('delete'), count('conflict')];
  if (back + deleted + conflicts === 0) return undefined;
  return [
    back === 0 ? '' : `${counted(back, 'file')} go back`,
    deleted === 0 ? '' : `${counted(deleted, 'file')} are deleted`,
    conflicts === 0 ? '' : counted(conflicts, 'conflict'),
  ]
    .filter((part) => part !== '')
    .join(', ')
    .replaceAll(/\b1 file go back/gu, '1 file goes back')
    .replaceAll(/\b1 file are deleted/gu, '1 file is deleted');
}

/** "Restored 3 files." */
export function doneWords(steps: readonly RestoreStep[]): string {
  const done = steps.filter(({ action }) => action === 'write' || action === 'delete' || action === 'merge').length;
  return done === 0 ? 'Nothing had to be restored: the files are so already.' : `Restored ${counted(done, 'file')}.`;
}

export function conflictWords(conflicts: readonly RestoreStep[]): string {
  const names = conflicts.slice(0, 5).map(({ path }) => path);
  const more = conflicts.length - names.length;
  return `${counted(conflicts.length, 'file')} changed since in a way that cannot be kept: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

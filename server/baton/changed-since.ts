/** Which files were changed after a statement was made: what it says of them may no longer hold. */
import type { FileNote } from './baton-state.ts';

/** Newest change first. `entry`: of the statement's newest evidence. */
export function changedAfter(files: readonly FileNote[], entry: number): readonly FileNote[] {
  return files.filter((file) => lastChange(file) > entry).toReversed();
}

/** Of those only the files that the text names, by their path or their name; at most three paths. */
export function namedAndChanged(text: string, entries: readonly number[], files: readonly FileNote[]): readonly string[] {
  const newest = Math.max(0, ...entries);
  return changedAfter(files, newest)
    .filter((file) => isNamed(text, file.path))
    .map((file) => file.path)
    .slice(0, 3);
}

const lastChange = (file: FileNote): number => file.entries.at(-1) ?? 0;

function isNamed(text: string, path: string): boolean {
  if (text.includes(path)) return true;
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return name.length >= 5 && name.includes('.') && text.includes(name);
}

/** The changes of one file over a thread, oldest first, followed through moves. Pure. */
import type { ChangedFile, TurnChanges } from '../server/protocol/world.ts';

export interface FileChangeAt {
  readonly turn: TurnChanges;
  readonly file: ChangedFile;
}

/** `path`: the file's name at any time of the thread. */
export function fileHistory(turns: readonly TurnChanges[], path: string): readonly FileChangeAt[] {
  const names = new Set([path]);
  // Names that it had before are found from the end, and those that it got later from the start.
  for (const turn of turns.toReversed())
    for (const { path: name, from } of turn.files) if (from !== undefined && names.has(name)) names.add(from);
  for (const turn of turns)
    for (const { path: name, from } of turn.files) if (from !== undefined && names.has(from)) names.add(name);
  return turns.flatMap((turn) => {
    const file = turn.files.find(({ path: name, from }) => names.has(name) || (from !== undefined && names.has(from)));
    return file === undefined ? [] : [{ turn, file }];
  });
}

/** The change before or after the one that is shown between these snapshots, or of several turns the last or first within; undefined: there is none. */
export function neighbour(
  history: readonly FileChangeAt[],
  shown: { readonly before: number; readonly after: number },
  step: 1 | -1,
): FileChangeAt | undefined {
  const at = history.findIndex(({ turn }) => turn.before === shown.before && turn.after === shown.after);
  if (at >= 0) return history[at + step];
  return step === 1
    ? history.find(({ turn }) => turn.before >= shown.before)
    : history.findLast(({ turn }) => turn.after <= shown.after);
}

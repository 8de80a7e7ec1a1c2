/** Changes as the tests of this folder use them: made up, in the form of the server's. */
import type { ChangedFile, ThreadChanges, TurnChanges } from '../server/protocol/world.ts';

export function sampleFile(path: string, over: Partial<ChangedFile> = {}): ChangedFile {
  return { path, change: 'modified', added: 2, removed: 1, by: 'tool', ...over };
}

/** Between the snapshots `before` and `before + 1`. `entry` null: between two turns. */
export function sampleTurn(entry: number | null, before: number, files: readonly ChangedFile[]): TurnChanges {
  const total = (pick: (file: ChangedFile) => number | null): number => files.reduce((sum, file) => sum + (pick(file) ?? 0), 0);
  return {
    entry,
    conversation: entry === null ? null : 1,
    last: entry === null ? null : entry + 9,
    harness: 'claude',
    before,
    after: before + 1,
    files,
    filesTotal: files.length,
    added: total(({ added }) => added),
    removed: total(({ removed }) => removed),
    beside: [],
  };
}

export function sampleChanges(turns: readonly TurnChanges[]): ThreadChanges {
  return { thread: 't', worktree: '/home/user/shop', reason: null, turns, files: 0, added: 0, removed: 0 };
}

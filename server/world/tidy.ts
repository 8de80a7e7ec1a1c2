/**
 * Keeps a worktree's snapshots within bounds: the oldest are let go of, and what nothing needs any more leaves the store. The row goes
 * first, so that no snapshot is promised that is not there. The newest one always stays.
 */
import type { SnapshotsTable, WorktreeRow } from '../ledger/snapshots-table.ts';
import { compact, held, letGo, packSmall, sizeOf } from './keep.ts';
import type { StoreSize } from './keep.ts';
import { settle } from './quick-take.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** What is kept of one worktree. */
export interface KeepBounds {
  readonly count: number;
  readonly ageMs: number;
  readonly bytes: number;
}
export const keepBounds: KeepBounds = { count: 2000, ageMs: 30 * 24 * 60 * 60_000, bytes: 4 * 1024 * 1024 * 1024 };

/** Objects beside the packs from which on packing is worth it, and packs from which on they become one: the small ones, and all of them. */
export const manyLoose = 2000;
export const manySmall = 32;
const manyPacks = 20;
/**
 * What stands beside the largest pack is packed with it from so many bytes on, and from such a part of it: each version of a file then
 * is its difference to another. Packing 130 MB anew takes git two seconds.
 */
const manyBytes = 1024 * 1024;
const largePart = 1 / 32;
/** Rounds of halving when a store is too large: how much one tree alone holds is not told by git. */
const mostRounds = 12;

/** Answers how many were let go of. Only in the worktree's lane. */
export async function tidy(
  table: SnapshotsTable,
  store: SnapshotStore,
  worktree: WorktreeRow,
  bounds: KeepBounds,
  now: number,
  signal?: AbortSignal,
): Promise<number> {
  const rows = table.ofWorktree(worktree.number, -1).filter((row) => row.pruned === 0);
  const oldest = now - bounds.ageMs;
  const gone = rows.filter((row, index) => index > 0 && (index >= bounds.count || row.at < oldest)).map(({ number }) => number);
  const known = new Set(rows.map(({ number }) => number));
  const nameless = [...(await held(store))].filter((number) => !known.has(number));
  const size = sizeOf(store);
  const isManySmall = size.small >= manySmall;
  // Windows deletes no file that a process has open: that is left to git.
  const isAll = isWorthPacking(size) || (isManySmall && (!store.isPlain || process.platform === 'win32'));
  if (gone.length + nameless.length === 0 && !isAll && size.bytes <= bounds.bytes) {
    if (isManySmall) await packSmall(store, signal);
    return 0;
  }
  if (store.newest !== rows[0]?.tree) {
    // No snapshot keeps it, as when its row could not be written: the next one is not to begin with it.
    await settle(store);
    store.newest = null;
  }
  await drop(table, store, gone, nameless, signal);
  let left = rows.map(({ number }) => number).filter((number) => !gone.includes(number));
  for (let round = 0; round < mostRounds && left.length > 1; round++) {
    if (signal?.aborted === true || sizeOf(store).bytes <= bounds.bytes) break;
    const kept = Math.ceil(left.length / 2);
    await drop(table, store, left.slice(kept), [], signal);
    gone.push(...left.slice(kept));
    left = left.slice(0, kept);
  }
  return gone.length;
}

function isWorthPacking({ packs, small, packed, beside }: StoreSize): boolean {
  return packs - small >= manyPacks || beside >= Math.max(manyBytes, packed * largePart);
}

async function drop(
  table: SnapshotsTable,
  store: SnapshotStore,
  gone: readonly number[],
  nameless: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const number of gone) table.prune(number);
  await letGo(store, [...gone, ...nameless]);
  await compact(store, signal);
}

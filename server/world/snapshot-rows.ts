/** The rows of snapshots: numbered over all worktrees, each written once its tree is kept. */
import type { SnapshotCause, SnapshotRow, SnapshotsTable, WorktreeRow } from '../ledger/snapshots-table.ts';
import { hold } from './keep.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** What a snapshot is taken for. Numbers of the ledger. */
export interface Occasion {
  readonly cause: SnapshotCause;
  readonly thread?: number | undefined;
  readonly conversation?: number | undefined;
  /** Of a turn: the entry of its prompt. */
  readonly entry?: number | undefined;
}
export type TreeFacts = Pick<SnapshotRow, 'head' | 'branch' | 'left_out' | 'left_out_total'>;

export interface SnapshotRowsOptions {
  readonly table: SnapshotsTable;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class SnapshotRows {
  readonly #options: SnapshotRowsOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotRowsOptions) {
    this.#options = options;
  }

  /** A row for each occasion; none for the end of a turn that was kept just so already. Only in the worktree's lane. */
  keep(
    worktree: WorktreeRow,
    store: SnapshotStore,
    tree: string,
    facts: TreeFacts,
    occasions: readonly Occasion[],
  ): Promise<readonly SnapshotRow[]> {
    // Numbers are given one after another, whatever the other worktrees' lanes do.
    const kept = this.#last.then(() => this.#keep(worktree, store, tree, facts, occasions));
    this.#last = kept.catch(() => undefined);
    return kept;
  }

  async #keep(
    worktree: WorktreeRow,
    store: SnapshotStore,
    tree: string,
    facts: TreeFacts,
    occasions: readonly Occasion[],
  ): Promise<readonly SnapshotRow[]> {
    const { table, now } = this.#options;
    const newest = table.newestOf(worktree.number);
    const first = table.next();
    const at = now();
    const rows = occasions
      .filter((one) => one.cause !== 'turnEnd' || !isSameEnd(newest, one, tree))
      .map((one, index): SnapshotRow => ({
        number: first + index,
        worktree: worktree.number,
        at,
        cause: one.cause,
        thread: one.thread ?? null,
        conversation: one.conversation ?? null,
        entry: one.entry ?? null,
        tree,
        ...facts,
        pruned: 0,
      }));
    if (rows.length === 0) return [];
    const numbers = rows.map(({ number }) => number);
    await hold(store, numbers, tree);
    for (const row of rows) table.insert(row);
    return rows;
  }
}

/** Some harnesses tell the end of a turn more than once. */
function isSameEnd(newest: SnapshotRow | undefined, one: Occasion, tree: string): boolean {
  return (
    newest?.tree === tree &&
    newest.cause === 'turnEnd' &&
    newest.thread === (one.thread ?? null) &&
    newest.entry === (one.entry ?? null)
  );
}

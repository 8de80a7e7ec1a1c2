/**
 * Snapshots of all worktrees: taken, compared, looked into, restored. Work on one worktree is in line: two snapshots of it are never taken
 * at once. A row of the ledger stands for a tree that a ref keeps; the ref comes first, so that a kill in between leaves a tree that
 * nobody names and that the next tidying drops, never a snapshot that cannot be read.
 */
import fs from 'node:fs';
import type { SnapshotRow, SnapshotsTable, WorktreeRow } from '../ledger/snapshots-table.ts';
import { Fault } from '../protocol/faults.ts';
import { blobAt, isBinary } from './blob.ts';
import type { GitProgram } from './git.ts';
import { packLoose, sizeOf } from './keep.ts';
import { warm } from './listing.ts';
import { Lanes } from './lanes.ts';
import { rawFrom } from './raw-path.ts';
import { applyRestore, RestoreRefused } from './restore.ts';
import { conflictsText, planRestore } from './restore-plan.ts';
import type { PlannedFile, PlanOptions } from './restore-plan.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { SnapshotRows } from './snapshot-rows.ts';
import type { Occasion, TreeFacts } from './snapshot-rows.ts';
import { settle } from './quick-take.ts';
import { Stores } from './stores.ts';
import { take } from './take.ts';
import type { TakeBudget, TakeOptions } from './take.ts';
import { keepBounds, manyLoose, tidy } from './tidy.ts';
import type { KeepBounds } from './tidy.ts';
import { diffPairs } from './tree-diff.ts';
import type { FileDiff } from './tree-diff.ts';
import { headNow, worktreeOf } from './worktree.ts';
import type { NoWorktree, Worktree } from './worktree.ts';

export interface SnapshotsOptions {
  readonly table: SnapshotsTable;
  readonly program: GitProgram;
  /** Folder of the stores, below the ledger's. */
  readonly stores: string;
  /** Folders that no snapshot holds, wherever they lie: the ledger. */
  readonly hidden: readonly string[];
  /** Do the times of the folders below this one tell when their entries changed? */
  readonly trustsFolders: (root: string) => boolean;
  readonly home: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that only rise. */
  readonly elapsed: () => number;
  readonly budget?: TakeBudget;
}
export interface RestoreOptions extends PlanOptions {
  /** As `shown`; null: all. */
  readonly paths: readonly string[] | null;
  readonly dryRun: boolean;
  readonly thread?: number | undefined;
}
export interface Restored {
  readonly files: readonly PlannedFile[];
  /** The state before, and after; null: nothing was done. */
  readonly safety: SnapshotRow;
  readonly done: SnapshotRow | null;
}
export type Content =
  | { readonly ok: true; readonly bytes: Buffer; readonly binary: boolean }
  | { readonly ok: false; readonly reason: 'missing' | 'large' | 'pruned'; readonly size: number };

/** How long it is believed which worktree a folder is in. Milliseconds. */
const believedMs = 60_000;
/** Before the index follows: starting a git holds this process up, and the answer is to be out by then. Milliseconds. */
const settleMs = 10;

interface Opened {
  readonly row: WorktreeRow;
  readonly worktree: Worktree;
  readonly store: SnapshotStore;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #stores: Stores;
  readonly #lanes = new Lanes();
  readonly #known = new Map<string, { readonly worktree: Worktree; readonly until: number }>();
  readonly #rows: SnapshotRows;
  /** Indexes that are about to follow. */
  readonly #settling = new Set<Promise<void>>();
  /** By root: what breaks off the tidying that goes on there. */
  readonly #tidying = new Map<string, AbortController>();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#stores = new Stores(options);
    this.#rows = new SnapshotRows(options);
  }

  /** Takes back what killed restores had begun. Answers the roots of their worktrees. */
  async recover(): Promise<readonly string[]> {
    const { table } = this.#options;
    this.#stores.clear();
    const broken = table.worktrees().filter(({ root }) => this.#stores.isBroken(root) && fs.existsSync(root));
    for (const { root, common } of broken)
      await this.#lanes.run(root, async () => {
        const found = await this.worktreeOf(root);
        const worktree: Worktree =
          'none' in found ? { root, common, head: null, branch: null, excludes: [], index: '', ignoresCase: false } : found;
        await this.#stores.open(worktree);
      });
    return broken.map(({ root }) => root);
  }

  /** The worktree that a folder is in, or why it has no snapshots. Its head may be a minute old. */
  async worktreeOf(folder: string): Promise<Worktree | NoWorktree> {
    const { program, home, elapsed } = this.#options;
    const known = this.#known.get(folder);
    if (known !== undefined && known.until > elapsed() && fs.existsSync(known.worktree.root)) return known.worktree;
    this.#known.delete(folder);
    const worktree = await worktreeOf(program, folder, home);
    if (!('none' in worktree)) this.#known.set(folder, { worktree, until: elapsed() + believedMs });
    return worktree;
  }

  /** One snapshot. Throws `Fault` G001 (there is nothing to take here) or G002 (it failed; nothing was kept). */
  async take(folder: string, occasion: Occasion, options: Pick<TakeOptions, 'onProgress' | 'signal'> = {}): Promise<SnapshotRow> {
    const [row] = await this.takeFor(folder, () => [occasion], options);
    if (row === undefined) throw new Error('a snapshot that was asked for was not kept');
    return row;
  }

  /** One tree for all of these occasions, which are asked for once it is taken; a row for each. Throws like `take`. */
  async takeFor(
    folder: string,
    occasions: () => readonly Occasion[],
    options: Pick<TakeOptions, 'onProgress' | 'signal'> = {},
  ): Promise<readonly SnapshotRow[]> {
    const worktree = await this.#worktree(folder);
    return this.#lanes.run(worktree.root, async () => {
      const opened = await this.#open(worktree);
      const { tree, ...about } = await this.#tree(opened, options);
      this.#settle(opened);
      return this.#rows.keep(opened.row, opened.store, tree, about, occasions());
    });
  }

  /** The worktree as it is: a snapshot that holds just that, which may be an older one. Throws like `take`. */
  async current(folder: string, occasion: Occasion): Promise<SnapshotRow> {
    const worktree = await this.#worktree(folder);
    return this.#lanes.run(worktree.root, async () => this.#current(await this.#open(worktree), occasion));
  }

  /** Throws `Fault` G005. */
  snapshot(number: number): { readonly row: SnapshotRow; readonly worktree: WorktreeRow } {
    const row = this.#options.table.byNumber(number);
    const worktree = row === undefined ? undefined : this.#options.table.worktree(row.worktree);
    if (row === undefined || worktree === undefined) throw new Fault('G005', String(number));
    return { row, worktree };
  }

  /** Throws `Fault` G005 (one of them is gone, or they are of two worktrees). */
  async diff(before: number, after: number, renames = true): Promise<readonly FileDiff[]> {
    return (await this.diffs([[before, after]], renames))[0] ?? [];
  }

  /** The same of many pairs, all of one worktree, by one run of git. */
  async diffs(
    pairs: readonly (readonly [before: number, after: number])[],
    renames = true,
  ): Promise<readonly (readonly FileDiff[])[]> {
    const rows = pairs.map((pair) => pair.map((number) => this.snapshot(number)));
    const [first] = rows.flat();
    if (first === undefined) return [];
    for (const { row } of rows.flat()) {
      if (row.worktree !== first.row.worktree)
        throw new Fault('G005', `${first.row.number} and ${row.number} are of two worktrees.`);
      if (row.pruned === 1) throw new Fault('G005', `${row.number} was dropped.`);
    }
    return diffPairs(
      this.#reading(first.worktree, first.row.number),
      rows.map((pair) => [pair[0]?.row.tree ?? '', pair[1]?.row.tree ?? ''] as const),
      renames,
    );
  }

  /** `file` as `shown`. */
  async content(number: number, file: string): Promise<Content> {
    const { row, worktree } = this.snapshot(number);
    if (row.pruned === 1) return { ok: false, reason: 'pruned', size: 0 };
    const store = this.#reading(worktree, number);
    const raw = rawFrom(file);
    const blob = await blobAt(store, row.tree, raw);
    if (blob === undefined) return { ok: false, reason: 'missing', size: 0 };
    return blob.ok ? { ...blob, binary: isBinary(blob.bytes) } : blob;
  }

  /**
   * Takes back what lies between two snapshots. The plan is made on a snapshot of now, which is also the way back. Throws `Fault` G001, G002,
   * G004 (conflicts, and nobody agreed to lose what came later), G005 or G006; then nothing was changed.
   */
  async restore(before: number, after: number, options: RestoreOptions): Promise<Restored> {
    const diffs = await this.diff(before, after, false);
    const wanted = options.paths === null ? undefined : new Set(options.paths.map((name) => rawFrom(name)));
    const chosen = wanted === undefined ? diffs : diffs.filter(({ raw }) => wanted.has(raw));
    const worktree = await this.#worktree(this.snapshot(before).worktree.root);
    const occasion: Occasion = { cause: 'safety', thread: options.thread };
    return this.#lanes.run(worktree.root, async () => {
      const opened = await this.#open(worktree);
      const safety = await this.#current(opened, occasion);
      const files = await planRestore(this.#options.program, opened.store, worktree, chosen, safety.tree, options);
      const conflicts = files.some(({ action }) => action === 'conflict');
      if (conflicts && !options.dryRun && !options.overwrite) throw new Fault('G004', conflictsText(files));
      const touched = files.some(({ action }) => action === 'write' || action === 'merge' || action === 'delete');
      if (options.dryRun || !touched) return { files, safety, done: null };
      try {
        await applyRestore(opened.store, worktree.root, files, String(safety.number));
      } catch (error) {
        if (error instanceof RestoreRefused) throw new Fault('G006', error.message);
        throw error;
      }
      return { files, safety, done: await this.#current(opened, occasion) };
    });
  }

  /**
   * Packs what is loose, and lets go of what is beyond the bounds. Answers how many were let go of. Nobody waits for it: a snapshot or a
   * restore that comes breaks it off, and the next one goes on.
   */
  async tidy(worktree: WorktreeRow, bounds: KeepBounds = keepBounds, signal?: AbortSignal): Promise<number> {
    const { table, now } = this.#options;
    const store = this.#stores.known(worktree.root);
    if (store === undefined) return 0;
    await Promise.all(this.#settling);
    if (sizeOf(store).loose >= manyLoose) await packLoose(store, signal);
    const end = new AbortController();
    const either = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
    return this.#lanes.run(worktree.root, async () => {
      this.#tidying.set(worktree.root, end);
      try {
        return await tidy(table, store, worktree, bounds, now(), either);
      } finally {
        this.#tidying.delete(worktree.root);
      }
    });
  }

  /** All of a worktree that is gone for good. */
  async forget(worktree: WorktreeRow): Promise<void> {
    const { table } = this.#options;
    await Promise.all(this.#settling);
    await this.#lanes.run(worktree.root, async () => {
      for (const { number, pruned } of table.ofWorktree(worktree.number, -1)) if (pruned === 0) table.prune(number);
      this.#stores.drop(worktree.root);
      await Promise.resolve();
    });
  }

  /** The store of that worktree, for looking at. */
  storeOf(worktree: WorktreeRow): SnapshotStore | undefined {
    return this.#stores.known(worktree.root);
  }

  /** Waits for all that is under way. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.#settling);
      await this.#lanes.settled();
    } while (this.#settling.size > 0);
  }

  /** Once nobody waits for it any more. A snapshot that comes before does it itself. */
  #settle({ worktree, store }: Opened): void {
    const work = async (): Promise<void> => {
      await settle(store);
      await warm(store, worktree);
    };
    const settling = new Promise((resolve) => setTimeout(resolve, settleMs))
      .then(() => this.#lanes.run(worktree.root, work))
      .catch(() => undefined)
      .finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
  }

  async #current(opened: Opened, occasion: Occasion): Promise<SnapshotRow> {
    const { tree, ...about } = await this.#tree(opened, {});
    this.#settle(opened);
    const newest = this.#options.table.newestOf(opened.row.number);
    if (newest?.tree === tree) return newest;
    const [row] = await this.#rows.keep(opened.row, opened.store, tree, about, [occasion]);
    if (row === undefined) throw new Error('a snapshot that was asked for was not kept');
    return row;
  }

  async #tree(
    { worktree, store }: Opened,
    options: Pick<TakeOptions, 'onProgress' | 'signal'>,
  ): Promise<TreeFacts & { readonly tree: string }> {
    const { program, elapsed, budget } = this.#options;
    // Git is to look at the worktree first: all else is done meanwhile.
    const taking = take(store, worktree, { elapsed, ...(budget === undefined ? {} : { budget }), ...options });
    const [taken, head] = await Promise.all([taking, headNow(program, worktree)]);
    if ('failed' in taken) throw new Fault('G002', `${worktree.root}: ${taken.failed}`);
    return {
      ...head,
      tree: taken.tree,
      left_out: JSON.stringify(taken.leftOut),
      left_out_total: taken.leftOutTotal,
    };
  }

  async #worktree(folder: string): Promise<Worktree> {
    const worktree = await this.worktreeOf(folder);
    if ('none' in worktree) throw new Fault('G001', worktree.text);
    this.#tidying.get(worktree.root)?.abort();
    return worktree;
  }

  async #open(worktree: Worktree): Promise<Opened> {
    try {
      const store = await this.#stores.open(worktree);
      return { row: this.#options.table.worktreeOf(worktree.root, worktree.common), worktree, store };
    } catch (error) {
      throw error instanceof Fault ? error : new Fault('G002', `${worktree.root}: ${messageOf(error)}`);
    }
  }

  #reading(worktree: WorktreeRow, number: number): SnapshotStore {
    const store = this.#stores.known(worktree.root);
    if (store === undefined) throw new Fault('G005', `${number}: its store is gone.`);
    return store;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The stores of snapshots of this ledger, by the roots of their worktrees. A store that is opened to be written first takes back what a
 * killed restore had begun in its worktree, and only then is anything else done there.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { GitProgram } from './git.ts';
import { recoverRestore, restoreJournal } from './restore.ts';
import { SnapshotStore } from './snapshot-store.ts';
import type { Worktree } from './worktree.ts';

export interface StoresOptions {
  readonly program: GitProgram;
  /** Folder of the stores, below the ledger's. */
  readonly stores: string;
  /** Folders that no snapshot holds, wherever they lie: the ledger. */
  readonly hidden: readonly string[];
  /** Do the times of the folders below this one tell when their entries changed? */
  readonly trustsFolders: (root: string) => boolean;
}

export class Stores {
  readonly #options: StoresOptions;
  readonly #open = new Map<string, SnapshotStore>();
  /** Only read so far. */
  readonly #read = new Map<string, SnapshotStore>();

  constructor(options: StoresOptions) {
    this.#options = options;
  }

  /** Only in the worktree's lane. */
  async open(worktree: Worktree): Promise<SnapshotStore> {
    const { program, stores, hidden, trustsFolders } = this.#options;
    const known = this.#open.get(worktree.root);
    if (known?.isThere === true) {
      known.clearLocks();
      known.copyExcludes(worktree, hidden);
      return known;
    }
    const store = await SnapshotStore.open(program, stores, worktree, hidden, trustsFolders(worktree.root));
    await recoverRestore(store);
    this.#open.set(worktree.root, store);
    return store;
  }

  /** For reading; undefined: there is none of that worktree. */
  known(root: string): SnapshotStore | undefined {
    const known = this.#open.get(root) ?? this.#read.get(root);
    if (known?.isThere === true) return known;
    const found = SnapshotStore.known(this.#options.program, this.#options.stores, root);
    if (found !== undefined) this.#read.set(root, found);
    return found;
  }

  /** Did a restore begin there that is not over? */
  isBroken(root: string): boolean {
    const store = SnapshotStore.known(this.#options.program, this.#options.stores, root);
    return store !== undefined && fs.existsSync(restoreJournal(store));
  }

  /** Only in the worktree's lane. */
  drop(root: string): void {
    const store = this.known(root);
    this.#open.delete(root);
    this.#read.delete(root);
    store?.objects.close();
    if (store !== undefined) fs.rmSync(store.folder, { recursive: true, force: true });
  }

  /** What a killed process had begun to make. */
  clear(): void {
    const { stores } = this.#options;
    for (const name of fs.existsSync(stores) ? fs.readdirSync(stores) : [])
      if (name.startsWith('making-')) fs.rmSync(path.join(stores, name), { recursive: true, force: true });
  }
}

/** For tests: snapshots over a real ledger, beside real repositories in the same temp folder. */
import fs from 'node:fs';
import path from 'node:path';
import { Ledger } from '../../server/ledger/ledger.ts';
import type { SnapshotsTable } from '../../server/ledger/snapshots-table.ts';
import { Snapshots } from '../../server/world/snapshots.ts';
import type { TakeBudget } from '../../server/world/take.ts';
import { Worktrees } from './worktrees.ts';

export class LedgerWorktrees implements AsyncDisposable {
  readonly worktrees = new Worktrees();
  readonly ledger: Ledger;
  readonly table: SnapshotsTable;
  readonly snapshots: Snapshots;
  /** Milliseconds since 1970, as the test wants it. */
  now = 1_800_000_000_000;

  constructor({ folder, budget }: { readonly folder?: string; readonly budget?: TakeBudget } = {}) {
    const at = path.join(this.worktrees.folder, folder ?? 'ledger');
    fs.mkdirSync(at, { recursive: true });
    this.ledger = Ledger.open(at, { readonly: false, now: 0, maySetAside: false });
    const table = this.ledger.snapshots;
    if (table === undefined) throw new Error('a new ledger has tables for snapshots');
    this.table = table;
    this.snapshots = this.open(budget);
  }

  /** As another process would. */
  open(budget?: TakeBudget): Snapshots {
    return new Snapshots({
      table: this.table,
      program: this.worktrees.program,
      stores: path.join(this.ledger.folder, 'snapshots'),
      hidden: [this.ledger.folder],
      trustsFolders: () => true,
      home: this.worktrees.home,
      now: () => this.now++,
      elapsed: () => performance.now(),
      ...(budget === undefined ? {} : { budget }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.snapshots.settled();
    await this.ledger.close();
    this.worktrees[Symbol.dispose]();
  }
}

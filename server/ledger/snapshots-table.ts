/**
 * The `worktrees`, `snapshots` and `thread_changes` tables: what the trees in Loom's own git stores are of, and what each thread did in
 * all. A row is written after its tree is kept by a ref,
 * so that every row that is not `pruned` can be read; a tree without a row is let go of when its store is next compacted. A ledger of an
 * older Loom, which is only read, has no such tables: then there are no snapshots.
 */
import type { Database, Statement } from 'better-sqlite3';

export type SnapshotCause = 'turnStart' | 'turnEnd' | 'safety' | 'handoff' | 'baseline' | 'asked';

export interface WorktreeRow {
  readonly number: number;
  /** Absolute, behind links. */
  readonly root: string;
  /** The common folder of its repository. */
  readonly common: string;
}
export interface SnapshotRow {
  readonly number: number;
  readonly worktree: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cause: SnapshotCause;
  /** Number of the thread that it was taken for; null: none. */
  readonly thread: number | null;
  readonly conversation: number | null;
  /** Of a turn: the entry of its prompt. */
  readonly entry: number | null;
  readonly tree: string;
  readonly head: string | null;
  readonly branch: string | null;
  /** JSON: what it does not hold, at most 200 by name. */
  readonly left_out: string;
  readonly left_out_total: number;
  /** 1: its tree is gone; only that it was is still known. */
  readonly pruned: 0 | 1;
}

/** What a thread's turns did to its files, all together. */
export interface ThreadTotals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

const columns = 'number, worktree, at, cause, thread, conversation, entry, tree, head, branch, left_out, left_out_total, pruned';

export class SnapshotsTable {
  readonly #insert: Statement;
  readonly #byNumber: Statement;
  readonly #ofThread: Statement;
  readonly #ofWorktree: Statement;
  readonly #newest: Statement;
  readonly #newestOf: Statement;
  readonly #prune: Statement;
  readonly #next: Statement;
  readonly #worktree: Statement;
  readonly #worktreeByRoot: Statement;
  readonly #worktrees: Statement;
  readonly #addWorktree: Statement;
  readonly #totals: Statement;
  readonly #putTotals: Statement;

  /** undefined: the file has no such tables. */
  static open(db: Database): SnapshotsTable | undefined {
    const found = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'thread_changes' AND type = 'table'").get();
    return found === undefined ? undefined : new SnapshotsTable(db);
  }

  private constructor(db: Database) {
    this.#insert = db.prepare(
      `INSERT INTO snapshots (${columns}) VALUES (@number, @worktree, @at, @cause, @thread, @conversation, @entry, @tree, @head, @branch, @left_out, @left_out_total, @pruned)`,
    );
    this.#byNumber = db.prepare(`SELECT ${columns} FROM snapshots WHERE number = ?`);
    this.#ofThread = db.prepare(`SELECT ${columns} FROM snapshots WHERE thread = ? ORDER BY number`);
    this.#ofWorktree = db.prepare(`SELECT ${columns} FROM snapshots WHERE worktree = ? ORDER BY number DESC LIMIT ?`);
    this.#newest = db.prepare(`SELECT ${columns} FROM snapshots ORDER BY number DESC LIMIT ?`);
    this.#newestOf = db.prepare(
      `SELECT ${columns} FROM snapshots WHERE worktree = ? AND pruned = 0 ORDER BY number DESC LIMIT 1`,
    );
    this.#prune = db.prepare('UPDATE snapshots SET pruned = 1 WHERE number = ?');
    this.#next = db.prepare('SELECT coalesce(max(number), 0) + 1 FROM snapshots').pluck();
    this.#worktree = db.prepare('SELECT number, root, common FROM worktrees WHERE number = ?');
    this.#worktreeByRoot = db.prepare('SELECT number, root, common FROM worktrees WHERE root = ?');
    this.#worktrees = db.prepare('SELECT number, root, common FROM worktrees ORDER BY number');
    this.#addWorktree = db.prepare('INSERT INTO worktrees (root, common) VALUES (?, ?)');
    this.#totals = db.prepare('SELECT files, added, removed FROM thread_changes WHERE thread = ?');
    this.#putTotals = db.prepare('INSERT OR REPLACE INTO thread_changes (thread, files, added, removed) VALUES (?, ?, ?, ?)');
  }

  /** The worktree of that root, if there ever was a snapshot of it. */
  knownWorktree(root: string): WorktreeRow | undefined {
    return this.#worktreeByRoot.get(root) as WorktreeRow | undefined;
  }
  insert(row: SnapshotRow): void {
    this.#insert.run(row);
  }
  byNumber(number: number): SnapshotRow | undefined {
    return this.#byNumber.get(number) as SnapshotRow | undefined;
  }
  /** Oldest first. */
  ofThread(thread: number): readonly SnapshotRow[] {
    return this.#ofThread.all(thread) as SnapshotRow[];
  }
  /** Newest first. */
  ofWorktree(worktree: number, limit: number): readonly SnapshotRow[] {
    return this.#ofWorktree.all(worktree, limit) as SnapshotRow[];
  }
  /** Newest first. */
  newest(limit: number): readonly SnapshotRow[] {
    return this.#newest.all(limit) as SnapshotRow[];
  }
  newestOf(worktree: number): SnapshotRow | undefined {
    return this.#newestOf.get(worktree) as SnapshotRow | undefined;
  }
  /** Its tree is let go of: what it was of stays known. */
  prune(number: number): void {
    this.#prune.run(number);
  }
  /** The number that the next one gets. One process at a time writes. */
  next(): number {
    return this.#next.get() as number;
  }
  worktree(number: number): WorktreeRow | undefined {
    return this.#worktree.get(number) as WorktreeRow | undefined;
  }
  worktrees(): readonly WorktreeRow[] {
    return this.#worktrees.all() as WorktreeRow[];
  }
  /** As of the newest turn that was looked at; undefined: none was. */
  totalsOf(thread: number): ThreadTotals | undefined {
    return this.#totals.get(thread) as ThreadTotals | undefined;
  }
  putTotals(thread: number, { files, added, removed }: ThreadTotals): void {
    this.#putTotals.run(thread, files, added, removed);
  }
  /** The worktree of that root; made when it is new. */
  worktreeOf(root: string, common: string): WorktreeRow {
    const known = this.#worktreeByRoot.get(root) as WorktreeRow | undefined;
    if (known !== undefined) return known;
    const { lastInsertRowid } = this.#addWorktree.run(root, common);
    return { number: Number(lastInsertRowid), root, common };
  }
}

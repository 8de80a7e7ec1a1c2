/** Snapshots of worktrees as they go over the wire: what each turn did to the files, and what a restore would do. */
import type { HarnessId } from '../../shuttles/contract/harness.ts';

/**
 * Why a snapshot was taken: a turn began or ended; `safety`: before and after Loom itself touched files; `handoff`: before the thread was
 * carried to another harness; `baseline`: the worktree was met for the first time; `asked`: a person asked for it.
 */
export type SnapshotCause = 'turnStart' | 'turnEnd' | 'safety' | 'handoff' | 'baseline' | 'asked';

export interface SnapshotView {
  readonly number: number;
  /** Absolute folder of the worktree. */
  readonly worktree: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cause: SnapshotCause;
  readonly thread: string | null;
  readonly head: string | null;
  readonly branch: string | null;
  /** Files that it does not hold, at most 200 by name, and how many there are. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string; readonly bytes?: number }[];
  readonly leftOutTotal: number;
}

/**
 * Whose change it is, as far as the facts tell: an edit that the agent's tools reported, a change while only its commands ran, a change
 * between its turns (the person, or another agent), a change while several agents were at work.
 */
export type ChangedBy = 'tool' | 'command' | 'between' | 'unclear';

export interface ChangedFile {
  /** Inside the worktree, `/` between parts; bytes that are no UTF-8 as `\xNN`. */
  readonly path: string;
  /** Where it was before. */
  readonly from?: string;
  readonly change: 'added' | 'deleted' | 'modified' | 'moved' | 'mode';
  /** null: not text. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly by: ChangedBy;
}

/** What one turn of a thread did to its worktree; `between` two turns when `entry` is null. */
export interface TurnChanges {
  /** Entry of the prompt that began the turn. */
  readonly entry: number | null;
  /** The conversation that it was begun in, and its newest entry there; null: of no turn, or its records are not there. */
  readonly conversation: number | null;
  readonly last: number | null;
  readonly harness: HarnessId;
  readonly before: number;
  readonly after: number;
  readonly files: readonly ChangedFile[];
  /** More files changed than are listed. */
  readonly filesTotal: number;
  readonly added: number;
  readonly removed: number;
  /** Threads whose agents worked in the same worktree meanwhile. */
  readonly beside: readonly string[];
}
export interface ThreadChanges {
  readonly thread: string;
  readonly worktree: string | null;
  /** Why there are none, or not for all turns; null: nothing to say. */
  readonly reason: string | null;
  /** Oldest first. */
  readonly turns: readonly TurnChanges[];
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export interface DiffResult {
  readonly before: SnapshotView;
  readonly after: SnapshotView;
  readonly files: readonly ChangedFile[];
  readonly filesTotal: number;
}
/** The content of one file in a snapshot. `missing`: it is not in it. */
export type SnapshotContent =
  | { readonly ok: true; readonly base64: string; readonly binary: boolean }
  | { readonly ok: false; readonly reason: 'missing' | 'large' | 'pruned'; readonly size: number };

export interface RestoreParams {
  readonly thread: string | null;
  /** Takes back what lies between these two: of a turn, its `before` and `after`. */
  readonly before: number;
  readonly after: number;
  /** null: every file of it. */
  readonly paths: readonly string[] | null;
  /** Of one path: only the hunk with this number, from 0, in its unified diff with three lines of context. */
  readonly hunk: number | null;
  readonly dryRun: boolean;
  /** Goes on although an agent drives the worktree. */
  readonly force: boolean;
  /** Writes the state of `before` also over files that changed since in a way that cannot be kept. */
  readonly overwrite: boolean;
}
export interface RestoreStep {
  readonly path: string;
  /** `merge`: the turn's change is taken out, later changes stay. */
  readonly action: 'write' | 'delete' | 'merge' | 'none' | 'conflict';
  /** Why, in one sentence; '' when there is nothing to say. */
  readonly note: string;
}
export interface WorldRestoreResult {
  readonly steps: readonly RestoreStep[];
  /** Snapshots before and after what was done: restoring between them takes it back. null: nothing was done. */
  readonly undo: { readonly before: number; readonly after: number } | null;
}

/**
 * The baton: what a thread hands over, as a value. Every statement is one line (turns: several) of text that is already
 * masked, clean and safe to stand in Markdown, with the ledger entries it comes from and who may have written it.
 * `loom baton --json` prints it; `renderBaton` makes the packet of it that a model reads.
 */
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { FileChange, LedgerEntry, PlanItem, Trust } from '../../shuttles/contract/entry.ts';

export interface Statement {
  readonly text: string;
  /** Ledger entries that it was taken from: first and newest ones, at most six. */
  readonly entries: readonly number[];
  readonly trust: Trust;
}
export interface GoalStatement extends Statement {
  /** `newest` is the ask that stands now, when it is another one than the first. */
  readonly which: 'original' | 'newest';
}
/** `weight`: which ones to keep when there is room for some only; more is weightier. */
export interface RankedStatement extends Statement {
  readonly weight: number;
}
export interface PlanStatement extends Statement {
  readonly status: PlanItem['status'];
}
export interface DecisionStatement extends RankedStatement {
  /** By the person (an answer, an approval) or by the agent (with its reason, when it gave one). */
  readonly by: 'person' | 'agent';
  /** What was chosen, a cause that was found, or an alternative that was not taken. */
  readonly about: 'chosen' | 'found' | 'rejected';
  /** Files that the statement names and that were changed after it was made. */
  readonly changedSince: readonly string[];
}
export interface QuestionStatement extends Statement {
  readonly by: 'person' | 'agent';
}
export interface FailedStatement extends Statement {
  readonly kind: 'command' | 'edit' | 'tool' | 'denied' | 'refused' | 'reverted' | 'api' | 'turn' | 'said';
  /** How often the same thing failed in the same way. */
  readonly times: number;
  /** The same command went well later. */
  readonly resolved: boolean;
  /** As in `DecisionStatement`. */
  readonly changedSince: readonly string[];
}
export interface FileStatement extends Statement {
  readonly path: string;
  readonly change: FileChange['change'];
  readonly added: number;
  readonly removed: number;
}
export interface TurnStatement extends Statement {
  readonly who: 'person' | 'agent' | 'tool';
  /** For `tool`: what ran, as one line; `text` is then its output and is data. */
  readonly source?: string;
}

/** The worktree as the caller found it with git, at `at` (milliseconds since 1970). */
export interface WorldFacts {
  readonly at: number;
  /** Commit id; null: no commit or no repository. */
  readonly head: string | null;
  readonly branch: string | null;
  readonly dirtyFiles: readonly { readonly path: string; readonly change: string }[];
  /** When more files are dirty than are listed. */
  readonly dirtyTotal?: number;
  /** Commits ahead of and behind the upstream branch. */
  readonly ahead?: number;
  readonly behind?: number;
}
/** A live process as the caller found it. `startedAt`: milliseconds since 1970; null where the platform does not tell. */
export interface ProcessFact {
  readonly pid: number;
  readonly startedAt: number | null;
}
export interface BatonThread {
  readonly id: string;
  readonly title: string;
  readonly harness: HarnessId;
  readonly cwd: string;
  readonly branch: string | null;
  readonly repo: string | null;
  readonly native: readonly { readonly harness: HarnessId; readonly id: string }[];
}
export interface BatonInput {
  readonly thread: BatonThread;
  /** The current conversation of the thread, oldest first, whole: compacted parts too. */
  readonly entries: Iterable<LedgerEntry>;
  readonly to: HarnessId | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly world: WorldFacts | null;
  /** Those of the processes that the thread left running which are alive; absent or null: nobody looked. */
  readonly processes?: readonly ProcessFact[] | null;
  /** The ledger's own, for the fingerprints of masked secrets. */
  readonly salt: string;
  /** See `Baton.since`. */
  readonly since?: number;
}

export interface Baton {
  readonly thread: BatonThread;
  readonly to: HarnessId | null;
  readonly compiledAt: number;
  /**
   * Is there something to carry? `none`: no prompt and no answer at all; `thin`: a prompt without any answer, action or
   * substance. Both are refused by who hands over, with `reason`.
   */
  readonly substance: 'enough' | 'thin' | 'none';
  readonly reason: string | null;
  /** The reader drove the thread until that entry and knows what was before: only what came since is told. */
  readonly since: number | null;
  readonly goal: readonly GoalStatement[];
  readonly constraints: readonly RankedStatement[];
  readonly plan: readonly PlanStatement[];
  /** What the agent said it would do next, in its newest words. */
  readonly next: readonly Statement[];
  readonly decisions: readonly DecisionStatement[];
  /** Asked and not answered, by either side. */
  readonly questions: readonly QuestionStatement[];
  readonly failed: readonly FailedStatement[];
  readonly world: readonly Statement[];
  readonly files: readonly FileStatement[];
  /** Oldest first. */
  readonly lastTurns: readonly TurnStatement[];
  /** Calls without a result: whether they took effect is unknown. */
  readonly open: readonly Statement[];
  /** The harness's own summary at its newest compaction. */
  readonly summary: Statement | null;
  readonly pointer: readonly Statement[];
  readonly counts: {
    readonly entries: number;
    readonly prompts: number;
    readonly files: number;
    /** Lines of tool, web or chat text that read like orders and were left out. */
    readonly omitted: number;
  };
}

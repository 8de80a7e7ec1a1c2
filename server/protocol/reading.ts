/**
 * What an agent may read of the ledger (`loom mcp`): the requests' parameters and bounds. Answers are words for a model: secrets masked, text
 * of tools, web and chats quoted as data, in the form of a baton.
 */
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface ReadParams {
  /** A thread's id, a unique beginning of it, or a native session's id. */
  readonly thread: string;
  /** An entry to be opened; null: a page of the thread. */
  readonly entry: number | null;
  /** Characters of the entry's text that were read before. */
  readonly from: number;
  /** Entries to be told shortly on each side of `entry`. */
  readonly around: number;
  /** Of a page: only entries after that one, or before that one; both null: the newest. */
  readonly after: number | null;
  readonly before: number | null;
  /** Entries of a page. */
  readonly limit: number;
}
export interface ReadListParams {
  readonly harness: HarnessId | null;
  /** Absolute; null: of every folder. */
  readonly cwd: string | null;
  readonly live: boolean;
  readonly limit: number;
}
export interface ReadSearchParams {
  readonly words: string;
  readonly harness: HarnessId | null;
  readonly cwd: string | null;
  readonly thread: string | null;
  readonly limit: number;
}
/** Markdown. */
export interface Told {
  readonly text: string;
}

/** Most that is told at once, and what is told when nothing is said. `characters`: of one answer, about 4,000 tokens. */
export const readingBounds = {
  characters: 16_000,
  around: { most: 20, usual: 0 },
  entries: { most: 100, usual: 30 },
  threads: { most: 100, usual: 20 },
  hits: { most: 30, usual: 10 },
} as const;

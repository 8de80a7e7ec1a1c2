/** The requests between client and server (JSON-RPC over LSP's connection, and the same over the owner's socket). */
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { ReadListParams, ReadParams, ReadSearchParams, Told } from './reading.ts';
import type { EntryView, FaultView, HarnessStatus, View } from './views.ts';
import type { ViewEvent } from './events.ts';
import type { DiffResult, RestoreParams, SnapshotContent, SnapshotView, ThreadChanges, WorldRestoreResult } from './world.ts';

/** A method and the types of its parameters and result; the value is only the method's name. */
export interface Method<Params, Result> {
  readonly method: string;
  readonly params?: Params;
  readonly result?: Result;
}
const method = <Params, Result>(name: string): Method<Params, Result> => ({ method: name });

export interface SubscribeThreads {
  readonly subscription: string;
  readonly kind: 'threads';
  /** With subagents' and automation's threads. */
  readonly all: boolean;
}
export interface SubscribeTimeline {
  readonly subscription: string;
  readonly kind: 'timeline';
  readonly thread: string;
  /** null: the current one. */
  readonly conversation: number | null;
  /** How many newest entries to start with. */
  readonly tail: number;
}
export interface SearchHit {
  readonly thread: string;
  readonly entry: number;
  readonly conversation: number;
  readonly title: string;
  /** Matches stand between U+E000 and U+E001; nothing in it is markup. */
  readonly snippet: string;
  readonly at: number | null;
  readonly harness: HarnessId;
  readonly score: number;
}
export interface SearchParams {
  readonly words: string;
  readonly harness?: HarnessId;
  readonly cwd?: string;
  readonly kind?: string;
  /** Milliseconds since 1970; from then on. What is of no known time is found only without `since` and `until`. */
  readonly since?: number;
  /** Milliseconds since 1970; before then. */
  readonly until?: number;
  readonly limit: number;
  /** Only within this thread, newest first: find in thread. */
  readonly thread?: string;
}
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** Why there are no hits, or may be too few: no words were given, the index is being made anew. */
  readonly hint: string | null;
}
/** What leaves this machine's one vendor for another with a hand-over. */
export interface Disclosure {
  readonly from: HarnessId;
  readonly to: HarnessId;
  readonly bytes: number;
  readonly messages: number;
  readonly files: readonly string[];
  readonly masked: number;
  readonly quoted: number;
}
/**
 * `native`: a new native session with the thread's history. `return`: what is new goes to the end of the session that the thread was in
 * before in that harness. `prompt`: the baton as a file, and a short first prompt that names it.
 */
export type ContinueMode = 'native' | 'return' | 'prompt';
export interface ContinueParams {
  readonly thread: string;
  readonly harness: HarnessId;
  /** null: the best that there is: `return`, `native`, `prompt`. */
  readonly mode: ContinueMode | null;
  readonly dryRun: boolean;
  /** The baton as the person edited it; null: as compiled. */
  readonly baton: string | null;
  /** `baton` is not as a dry run gave it. Absent: told by comparing it with one that is compiled now, whose ages of facts may differ. */
  readonly edited?: boolean;
  /** Go on although the source is live (the person chose to fork from its last turn). */
  readonly force: boolean;
  /**
   * The person has seen what leaves for another vendor and agrees: this time, or for this pair of harnesses in this folder from now on.
   * null: not asked; then only a dry run, the same vendor, or an agreement from before passes (C010).
   */
  readonly confirmed: 'once' | 'always' | null;
}
/** Also what `loom continue --json` prints. */
export interface ContinueResult {
  readonly thread: string;
  readonly harness: HarnessId;
  readonly mode: ContinueMode;
  /** Of a `prompt`: '', since the harness names the session itself. */
  readonly nativeId: string;
  /** The session's file; of a `prompt`: the baton's. */
  readonly path: string;
  readonly command: { readonly argv: readonly string[]; readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  readonly baton: string;
  readonly disclosure: Disclosure;
  readonly lease: { readonly epoch: number; readonly holder: HarnessId } | null;
  /** Was it, or must it be, agreed to that this leaves for another vendor? */
  readonly consent: 'notNeeded' | 'needed' | 'given';
  readonly warnings: readonly string[];
}
export interface BatonResult {
  readonly markdown: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly masked: number;
  readonly quoted: number;
}
/** A native file that was written out of the archive. */
export interface RestoredFile {
  /** Where it is now, and where it lay. */
  readonly path: string;
  readonly from: string;
  readonly bytes: number;
  /** Hexadecimal, of the whole file. */
  readonly sha256: string;
}
/** Also what `loom restore-native --json` prints. */
export interface RestoreResult {
  readonly files: readonly RestoredFile[];
  /** Files that the thread was read from and that were not written; `reason` goes on after the path. */
  readonly missing: readonly { readonly path: string; readonly reason: string }[];
}
/** The record that an entry was made from. `text` is data. */
export type NativeRecordResult =
  | { readonly ok: true; readonly text: string; readonly from: 'file' | 'archive'; readonly path: string }
  | { readonly ok: false; readonly reason: string };
export interface Status {
  readonly version: string;
  readonly ledger: string;
  readonly owner: boolean;
  readonly harnesses: readonly HarnessStatus[];
  readonly faults: readonly FaultView[];
}

export const requests = {
  status: method<Record<string, never>, Status>('loom/status'),
  subscribe: method<SubscribeThreads | SubscribeTimeline, View>('loom/subscribe'),
  unsubscribe: method<{ readonly subscription: string }, null>('loom/unsubscribe'),
  /** Older entries for a timeline subscription; they come as an `older` event before this is answered. */
  older: method<{ readonly subscription: string; readonly limit: number }, null>('loom/timeline.older'),
  /** One entry with nothing clipped. */
  entry: method<{ readonly thread: string; readonly entry: number }, EntryView>('loom/timeline.entry'),
  search: method<SearchParams, SearchResult>('loom/search'),
  baton: method<{ readonly thread: string; readonly to: HarnessId | null; readonly budget: number | null }, BatonResult>(
    'loom/baton',
  ),
  continueIn: method<ContinueParams, ContinueResult>('loom/continue'),
  /** The record that an entry was made from, as the harness wrote it. */
  nativeRecord: method<{ readonly thread: string; readonly entry: number }, NativeRecordResult>('loom/native.record'),
  /** Writes the thread's native files below `folder`, which is absolute; null: each where it lay. Never over a file that is there. */
  restore: method<{ readonly thread: string; readonly folder: string | null }, RestoreResult>('loom/restore'),
  /**
   * Ends a conflict of a thread. `keep`: who holds the lease keeps it, and the other session's new work stays a branch. `follow`: the
   * other session gets the lease and its branch becomes the current one.
   */
  endConflict: method<{ readonly thread: string; readonly choice: 'keep' | 'follow' }, null>('loom/conflict.end'),
  /** Takes back every agreement to hand threads of this folder to other vendors; answers how many there were. */
  forgetConsents: method<{ readonly folder: string }, number>('loom/consents.forget'),
  /** Takes a snapshot of the worktree that the folder is in now. `baseline`: only if there is none of it yet; answers the newest. */
  snapshotTake: method<{ readonly folder: string; readonly baseline?: boolean }, SnapshotView>('loom/snapshot.take'),
  /** Newest first. null: of every thread, or of every worktree. */
  snapshotList: method<
    { readonly thread: string | null; readonly folder: string | null; readonly limit: number },
    readonly SnapshotView[]
  >('loom/snapshot.list'),
  /** `after` null: the worktree as it is now. */
  snapshotDiff: method<{ readonly before: number; readonly after: number | null }, DiffResult>('loom/snapshot.diff'),
  snapshotContent: method<{ readonly snapshot: number; readonly path: string }, SnapshotContent>('loom/snapshot.content'),
  /** What each turn of the thread did to its files. */
  threadChanges: method<{ readonly thread: string }, ThreadChanges>('loom/changes'),
  snapshotRestore: method<RestoreParams, WorldRestoreResult>('loom/snapshot.restore'),
  /** The three that an agent asks through `loom mcp`. */
  read: method<ReadParams, Told>('loom/read'),
  readList: method<ReadListParams, Told>('loom/read.list'),
  readSearch: method<ReadSearchParams, Told>('loom/read.search'),
  /** Reads everything new now and answers when done. */
  ingest: method<Record<string, never>, IngestReport>('loom/ingest'),
} as const;

/** Also what `loom ingest --json` prints. `bytes`, `records` and `entries` count what was new. */
export interface IngestReport {
  readonly sources: number;
  readonly bytes: number;
  readonly records: number;
  readonly entries: number;
  readonly threads: number;
  readonly opaque: number;
  readonly warnings: readonly { readonly path: string; readonly offset: number; readonly code: string; readonly text: string }[];
  readonly ms: number;
}

/** Server to client: the events of one commit, for one subscription. `seq` counts from 1 without a gap. */
export interface EventsNotification {
  readonly subscription: string;
  readonly seq: number;
  readonly events: readonly ViewEvent[];
}
export const notifications = {
  events: { method: 'loom/events' } as Method<EventsNotification, never>,
  /** The ledger's owner changed: every subscription must be made again. */
  reset: { method: 'loom/reset' } as Method<{ readonly reason: string }, never>,
} as const;

/**
 * What a person sees, as values: built from ledger facts on the server, folded by `applyEvent`, drawn by the client.
 * Wire types only. Text in them comes from transcripts: data, never markup, a path or a command.
 */
import type { HarnessId, Surface } from '../../shuttles/contract/harness.ts';
import type { ActionDetails, PlanItem, Provenance } from '../../shuttles/contract/entry.ts';
import type { Fidelity } from '../../shuttles/contract/read.ts';
import type { Usage } from '../../shuttles/contract/message.ts';

export type ThreadState = 'working' | 'waiting' | 'idle' | 'ended' | 'unknown';

export interface NativeSessionView {
  readonly harness: HarnessId;
  readonly id: string;
  /** Absolute path of the session's newest file; the raw name for display, never to be executed. */
  readonly path: string;
}
/** One row of the list: also what `loom threads --json` prints. */
export interface ThreadView {
  readonly id: string;
  readonly title: string;
  readonly harness: HarnessId;
  readonly surface: Surface;
  /** The folder in which the session began, as its record spells it; '' when unknown. */
  readonly cwd: string;
  /** What folders that are one have in common, however they are spelled; for comparing only. Absent: `cwd` itself. */
  readonly project?: string;
  readonly repo: string | null;
  readonly branch: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Prompts that a person gave. */
  readonly turns: number;
  readonly entries: number;
  readonly live: boolean;
  readonly state: ThreadState;
  /** Who drives it now. */
  readonly driver: { readonly harness: HarnessId; readonly pid: number | null; readonly surface: string | null } | null;
  readonly automation: boolean;
  readonly archived: boolean;
  readonly sourceGone: boolean;
  /** A copy that a harness made of another harness's session (not the person's own work). */
  readonly importedFrom: string | null;
  /** Its files are not read to their end yet: counts and title are those of what was read, `updatedAt` is the files'. Absent: they are. */
  readonly reading?: true;
  /** How much of the session its files tell; absent: everything. */
  readonly fidelity?: Exclude<Fidelity, 'native'>;
  /** The thread this one was forked from, and at which entry. */
  readonly parent: { readonly thread: string; readonly entry: number | null } | null;
  readonly native: readonly NativeSessionView[];
  /** Ids of the conversations of subagents. */
  readonly children: readonly { readonly conversation: number; readonly title: string; readonly nativeId: string }[];
  readonly model: string | null;
  readonly usage: Usage;
  /** Who drives it since a hand-over; null: it never changed hands. `since`: milliseconds since 1970. */
  readonly lease: { readonly epoch: number; readonly holder: HarnessId; readonly since: number } | null;
  /** A session that lost the lease was written to again; `conversation` holds what it wrote. null: none, or ended by the person. */
  readonly conflict: {
    readonly harness: HarnessId;
    readonly nativeId: string;
    readonly conversation: number;
    readonly entries: number;
    readonly since: number;
  } | null;
  /** Harnesses that drove it before and can be gone back to, with the prompts that came since. */
  readonly returns: readonly { readonly harness: HarnessId; readonly turns: number }[];
  /** The newest turn ended at a limit or failed for good, and nobody went on since. */
  readonly stopped: { readonly reason: 'limit' | 'failed'; readonly text: string; readonly resetsAt: number | null } | null;
  /** What its turns did to files, all together, as far as snapshots of them are known; absent: nothing is known. */
  readonly changes?: { readonly files: number; readonly added: number; readonly removed: number };
}

export interface ImportProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}
export interface HarnessStatus {
  readonly harness: HarnessId;
  /** Folders that were looked at, and whether they exist. */
  readonly roots: readonly { readonly path: string; readonly exists: boolean }[];
  readonly installed: string | null;
  readonly canReceive: boolean;
  readonly reason: string | null;
  /** What a thread can become there, best first; empty when it cannot receive. `native` behind `prompt`: only when that is asked for. */
  readonly modes: readonly ('native' | 'prompt')[];
  /** The installed program's own version, once it was asked. */
  readonly version: string | null;
  /** Runs of real programs in which the model was seen to get everything; `version` may be another than the installed one. */
  readonly verified: readonly { readonly from: HarnessId; readonly version: string }[];
  /** What does not arrive as it was, a sentence each. */
  readonly losses: readonly string[];
}
/** A fault that a person can act on; ids are listed in server/protocol/faults.ts. */
export interface FaultView {
  readonly id: string;
  readonly message: string;
  readonly fix: string;
}

/** Subscription `threads`: the sidebar. */
export interface ThreadsView {
  readonly kind: 'threads';
  readonly threads: readonly ThreadView[];
  readonly importing: ImportProgress | null;
  readonly harnesses: readonly HarnessStatus[];
  readonly faults: readonly FaultView[];
  readonly readAt: number;
}

interface EntryCommon {
  /** Engine entry id: rises in transcript order. */
  readonly id: number;
  readonly conversation: number;
  /** Milliseconds since 1970, or null. */
  readonly at: number | null;
  readonly harness: HarnessId;
  readonly provenance: Provenance;
}
/** One drawn row. `clipped`: text was cut for the wire; the whole is had by `timeline/entry`. */
export type EntryView = EntryCommon &
  (
    | {
        readonly kind: 'user';
        readonly origin: 'typed' | 'queued' | 'hook' | 'chat' | 'loom' | 'harness';
        /** How a chat names who wrote it. */
        readonly sender?: string;
        readonly text: string;
        readonly images: readonly ImageView[];
        readonly clipped: boolean;
      }
    | {
        readonly kind: 'assistant';
        readonly messageId: string | null;
        readonly text: string;
        readonly thinking: string;
        readonly model: string | null;
        readonly commentary: boolean;
        readonly failed: boolean;
        readonly calls: readonly CallView[];
        readonly images: readonly ImageView[];
        readonly clipped: boolean;
      }
    | {
        readonly kind: 'tool_result';
        readonly callId: string;
        readonly name: string;
        readonly output: string;
        readonly isError: boolean;
        readonly details: ActionDetails;
        readonly images: readonly ImageView[];
        readonly clipped: boolean;
      }
    | {
        readonly kind: 'step';
        readonly title: string;
        readonly output: string;
        readonly isError: boolean;
        readonly details: ActionDetails;
        readonly clipped: boolean;
      }
    | { readonly kind: 'system'; readonly text: string; readonly clipped: boolean }
    | {
        readonly kind: 'notice';
        readonly level: 'info' | 'warning' | 'error';
        readonly code: string;
        readonly text: string;
        /** When a limit ends, milliseconds since 1970. */
        readonly resetsAt?: number;
      }
    | { readonly kind: 'summary'; readonly text: string; readonly trigger: string | null; readonly clipped: boolean }
    | {
        readonly kind: 'handoff';
        readonly from: HarnessId;
        readonly to: HarnessId;
        readonly mode: string;
        readonly bytes: number;
        readonly masked: number;
        readonly quoted: number;
        readonly text: string;
        readonly clipped: boolean;
      }
    | { readonly kind: 'reset'; readonly reason: string }
    | { readonly kind: 'plan'; readonly items: readonly PlanItem[] }
    | {
        readonly kind: 'turn';
        readonly phase: 'started' | 'completed' | 'interrupted' | 'failed';
        readonly durationMs: number | null;
        readonly error: string | null;
      }
    | { readonly kind: 'setting'; readonly name: string; readonly value: string }
    | { readonly kind: 'snapshot'; readonly ref: string }
    | { readonly kind: 'opaque'; readonly nativeType: string; readonly damaged: boolean; readonly note: string }
  );
export interface ImageView {
  readonly mimeType: string;
  /** base64; absent when larger than 512 KiB on the wire. */
  readonly data?: string;
}
/** One tool call as a folded line. */
export interface CallView {
  readonly id: string;
  readonly name: string;
  /** One line: the command, the file, the pattern. */
  readonly title: string;
  /** Pretty JSON of the arguments, clipped. */
  readonly input: string;
}

/** A branch of the thread: the main line, a rewound or forked one, or a subagent's. */
export interface ConversationView {
  readonly id: number;
  readonly parent: { readonly conversation: number; readonly at: number } | null;
  /** Set for a subagent: the entry whose call started it, if known. */
  readonly owner: { readonly entry: number | null; readonly callId: string | null } | null;
  readonly current: boolean;
  readonly title: string;
  readonly harness: HarnessId;
  /** Its own entries, without what it inherits. */
  readonly entries: number;
  /** Id of its newest own entry; 0: none. */
  readonly last: number;
}

/** Subscription `timeline`: one conversation of one thread. */
export interface TimelineView {
  readonly kind: 'timeline';
  readonly thread: ThreadView;
  readonly conversation: number;
  readonly conversations: readonly ConversationView[];
  /** A contiguous run up to the newest entry, oldest first. */
  readonly entries: readonly EntryView[];
  /** Entries older than `entries[0]` in this conversation's transcript. */
  readonly older: number;
  readonly readAt: number;
}

export type View = ThreadsView | TimelineView;

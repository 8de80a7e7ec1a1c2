/**
 * The read stage: bytes of a native session file to entries. Pure over values, total (never throws, drops nothing)
 * and restartable from its saved state at any record boundary.
 *
 * A reader says *what* a record is and *after which record* it stands; ingest decides in which conversation of the
 * thread that is (see `Place`), so that rewinds, forks and copies of all harnesses are handled by one rule.
 */
import type { ContentByKind, EntryKindName, Trust } from './entry.ts';
import type { Surface } from './harness.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { AssistantBlock, Usage } from './message.ts';

/** One native record, cut out of the source by the kit. Offsets are bytes in the (decompressed) source. */
export type NativeRecord =
  | { readonly ok: true; readonly offset: number; readonly length: number; readonly value: JsonObject }
  /** Bytes that are no JSON object, even after salvage: reported, never lost. `text` is at most 4,096 characters. */
  | { readonly ok: false; readonly offset: number; readonly length: number; readonly text: string; readonly reason: string };

/**
 * Where an entry stands.
 * - `tip`: at the end of the branch this source is writing (linear formats).
 * - `after`: behind the record with that key; a second continuation of one record becomes a fork. `floor`: the key need
 *   not exist, the greatest known key that is <= `key` and starts with `floor` is meant. `key: null`: a new root.
 *   `fork`: the harness itself says that it left what stands behind that record, so that a remark (a turn boundary, a
 *   setting) begins the fork as well as content does.
 * - `with`: at the end of the branch that holds the first known of `keys` (a tool result goes where its call is, a further
 *   block goes where its message is); when none is known, as `after` says.
 */
export type Place =
  | { readonly kind: 'tip' }
  | { readonly kind: 'after'; readonly key: string | null; readonly floor?: string; readonly fork?: true }
  | { readonly kind: 'with'; readonly keys: readonly string[]; readonly after: string | null };

/** A draft is an entry before ingest gives it an id and a conversation. */
export type Draft = {
  readonly [K in EntryKindName]: {
    readonly type: 'entry';
    readonly kind: K;
    readonly content: ContentByKind[K];
    /** Claimed time, milliseconds since 1970. */
    readonly at: number | null;
    readonly trust: Trust;
    readonly place: Place;
    /**
     * Identity of the record over copies of it, in all files (for Claude the uuid). An entry whose first key the ledger
     * already has is not written again: the source's position moves to the known one. The others are aliases by which
     * later records may refer to it (`call:<id>`, `msg:<id>`); aliases are scoped to the native session.
     */
    readonly keys: readonly string[];
    readonly nativeId?: string;
    /** For `summary`: key of the first retained record, or several of which the first known one counts. Becomes `retainFrom`. */
    readonly retainFromKey?: string | readonly string[];
    /**
     * For `notice`: the model is no longer given what these records say, but `content` in the place of the first of them (null:
     * nothing). Ingest turns it into `edits`; keys that it does not know, or that stand in another branch, are passed over.
     */
    readonly edit?: { readonly keys: readonly string[]; readonly content: readonly AssistantBlock[] | null };
    /** Tokens that the record reports beside a model's answer (a compaction's own request): counted for the thread. */
    readonly spent?: Usage;
    /** The harness marked the record as copied from another session. Kept out of counts when it must be stored. */
    readonly inherited?: true;
    readonly offset: number;
    readonly length: number;
  };
}[EntryKindName];

/**
 * How much of the session its files tell, best first: the harness's own records, its whole transcript of them, one with long values
 * cut, only what it made (plans, notes), only that the session exists.
 */
export const fidelities = ['native', 'transcript', 'truncated', 'artifacts', 'listed'] as const;
export type Fidelity = (typeof fidelities)[number];

/** What a reader learnt of the session. Later facts override earlier ones, field by field. */
export interface SessionFacts {
  /** A title that a person gave (wins over all), one that the harness generated, and the first real prompt. */
  readonly customTitle?: string;
  readonly generatedTitle?: string;
  readonly firstPrompt?: string;
  /** The cwd in which the session began, and the newest one. */
  readonly startCwd?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly repo?: string;
  readonly model?: string;
  readonly surface?: Surface;
  readonly programVersion?: string;
  /** Held by no person: SDK runs, scheduled runs. Hidden from the list unless asked for. */
  readonly automation?: boolean;
  readonly archived?: boolean;
  /** Of all files the best counts; absent: `native`. */
  readonly fidelity?: Fidelity;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Native id of the session that this one was forked from, as the harness says. */
  readonly forkedFrom?: string;
  /** This session is a copy that a harness imported from another one's session. */
  readonly importedFrom?: { readonly harness: string; readonly nativeId?: string; readonly path?: string };
}

export type ReadOutput =
  | Draft
  /** A record of the tree that makes no entry; others may stand after it. */
  | { readonly type: 'mark'; readonly keys: readonly string[]; readonly after: string | null }
  /** The harness continues from this record (`exact`), or from the newest leaf below it. null: the newest leaf of all. */
  | { readonly type: 'head'; readonly key: string | null; readonly exact: boolean }
  | { readonly type: 'facts'; readonly facts: SessionFacts }
  /** The call `callId` of this session started the subagent with this native id. */
  | { readonly type: 'child'; readonly nativeId: string; readonly callId?: string; readonly title?: string }
  | { readonly type: 'warning'; readonly offset: number; readonly code: string; readonly text: string };

/** Which native session a source belongs to, told from its path and its first bytes. */
export interface SourceIdentity {
  /** The id that the harness resumes by. For a subagent: the agent's own id. */
  readonly nativeId: string;
  /** This file's own name within the session when a session has several (a Codex segment id); else the nativeId. */
  readonly part: string;
  /** A subagent's file: the session that started it. */
  readonly childOf?: { readonly nativeId: string; readonly callId?: string; readonly title?: string };
  /** Parts (or native ids) whose files must be read before this one makes sense: fork bases, parents. */
  readonly needs: readonly string[];
  /** What only other files tell: `start` takes it up and `read` gives it out. */
  readonly facts?: SessionFacts;
}

export interface Reader<State extends JsonValue = JsonValue> {
  /** Raised whenever the same bytes would give other entries. */
  readonly translator: number;
  /**
   * Parts (`SourceIdentity.part`) that tell one and the same session in different quality, best first. Only the best one that can be
   * read is: a worse one is left alone, and what was read of it is withdrawn when a better one appears. Parts that are not named here
   * stand beside them.
   */
  readonly ranked?: readonly string[];
  /**
   * `head` is the first record of the source and those that follow it within 256 KiB; undefined: this is no session
   * file. Never throws.
   */
  identify(path: string, head: readonly NativeRecord[], sidecars: Sidecars): SourceIdentity | undefined;
  start(identity: SourceIdentity, path: string): State;
  /** Pure: the same state and records give the same result; the state is JSON and bounded (it does not grow with the file). */
  read(state: State, records: readonly NativeRecord[]): { readonly state: State; readonly outputs: readonly ReadOutput[] };
  /** Facts from small files beside the source (desktop lists, title files, name indexes). Called at first sight and on change. */
  sidecarFacts?(identity: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts;
}

/** Small files of the harness beside its sessions, read for the shuttle by ingest. undefined: absent, too big or unreadable. */
export interface Sidecars {
  readonly text: (path: string) => string | undefined;
  readonly list: (folder: string) => readonly string[];
}

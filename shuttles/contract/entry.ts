/**
 * The canonical schema: the content of every entry kind of a thread. Shuttles produce these, the ledger stores
 * them inside engine entries, views and batons are made from them. Widen, never break: stored content is immutable.
 */
import type { HarnessId } from './harness.ts';
import type { JsonObject } from './json.ts';
import type { AssistantBlock, Message, StopReason, Usage, UserBlock } from './message.ts';

/** Who may have written the text. Only `user` text is ever read as intent; `tool`, `web` and `chat` are quoted as data. */
export type Trust = 'user' | 'model' | 'tool' | 'web' | 'chat' | 'loom' | 'harness';

/** Where an entry comes from. The raw line at [offset, offset + length) of the source is the truth. */
export interface Provenance {
  readonly harness: HarnessId;
  /** The ledger's number of the source file; 0 for what Loom itself wrote. */
  readonly source: number;
  /** Bytes from the start of the source (of the decompressed stream for a compressed one). */
  readonly offset: number;
  readonly length: number;
  /** How often the source had been rewritten when the record was read: offsets count in those bytes. Absent: never. */
  readonly generation?: number;
  /** The record's own id (uuid, item id, turn id), if it has one. */
  readonly nativeId?: string;
  /** Version of the shuttle's translation that made this entry. */
  readonly translator: number;
  readonly trust: Trust;
  /** The entry was copied by the harness from another session that the ledger does not have. */
  readonly inherited?: true;
}

/** A prompt. `harness`: text that the harness put into the user role by itself (reminders, expansions, environment). */
export interface UserContent {
  readonly content: readonly UserBlock[];
  readonly origin: 'typed' | 'queued' | 'hook' | 'chat' | 'loom' | 'harness';
  /** How a chat names the person who wrote it: a claim for people to read, never an authority. */
  readonly sender?: string;
}
/**
 * A piece of a model's answer: harnesses write one record for one or several blocks. Neighbouring entries of one
 * conversation with the same `messageId` are one message. `usage` is what this entry *adds* to the message's count, so that
 * a plain sum over entries counts every token once.
 */
export interface AssistantContent {
  readonly content: readonly AssistantBlock[];
  readonly messageId?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly usage?: Usage;
  readonly stopReason?: StopReason;
  /** Text that a person reads as progress, not as the answer (Codex `commentary`). */
  readonly commentary?: true;
}
export interface FileChange {
  readonly path: string;
  readonly change: 'add' | 'update' | 'delete' | 'move';
  readonly movedTo?: string;
  readonly added: number;
  readonly removed: number;
  /** Unified diff hunks (from the first @@ on), when the harness recorded enough to have one. */
  readonly diff?: string;
}
/** Facts about an action, normalised over harnesses. Times in milliseconds. */
export interface ActionDetails {
  readonly action?:
    'command' | 'edit' | 'read' | 'search' | 'fetch' | 'webSearch' | 'mcp' | 'question' | 'agent' | 'plan' | 'image' | 'other';
  readonly status?: 'completed' | 'failed' | 'denied' | 'interrupted';
  readonly command?: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly files?: readonly FileChange[];
  readonly url?: string;
  readonly server?: string;
  /** The native session id of the subagent that the call started. */
  readonly agent?: string;
  readonly questions?: readonly { readonly question: string; readonly answer?: string }[];
  /** The harness kept the whole output elsewhere; what the model saw is shorter. */
  readonly truncated?: true;
  readonly decision?: { readonly allowed: boolean; readonly by?: string };
  /** Anything else that is worth keeping, as the harness wrote it. */
  readonly extra?: JsonObject;
}
export interface ToolResultContent {
  readonly toolCallId: string;
  readonly toolName?: string;
  readonly content: readonly UserBlock[];
  readonly isError: boolean;
  readonly details?: ActionDetails;
}
/** An action that the harness reports beside the model's log (code mode, a person's own `!command`, late results). */
export interface StepContent {
  readonly stepId?: string;
  readonly title: string;
  readonly output?: string;
  readonly isError: boolean;
  readonly details: ActionDetails;
}
export interface SystemContent {
  readonly text: string;
  readonly tools?: readonly string[];
}
export interface NoticeContent {
  readonly level: 'info' | 'warning' | 'error';
  readonly code: 'apiError' | 'limit' | 'commandOutput' | 'hook' | 'interrupted' | 'review' | 'queued' | 'imported' | 'info';
  readonly text: string;
  /** When a limit ends, in milliseconds since 1970, where the harness or its words say so. */
  readonly resetsAt?: number;
  /** The harness changed what its model is given of earlier entries; they themselves stay as they are. */
  readonly edits?: readonly EntryEdit[];
}
/** What the model is given in the place of the entry `target`; nothing when `messages` is empty. */
export interface EntryEdit {
  readonly target: number;
  readonly messages: readonly Message[];
}
/**
 * A context head: a native compaction. The model continues from `messages` when the harness recorded them, else from `text`,
 * followed by what is retained. `retainFrom` is the id of the first retained entry; absent: nothing earlier is retained.
 */
export interface SummaryContent {
  readonly text: string;
  readonly messages?: readonly Message[];
  readonly trigger?: 'manual' | 'auto';
  readonly tokensBefore?: number;
  readonly retainFrom?: number;
}
/** A context head: Loom carried the thread to another harness. `text` is the baton as the target got it. */
export interface HandoffContent {
  readonly text: string;
  readonly from: HarnessId;
  readonly to: HarnessId;
  readonly mode: 'native' | 'return' | 'prompt';
  /** Of a `prompt`: '', since the harness names the session itself. */
  readonly nativeId: string;
  readonly bytes: number;
  readonly masked: number;
  readonly quoted: number;
  readonly retainFrom?: number;
  /** A person changed the baton before it went. */
  readonly edited?: true;
  /** What the context's earlier head gave the model (an older compaction's summary), which this head replaces. */
  readonly carried?: readonly Message[];
}
export interface ResetContent {
  readonly reason: string;
}
export interface PlanItem {
  readonly text: string;
  readonly status: 'pending' | 'inProgress' | 'completed';
}
export interface PlanContent {
  readonly items: readonly PlanItem[];
}
export interface TurnContent {
  readonly phase: 'started' | 'completed' | 'interrupted' | 'failed';
  readonly turnId?: string;
  readonly durationMs?: number;
  readonly error?: string;
}
export interface SettingContent {
  readonly name: 'model' | 'mode' | 'permission' | 'thinking' | 'cwd' | 'title';
  readonly value: string;
}
export interface SnapshotContent {
  readonly ref: string;
}
/** A record that the shuttle does not understand. Its bytes are found through the provenance. */
export interface OpaqueContent {
  readonly nativeType: string;
  readonly damaged?: true;
  readonly note?: string;
}

export interface ContentByKind {
  readonly user: UserContent;
  readonly assistant: AssistantContent;
  readonly tool_result: ToolResultContent;
  readonly step: StepContent;
  readonly system: SystemContent;
  readonly notice: NoticeContent;
  readonly summary: SummaryContent;
  readonly handoff: HandoffContent;
  readonly reset: ResetContent;
  readonly plan: PlanContent;
  readonly turn: TurnContent;
  readonly setting: SettingContent;
  readonly snapshot: SnapshotContent;
  readonly opaque: OpaqueContent;
}
export type EntryKindName = keyof ContentByKind;

/** What the ledger stores as an engine entry's content: the kind's own content, its time and where it came from. */
export type Stored<K extends EntryKindName> = ContentByKind[K] & {
  /** Claimed time of the record in milliseconds since 1970, or null where it has none. */
  readonly at: number | null;
  readonly provenance: Provenance;
};

/** A stored entry as read-side code meets it: id, conversation and a closed union over `kind`. */
export type LedgerEntry = {
  readonly [K in EntryKindName]: {
    readonly id: number;
    readonly conversationId: number;
    readonly kind: K;
    readonly content: Stored<K>;
  };
}[EntryKindName];

/**
 * What reading makes of one stretch of a source, ready to be placed and committed. Made in this thread or in another one
 * (reading-thread.ts): plain values, and nothing in it needs the ledger.
 */
import type { ContentByKind } from '../../shuttles/contract/entry.ts';
import type { Usage } from '../../shuttles/contract/message.ts';
import type { Draft, ReadOutput } from '../../shuttles/contract/read.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import type { Refusal } from '../../shuttles/kit/opening.ts';
import type { SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Searchable } from '../ledger/searchable.ts';
import type { StoredContent } from './stored-content.ts';

export interface TranslatedBatch {
  /** Positions: the cursor before it and behind it. */
  readonly from: number;
  readonly offset: number;
  readonly records: number;
  /** The reader's state at `offset`, as JSON. */
  readonly state: string;
  readonly outputs: readonly BatchOutput[];
  /** Of the outputs that are entries, in their order: what is stored of each, and what search finds of it. */
  readonly stored: readonly StoredContent[];
  readonly found: readonly (Searchable | null)[];
  readonly packs: readonly PreparedPack[];
  readonly natives: readonly NativeBytes[];
  /** Nothing comes behind it in this reading; then `more` tells whether the source has more. */
  readonly last: boolean;
  readonly more: boolean;
  /** Why reading ended early. */
  readonly failure: string | undefined;
  /** Gives its memory back at once, instead of when garbage is collected: then nothing of it is to be looked at any more. */
  readonly free?: () => void;
}

/** A draft without its content, of which it tells what placing and counting need. */
export type OutlinedDraft = Omit<DraftHead, 'content'> & {
  readonly usage?: Usage;
  readonly origin?: ContentByKind['user']['origin'];
  readonly phase?: ContentByKind['turn']['phase'];
  readonly toolCallId?: string;
};
type DraftHead = { readonly [K in keyof Draft]: Draft[K] };
export type BatchOutput = OutlinedDraft | Exclude<ReadOutput, Draft>;

export function outlined(output: ReadOutput): BatchOutput {
  if (output.type !== 'entry') return output;
  const { type, kind, at, trust, place, keys, offset, length } = output;
  const draft: { -readonly [K in keyof OutlinedDraft]: OutlinedDraft[K] } = {
    type,
    kind,
    at,
    trust,
    place,
    keys,
    offset,
    length,
  };
  if (output.nativeId !== undefined) draft.nativeId = output.nativeId;
  if (output.retainFromKey !== undefined) draft.retainFromKey = output.retainFromKey;
  if (output.edit !== undefined) draft.edit = output.edit;
  if (output.spent !== undefined) draft.spent = output.spent;
  if (output.inherited === true) draft.inherited = true;
  if (output.kind === 'assistant' && output.content.usage !== undefined) draft.usage = output.content.usage;
  if (output.kind === 'user') draft.origin = output.content.origin;
  if (output.kind === 'turn') draft.phase = output.content.phase;
  if (output.kind === 'tool_result') draft.toolCallId = output.content.toolCallId;
  return draft;
}

/** The contents of consecutive entries of the batch, compressed: see `EntryPack`. */
export interface PreparedPack {
  /** Of the entries of the batch. */
  readonly first: number;
  readonly count: number;
  readonly codec: number;
  readonly size: number;
  readonly contents: Uint8Array;
}

/** A stretch of the source's own bytes, compressed for the archive. */
export interface NativeBytes {
  readonly start: number;
  readonly length: number;
  readonly codec: number;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
}

export interface TranslationRequest {
  readonly path: string;
  readonly root: string;
  readonly harness: string;
  /** Number of its row. */
  readonly source: number;
  /** The cursor: position, what the source began with then, and the reader's state as JSON. */
  readonly offset: number;
  readonly fingerprint: string;
  readonly state: string;
  /** How often the source was found rewritten before. */
  readonly generation: number;
  /** Whose session it is, when that is known; it is used unless the source was rewritten. */
  readonly identity: SourceIdentity | undefined;
  /** No new batch begins once so many positions, or so many bytes of a file, were read. */
  readonly limit: number;
  /**
   * Of a source that is new: one batch through its first prompt, read in pieces of `limit` bytes; no batch when it has no prompt within its
   * first 256 KB.
   */
  readonly head: boolean;
  /** Contents are compressed for packs: for bulk work. */
  readonly packs: boolean;
  /** Native bytes are given out. */
  readonly archive: boolean;
}

export interface OpenedSource extends FileFacts {
  readonly fingerprint: string;
  /** It is read from its beginning: for the first time, or because it is no longer what was read. */
  readonly fresh: boolean;
  /** Offsets count in the bytes of this one; one more than before when it was rewritten. */
  readonly generation: number;
  /** Its bytes are not those that records are cut from: they are archived as a whole. */
  readonly compressed: boolean;
  /** undefined: nothing in it says that it is a session. */
  readonly identity: SourceIdentity | undefined;
  /** What the shuttle threw when it was asked whose session it is. */
  readonly failed?: string;
}
export type Opening = { readonly ok: true; readonly source: OpenedSource } | { readonly ok: false; readonly refusal: Refusal };

/** Does its content name other entries, so that only placing it can tell what is stored? */
export function refers(draft: Pick<Draft, 'retainFromKey' | 'edit'>): boolean {
  return draft.retainFromKey !== undefined || draft.edit !== undefined;
}

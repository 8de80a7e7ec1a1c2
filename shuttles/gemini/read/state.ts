/**
 * What the reader remembers between records. JSON and bounded: lists have limits, texts are kept as short hashes. Type aliases, not
 * interfaces: only those count as JSON values for TypeScript.
 */
import { hash as digest } from 'node:crypto';
import type { SessionFacts, SourceIdentity } from '../../contract/read.ts';
import { copiedState } from '../../kit/copied-state.ts';

/** What has been given out of a message, since its record may come again with more in it. */
export type Given = {
  id: string;
  /** Hashes of the keys of its pieces. */
  pieces: string[];
  /** Hash of its text; '' while it has none. */
  text: string;
  hasThoughts: boolean;
  hasUsage: boolean;
  /** Distinguishes the keys of a message whose text was changed. */
  variant: string;
};
export type Facts = { -readonly [K in keyof SessionFacts]: SessionFacts[K] };

export type State = {
  id: string;
  /** How the keys of this session begin. */
  scope: string;
  /** Facts that were learnt beside the file and wait to be given out. */
  told: Facts | null;
  /** Key of what the next message stands behind; null: of nothing yet. */
  tail: string | null;
  /** Offset of the record that last replaced the whole history. */
  epoch: number;
  recent: Given[];
  /** Hashes of message ids. */
  seen: string[];
  /** Hashes of the ids of calls whose results have been given. */
  results: string[];
  /** Of the newest answer. */
  model: string | null;
  typed: boolean;
  facts: Facts;
};

const limits = { recent: 16, seen: 2000, results: 1000 } as const;
const mostPieces = 256;

export function startState(identity: SourceIdentity): State {
  return {
    id: identity.nativeId,
    scope: `gemini:${identity.nativeId}`,
    told: { surface: 'cli', ...identity.facts },
    tail: null,
    epoch: 0,
    recent: [],
    seen: [],
    results: [],
    model: null,
    typed: false,
    facts: {},
  };
}

/** A copy that may be changed while a batch is read; the given state stays as it was. */
export function draftOf(state: State): State {
  return { ...copiedState(state), model: state.model ?? null };
}

export function rememberMessage(state: State, given: Given): void {
  state.recent.push(given);
  if (state.recent.length > limits.recent) state.recent.shift();
  state.seen.push(hash(given.id));
  if (state.seen.length > limits.seen) state.seen.shift();
}

/** `key`: hash of its key. */
export function rememberPiece(given: Given, key: string): void {
  given.pieces.push(key);
  if (given.pieces.length > mostPieces) given.pieces.shift();
}

/** False: it was given before. */
export function rememberResult(state: State, callId: string): boolean {
  const call = hash(callId);
  if (state.results.includes(call)) return false;
  state.results.push(call);
  if (state.results.length > limits.results) state.results.shift();
  return true;
}

export function hash(text: string): string {
  return digest('sha256', text, 'base64url').slice(0, 12);
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).toWellFormed();
}

/**
 * What the reader remembers between records. JSON and bounded: lists have limits and texts in them are cut. Type aliases, not
 * interfaces: only those count as JSON values for TypeScript.
 */
import { hash as digest } from 'node:crypto';
import type { Fidelity, SessionFacts, SourceIdentity } from '../../contract/read.ts';
import { copiedState } from '../../kit/copied-state.ts';
import { placeOf, type FileKind } from '../places.ts';

/** A call whose result has not come. Transcripts give neither an id. */
export type OpenCall = { id: string; name: string; args: string };
export type Facts = { -readonly [K in keyof SessionFacts]: SessionFacts[K] };

export type State = {
  id: string;
  kind: FileKind | 'other';
  /** An artifact's file name. */
  name: string;
  /** How the keys of this file's records begin. */
  scope: string;
  told: Facts | null;
  tail: string | null;
  calls: OpenCall[];
  /** Of the newest answer that named one. */
  model: string | null;
  typed: boolean;
  facts: Facts;
};

const mostCalls = 64;
/** Arguments are only kept for the facts in them. */
const longestArguments = 20_000;

export function fidelityOf(part: string): Fidelity {
  if (part === 'transcript' || part === 'truncated' || part === 'listed') return part;
  return part.startsWith('artifact') ? 'artifacts' : 'native';
}

export function startState(identity: SourceIdentity, path: string): State {
  const place = placeOf(path);
  const isIndex = place?.kind === 'index';
  return {
    id: identity.nativeId,
    kind: place?.kind ?? 'other',
    name: place?.name ?? '',
    scope: `agy:${identity.nativeId}/${identity.part}`,
    told: {
      surface: place?.surface.surface ?? 'unknown',
      ...(isIndex ? {} : { fidelity: fidelityOf(identity.part) }),
      ...identity.facts,
    },
    tail: null,
    calls: [],
    model: null,
    typed: false,
    facts: {},
  };
}

/** A copy that may be changed while a batch is read; the given state stays as it was. */
export function draftOf(state: State): State {
  return { ...copiedState(state), model: state.model ?? null };
}

export function openCall(state: State, id: string, name: string, args: string): void {
  state.calls.push({ id: cut(id, 200), name: cut(name, 200), args: args.length > longestArguments ? '' : args });
  while (state.calls.length > mostCalls) state.calls.shift();
  // All together stay bounded too.
  while (state.calls.reduce((sum, call) => sum + call.args.length, 0) > 4 * longestArguments) {
    const longest = state.calls.find((call) => call.args !== '');
    if (longest === undefined) break;
    longest.args = '';
  }
}

export function hash(text: string): string {
  return digest('sha256', text, 'base64url').slice(0, 12);
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).toWellFormed();
}

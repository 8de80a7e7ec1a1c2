/**
 * What the reader remembers between records. It is JSON and bounded: every list has a limit and every text in it is cut, so that it
 * does not grow with the file. Type aliases, not interfaces: only those count as JSON values for TypeScript.
 */
import type { PlanItem } from '../../contract/entry.ts';
import type { JsonValue } from '../../contract/json.ts';
import type { SessionFacts, SourceIdentity } from '../../contract/read.ts';
import { copiedState } from '../../kit/copied-state.ts';
import { isOmpPath } from '../folders.ts';
import { sessionFile } from '../session-name.ts';

/** What is kept of a call until its result comes. */
export type OpenCall = {
  id: string;
  name: string;
  command?: string;
  path?: string;
  url?: string;
  /** Lines that are to be written. */
  lines?: number;
  questions?: string[];
  /** The to-do list that is to be written; only the newest call keeps one. */
  plan?: { text: string; status: PlanItem['status'] }[];
  /** The program ended while it ran. */
  interrupted?: true;
};
export type Facts = { -readonly [K in keyof SessionFacts]: SessionFacts[K] };

export type State = {
  id: string;
  /** How names of this file's records begin: ids are unique only within one file. */
  scope: string;
  /** Records so far, the header included: the first versions refer to records by this number. */
  count: number;
  /** Facts that were learnt beside the file and wait to be given out. */
  told: Facts | null;
  /** The newest record of the tree. `key` null: it stands at the root and made no entry. */
  last: { id: string; key: string | null } | null;
  /** Ids of records at the root that made no entry. */
  roots: string[];
  /** When this file was forked off: what it holds from before is a copy. */
  forkedAt: number | null;
  hasHeader: boolean;
  /** The newest records that have no id of their own, by what they say, and how often each was said. */
  said: { hash: string; times: number }[];
  calls: OpenCall[];
  model: string | null;
  thinking: string | null;
  mode: string | null;
  typed: boolean;
  facts: Facts;
};

const limits = { roots: 32, said: 64, calls: 128 } as const;

export function startState(identity: SourceIdentity, path: string): State {
  const { stem } = sessionFile(path);
  return {
    id: identity.nativeId,
    // Two files that claim the same id (a copy made by hand) have records of their own.
    scope: stem.endsWith(identity.nativeId) ? identity.nativeId : `${identity.nativeId}+${cut(stem, 120)}`,
    count: 0,
    told: { ...identity.facts, ...(isOmpPath(path) ? { programVersion: 'omp' } : {}) },
    last: null,
    roots: [],
    forkedAt: null,
    hasHeader: false,
    said: [],
    calls: [],
    model: null,
    thinking: null,
    mode: null,
    typed: false,
    facts: {},
  };
}

/** A copy that may be changed while a batch is read; the given state stays as it was. */
export function draftOf(state: State): State {
  return copiedState(state);
}

/** Pushes, and lets the oldest go when there are too many. */
export function remember<K extends keyof typeof limits>(state: State, list: K, item: State[K][number]): void {
  const items: JsonValue[] = state[list];
  items.push(item);
  if (items.length > limits[list]) items.shift();
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).toWellFormed();
}

/**
 * What the reader remembers between records. All of it is JSON, and all of it is bounded: lists are windows over the newest
 * elements (`remember`), texts are cut. Nothing here grows with the file.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { SourceIdentity } from '../../contract/read.ts';

/** The same type without interfaces, so that it counts as JSON. */
export type Plain<T> = T extends readonly (infer E)[]
  ? readonly Plain<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Plain<T[K]> }
    : T;

export type KeyState = {
  /** Highest ordinal so far. */
  ordinal: number;
  chain: string;
  /** Records beside the chain since its last link. */
  beside: string[];
  /** Thread whose records are being chained, and all those whose header has been met. */
  seed: string;
  seeds: string[];
  /** Turns and compactions at which the chain was started anew. */
  anchors: string[];
};

/** The copied head of a fork: `until` is the first own ordinal, or the time of the fork for rollouts without ordinals. */
export type Copied =
  { readonly by: 'ordinal'; readonly until: number } | { readonly by: 'time'; readonly until: number; readonly turnIds: boolean };

/** A message of which Codex writes two forms: for the model and for its UI. The first becomes the entry, the second is folded. */
export type Echo = {
  readonly role: 'user' | 'assistant' | 'reasoning' | 'search';
  readonly form: 'model' | 'ui';
  readonly id: string | null;
  readonly hash: string;
  readonly head: string;
  /** Number of entries written up to and with this one. */
  readonly entries: number;
};

export type Call = {
  readonly id: string;
  readonly name: string;
  readonly done: boolean;
  readonly details: Plain<ActionDetails>;
  readonly questionIds?: readonly string[];
};

/** What the UI log tells about an action, waiting for the result that the model is given. */
export type ActionFact = {
  readonly id: string;
  readonly title: string;
  readonly output?: string;
  readonly isError: boolean;
  readonly details: Plain<ActionDetails>;
};

export type Tokens = { input: number; cached: number; cacheWrite: number; output: number; reasoning: number };

export type SettingName = 'model' | 'mode' | 'permission' | 'thinking' | 'cwd';

export type CodexState = {
  readonly thread: string;
  readonly part: string;
  readonly child: boolean;
  keys: KeyState;
  /** The next entry does not stand at the tip but after this key. */
  jump: { readonly key: string | null; readonly floor: string | null } | null;
  /** The file continues its thread from here: say so with the first entry. */
  segment: boolean;
  metas: number;
  copied: Copied | null;
  turn: string | null;
  /** The newest turn has not ended. */
  running: boolean;
  importing: boolean;
  entries: number;
  lastKey: string | null;
  message: string | null;
  echoes: Echo[];
  calls: Call[];
  facts: ActionFact[];
  usage: { records: boolean; forked: boolean; total: Tokens | null; responses: string[] };
  settings: Partial<Record<SettingName, string>>;
  provider: string | null;
  plan: string | null;
  /** The error that was said last in this turn. */
  trouble: string | null;
  /** A limit is reached now, and when it ends. */
  limit: { readonly resetsAt: number | null } | null;
  prompted: boolean;
  promptedTurn: boolean;
  compacted: boolean;
  /** For each of the newest turns with a prompt: the key after which it began. */
  turnBases: (string | null)[];
  turnBase: string | null;
  shown: Record<string, string>;
};

export function startState(identity: SourceIdentity): CodexState {
  return {
    thread: identity.nativeId,
    part: identity.part,
    child: identity.childOf !== undefined,
    keys: { ordinal: -1, chain: '', beside: [], seed: identity.nativeId, seeds: [], anchors: [] },
    jump: null,
    segment: identity.part !== identity.nativeId,
    metas: 0,
    copied: null,
    turn: null,
    running: false,
    importing: false,
    entries: 0,
    lastKey: null,
    message: null,
    echoes: [],
    calls: [],
    facts: [],
    usage: { records: false, forked: false, total: null, responses: [] },
    settings: {},
    provider: null,
    plan: null,
    trouble: null,
    limit: null,
    prompted: false,
    promptedTurn: false,
    compacted: false,
    turnBases: [],
    turnBase: null,
    shown: {},
  };
}

/** Does a record that names a thread name another one than is read? */
export function isForeign(state: CodexState, thread: string | undefined): boolean {
  return thread !== undefined && thread.toLowerCase() !== state.thread;
}

/** Adds to the end of a window that keeps the newest `limit` elements. */
export function remember<T>(window: T[], element: T, limit: number): void {
  window.push(element);
  if (window.length > limit) window.splice(0, window.length - limit);
}

export function cut(text: string, limit: number): string {
  return text.length > limit ? text.slice(0, limit) : text;
}

/**
 * What the fold keeps of a conversation: JSON, bounded whatever the conversation's length, masked. It can be kept beside a
 * thread and grown entry by entry, so that a baton is ready when a program dies without a word.
 */
import type { FileChange, PlanItem, Trust } from '../../shuttles/contract/entry.ts';
import type { DecisionStatement, FailedStatement } from './baton.ts';

/** A remembered piece of text. `score` says which ones to keep when there are too many. */
export interface Note {
  readonly text: string;
  readonly entries: readonly number[];
  readonly trust: Trust;
  readonly score: number;
}
export interface DecisionNote extends Note {
  readonly about: DecisionStatement['about'];
}
/** Asked and, as far as words tell, not answered. `score` 2: says that it waits for an answer; 1: only has the form of a question. */
export interface QuestionNote extends Note {
  readonly by: 'agent' | 'person';
  /** Prompts that came since. */
  readonly age: number;
}
/** A command that was left running behind the talk. */
export interface ProcessNote {
  /** The harness's name for it; '' for none. */
  readonly id: string;
  readonly command: string;
  readonly pid: number | null;
  readonly port: number | null;
  /** Milliseconds since 1970. */
  readonly at: number | null;
  readonly entry: number;
}
export interface FailureNote extends Note {
  readonly kind: FailedStatement['kind'];
  /** The line of the output that says why; '' for none. */
  readonly line: string;
  /** Equal for the same thing failing in the same way. */
  readonly same: string;
  /** The command, normalised, by which a later success is recognised; '' for none. */
  readonly command: string;
  readonly times: number;
  readonly resolved: boolean;
  /** The entry of the success that resolved it; 0 for none. */
  readonly resolvedBy: number;
}
export interface FileNote {
  readonly path: string;
  readonly change: FileChange['change'];
  readonly movedTo: string;
  readonly added: number;
  readonly removed: number;
  readonly entries: readonly number[];
}
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly command: string;
  /** Path of a file that the call would change, for results without facts. */
  readonly path: string;
  /** Of an edit's arguments, for results that come without a diff. */
  readonly sides: readonly EditSides[];
  readonly entry: number;
  /** Prompts that came since: a call that old will get no result. */
  readonly age: number;
}
export interface CheckNote {
  readonly command: string;
  /** The line of the output that tells the result. */
  readonly line: string;
  readonly outcome: 'passed' | 'failed' | 'interrupted';
  readonly exitCode: number | null;
  readonly at: number | null;
  readonly entry: number;
}
export interface RecentPiece {
  readonly who: 'person' | 'agent' | 'tool';
  readonly text: string;
  readonly source: string;
  readonly trust: Trust;
  readonly entry: number;
  readonly messageId: string;
}
/** What an edit replaced by what, as hashes: a later edit that swaps them took it back. */
export interface EditSides {
  readonly from: string;
  readonly to: string;
}
export interface EditPair extends EditSides {
  readonly path: string;
  readonly entry: number;
}

/**
 * To be raised when the fold, its words or the rules of masking change what state comes of the same entries: states that were kept
 * by another version are made anew. A test compares what comes of planted sessions (test/baton/state-digest.test.ts).
 */
export const stateVersion = 4;

export interface BatonState {
  readonly entries: number;
  readonly firstEntry: number;
  readonly lastEntry: number;
  readonly prompts: number;
  readonly answers: number;
  readonly actions: number;
  readonly cwd: string;
  readonly goal: Note | null;
  /** The newest ask of substance, and the follow-ups since it. */
  readonly ask: Note | null;
  readonly constraints: readonly Note[];
  readonly plan: { readonly items: readonly PlanItem[]; readonly entry: number } | null;
  readonly approvedPlan: Note | null;
  readonly next: readonly Note[];
  readonly decisions: readonly DecisionNote[];
  readonly questions: readonly QuestionNote[];
  readonly failures: readonly FailureNote[];
  readonly files: readonly FileNote[];
  readonly filesForgotten: number;
  readonly open: readonly OpenCall[];
  readonly processes: readonly ProcessNote[];
  readonly checks: { readonly test: CheckNote | null; readonly build: CheckNote | null };
  readonly recent: readonly RecentPiece[];
  readonly edits: readonly EditPair[];
  readonly summary: Note | null;
  readonly handoffs: readonly Note[];
}

/** The bounds. Characters for texts, pieces for lists. */
export const limits = {
  goal: 6000,
  note: 400,
  constraints: 40,
  decisions: 40,
  questions: 16,
  processes: 12,
  failures: 60,
  files: 200,
  open: 64,
  planItems: 60,
  planText: 240,
  next: 4,
  recent: 36,
  recentText: 2400,
  toolText: 900,
  edits: 200,
  summary: 6000,
  handoffs: 8,
  /** Of one text, so much from its beginning and so much from its end is looked at. */
  window: 24_576,
} as const;

export const emptyState: BatonState = {
  entries: 0,
  firstEntry: 0,
  lastEntry: 0,
  prompts: 0,
  answers: 0,
  actions: 0,
  cwd: '',
  goal: null,
  ask: null,
  constraints: [],
  plan: null,
  approvedPlan: null,
  next: [],
  decisions: [],
  questions: [],
  failures: [],
  files: [],
  filesForgotten: 0,
  open: [],
  processes: [],
  checks: { test: null, build: null },
  recent: [],
  edits: [],
  summary: null,
  handoffs: [],
};

/** Adds notes; the same text again only adds its evidence; over `limit` the oldest of the lowest score goes. */
export function withNotes<T extends Note>(notes: readonly T[], fresh: readonly T[], limit: number): readonly T[] {
  let out = notes;
  for (const note of fresh) {
    const key = noteKey(note);
    const known = out.findIndex((other) => noteKey(other) === key);
    if (known >= 0) {
      const before = out[known]!;
      const merged = { ...before, entries: evidence(before.entries, note.entries), score: Math.max(before.score, note.score) };
      out = out.map((other, index) => (index === known ? merged : other));
    } else out = [...out, note];
    if (out.length > limit) out = withoutWeakest(out);
  }
  return out;
}
const keyOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
/** Of notes that are there already: they are asked for with each new one. */
const keys = new WeakMap<Note, string>();
function noteKey(note: Note): string {
  const known = keys.get(note);
  if (known !== undefined) return known;
  const key = keyOf(note.text);
  keys.set(note, key);
  return key;
}

export function withoutWeakest<T extends { readonly score: number }>(notes: readonly T[]): readonly T[] {
  let weakest = 0;
  for (let index = 1; index < notes.length; index++) if (notes[index]!.score < notes[weakest]!.score) weakest = index;
  return notes.filter((_, index) => index !== weakest);
}

/** The first two and the newest four entries that say the same. */
export function evidence(known: readonly number[], fresh: readonly number[]): readonly number[] {
  const all = [...known, ...fresh.filter((id) => !known.includes(id))];
  return all.length <= 6 ? all : [...all.slice(0, 2), ...all.slice(-4)];
}

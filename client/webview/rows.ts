/**
 * The rows of a timeline: what is drawn as one thing. An entry makes none, one or several rows; several entries may make
 * one (blocks of one message, a call and its result, a run of small marks).
 */
import type { CallView, EntryView } from '../../server/protocol/views.ts';

export type EntryOf<Kind extends EntryView['kind']> = Extract<EntryView, { readonly kind: Kind }>;

interface RowCommon {
  /** Stays while the row stays, and is unique. */
  readonly key: string;
  /** The entries it is made of, oldest first; the first one names the row's place in the transcript. */
  readonly entries: readonly EntryView[];
}
export interface PromptRow extends RowCommon {
  readonly kind: 'prompt';
  readonly entries: readonly [EntryOf<'user'>];
}
export interface AnswerRow extends RowCommon {
  readonly kind: 'answer';
  readonly entries: readonly [EntryOf<'assistant'>, ...EntryOf<'assistant'>[]];
}
export interface ThinkingRow extends RowCommon {
  readonly kind: 'thinking';
  readonly entries: readonly [EntryOf<'assistant'>, ...EntryOf<'assistant'>[]];
}
/** A tool call, its result, or both; or a step that the harness reported beside the model's log. */
export interface ToolRow extends RowCommon {
  readonly kind: 'tool';
  readonly callId: string;
  readonly call: CallView | null;
  readonly result: EntryOf<'tool_result'> | EntryOf<'step'> | null;
}
/** Text that belongs to no speaker: system prompts, what a harness put into the user's role, a baton. */
export interface AsideRow extends RowCommon {
  readonly kind: 'aside';
  readonly entries: readonly [EntryOf<'user'> | EntryOf<'system'>];
}
export interface NoticeRow extends RowCommon {
  readonly kind: 'notice';
  readonly entries: readonly [EntryOf<'notice'>];
}
/** Where the context begins anew: compaction, hand-over, reset. */
export interface DividerRow extends RowCommon {
  readonly kind: 'divider';
  readonly entries: readonly [EntryOf<'summary'> | EntryOf<'handoff'> | EntryOf<'reset'>];
}
export interface PlanRow extends RowCommon {
  readonly kind: 'plan';
  readonly entries: readonly [EntryOf<'plan'>];
}
export interface TurnRow extends RowCommon {
  readonly kind: 'turn';
  readonly entries: readonly [EntryOf<'turn'>];
}
export type MarkEntry = EntryOf<'setting'> | EntryOf<'snapshot'> | EntryOf<'opaque'>;
/** A run of small marks, drawn as one tiny line. */
export interface MarksRow extends RowCommon {
  readonly kind: 'marks';
  readonly entries: readonly [MarkEntry, ...MarkEntry[]];
}
export type Row =
  PromptRow | AnswerRow | ThinkingRow | ToolRow | AsideRow | NoticeRow | DividerRow | PlanRow | TurnRow | MarksRow;

/** The rows that one entry makes by itself, before it is joined with its neighbours. */
export function rowsOf(entry: EntryView): readonly Row[] {
  switch (entry.kind) {
    case 'user':
      return entry.origin === 'harness' || entry.origin === 'loom' || entry.origin === 'hook'
        ? [{ kind: 'aside', key: `a${entry.id}`, entries: [entry] }]
        : [{ kind: 'prompt', key: `p${entry.id}`, entries: [entry] }];
    case 'assistant':
      return assistantRows(entry);
    case 'tool_result':
      if (planTools.has(entry.name) && !entry.isError) return [];
      return [{ kind: 'tool', key: `r${entry.id}`, entries: [entry], callId: entry.callId, call: null, result: entry }];
    case 'step':
      return [{ kind: 'tool', key: `s${entry.id}`, entries: [entry], callId: '', call: null, result: entry }];
    case 'system':
      return [{ kind: 'aside', key: `a${entry.id}`, entries: [entry] }];
    case 'notice':
      return [{ kind: 'notice', key: `n${entry.id}`, entries: [entry] }];
    case 'summary':
    case 'handoff':
    case 'reset':
      return [{ kind: 'divider', key: `d${entry.id}`, entries: [entry] }];
    case 'plan':
      return [{ kind: 'plan', key: `l${entry.id}`, entries: [entry] }];
    case 'turn':
      return entry.phase === 'started' ? [] : [{ kind: 'turn', key: `u${entry.id}`, entries: [entry] }];
    case 'setting':
    case 'snapshot':
    case 'opaque':
      return [{ kind: 'marks', key: `m${entry.id}`, entries: [entry] }];
    default:
      return unknownRows(entry);
  }
}

/** What these do is a plan row of its own; only their failures are drawn as calls. */
const planTools: ReadonlySet<string> = new Set(['TodoWrite', 'update_plan', 'write_todos']);

function assistantRows(entry: EntryOf<'assistant'>): readonly Row[] {
  const rows: Row[] = [];
  if (entry.thinking.trim() !== '') rows.push({ kind: 'thinking', key: `t${entry.id}`, entries: [entry] });
  const silent = entry.text.trim() === '' && entry.images.length === 0;
  if (!silent || entry.failed) rows.push({ kind: 'answer', key: `w${entry.id}`, entries: [entry] });
  entry.calls.forEach((call, index) => {
    if (planTools.has(call.name)) return;
    rows.push({ kind: 'tool', key: `c${entry.id}.${index}`, entries: [entry], callId: call.id, call, result: null });
  });
  return rows;
}

/** A server newer than this page may send kinds that it does not know: they keep their place. */
function unknownRows(entry: never): readonly Row[] {
  const { id, conversation, at, harness, provenance, kind } = entry as EntryView;
  const opaque: EntryOf<'opaque'> = {
    id,
    conversation,
    at,
    harness,
    provenance,
    kind: 'opaque',
    nativeType: kind,
    damaged: false,
    note: '',
  };
  return [{ kind: 'marks', key: `m${id}`, entries: [opaque] }];
}

/**
 * Joins two neighbours into one row if they are one thing, and says so with undefined if they are not: text or thinking
 * of one message, and marks. Associative: it does not matter in which order neighbours are joined.
 */
export function joined(before: Row, after: Row): Row | undefined {
  switch (before.kind) {
    case 'answer':
      if (after.kind !== 'answer' || !sameMessage(before.entries[0], after.entries[0])) return undefined;
      return { ...before, entries: [...before.entries, ...after.entries] };
    case 'thinking':
      if (after.kind !== 'thinking' || !sameMessage(before.entries[0], after.entries[0])) return undefined;
      return { ...before, entries: [...before.entries, ...after.entries] };
    case 'marks':
      if (after.kind !== 'marks') return undefined;
      return { ...before, entries: [...before.entries, ...after.entries] };
    case 'prompt':
    case 'tool':
    case 'aside':
    case 'notice':
    case 'divider':
    case 'plan':
    case 'turn':
      return undefined;
  }
}

function sameMessage(before: EntryOf<'assistant'>, after: EntryOf<'assistant'>): boolean {
  return before.messageId !== null && before.messageId === after.messageId && before.conversation === after.conversation;
}

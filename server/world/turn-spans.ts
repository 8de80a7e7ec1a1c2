/**
 * Between which two snapshots each turn of a thread lies. A snapshot of a turn's start that was taken after its first action had begun is
 * late: it may hold a part of the turn, and the newest one from before that action counts instead. What changed between two turns is a
 * span of its own. Pure over the rows of one worktree.
 */
import type { SnapshotRow } from '../ledger/snapshots-table.ts';
import type { TurnFacts } from './turn-facts.ts';

export interface Span {
  /** Entry of the prompt; null: between two turns. */
  readonly entry: number | null;
  /** That it was begun in; null: between two turns. */
  readonly conversation: number | null;
  readonly before: SnapshotRow;
  readonly after: SnapshotRow;
  /** Nothing tells how it was when the turn began: `before` is from earlier. */
  readonly late: boolean;
  /** Turns of other threads in the same worktree that went on meanwhile. */
  readonly beside: readonly { readonly thread: number; readonly entry: number }[];
}
export interface Spans {
  readonly spans: readonly Span[];
  /** Turns that have a snapshot and still cannot be told: the first one was late, or an older one was dropped. */
  readonly untold: number;
}

/** Rows of a turn. */
interface Turn {
  readonly thread: number;
  readonly entry: number;
  readonly start: SnapshotRow | undefined;
  readonly end: SnapshotRow | undefined;
}

/** A turn that nobody saw the end of is believed to go on for so long. Milliseconds. */
const openMs = 60 * 60_000;

/** `rows`: of one worktree, oldest first. */
export function spansOf(rows: readonly SnapshotRow[], thread: number, factsOf: (entry: number) => TurnFacts | undefined): Spans {
  const turns = turnsOf(rows);
  const own = turns.filter((turn) => turn.thread === thread);
  const others = turns.filter((turn) => turn.thread !== thread);
  const spans: Span[] = [];
  let untold = 0;
  for (const [index, turn] of own.entries()) {
    const after = turn.end ?? own[index + 1]?.start;
    const first = turn.start ?? turn.end;
    // It goes on.
    if (after === undefined || first === undefined) continue;
    const began = factsOf(turn.entry)?.began ?? null;
    const late = turn.start === undefined || (began !== null && turn.start.at > began);
    const before = !late ? turn.start : rows.findLast((row) => row.number < first.number && (began === null || row.at <= began));
    if (before === undefined || before.pruned === 1 || after.pruned === 1 || before.number > after.number) {
      untold++;
      continue;
    }
    const last = spans.at(-1)?.after;
    if (last !== undefined && last.number < before.number && last.tree !== before.tree)
      spans.push({
        entry: null,
        conversation: null,
        before: last,
        after: before,
        late: false,
        beside: besides(others, last, before),
      });
    spans.push({
      entry: turn.entry,
      conversation: first.conversation,
      before,
      after,
      late,
      beside: besides(others, before, after),
    });
  }
  return { spans, untold };
}

function turnsOf(rows: readonly SnapshotRow[]): readonly Turn[] {
  const turns = new Map<string, Turn>();
  for (const row of rows) {
    const { thread, entry, cause } = row;
    if (thread === null || entry === null || (cause !== 'turnStart' && cause !== 'turnEnd')) continue;
    const key = `${thread}:${entry}`;
    const known = turns.get(key) ?? { thread, entry, start: undefined, end: undefined };
    // The first start and the last end: a hook may have gone on behind one.
    turns.set(key, cause === 'turnStart' ? { ...known, start: known.start ?? row } : { ...known, end: row });
  }
  return [...turns.values()];
}

function besides(others: readonly Turn[], before: SnapshotRow, after: SnapshotRow): Span['beside'] {
  return others
    .filter((turn, index) => {
      const from = (turn.start ?? turn.end)?.at ?? 0;
      const next = others.slice(index + 1).find((other) => other.thread === turn.thread)?.start?.at;
      const to = turn.end?.at ?? next ?? from + openMs;
      return from < after.at && to > before.at;
    })
    .map(({ thread, entry }) => ({ thread, entry }));
}

/**
 * Which turn did what: the differences of each span with whose change each is, as far as the facts tell. What an agent's own edit tools
 * reported in the turn is the tools'; the rest is its commands' when any ran, and nobody's of the thread when none did. While other
 * agents were at work in the same worktree, only what is reported can be told apart. Pure.
 */
import type { ChangedBy, ChangedFile } from '../protocol/world.ts';
import { shown } from './raw-path.ts';
import type { FileDiff } from './tree-diff.ts';
import type { TurnFacts } from './turn-facts.ts';
import type { Span } from './turn-spans.ts';

/** Files that are named of one span; all are counted. */
export const mostListed = 1000;

export interface SpanChanges {
  readonly files: readonly ChangedFile[];
  readonly filesTotal: number;
  readonly added: number;
  readonly removed: number;
}

/** `facts`: of the span's turn; `others`: of the turns beside it. */
export function spanChanges(
  span: Span,
  diffs: readonly FileDiff[],
  facts: TurnFacts | undefined,
  others: readonly TurnFacts[],
): SpanChanges {
  return changesOf(diffs, (diff) => whose(span, [diff.raw, diff.from].flatMap((raw) => raw ?? []).map(shown), facts, others));
}

export function changesOf(diffs: readonly FileDiff[], by: (diff: FileDiff) => ChangedBy): SpanChanges {
  return {
    files: diffs.slice(0, mostListed).map((diff) => changedFile(diff, by(diff))),
    filesTotal: diffs.length,
    added: diffs.reduce((sum, { added }) => sum + (added ?? 0), 0),
    removed: diffs.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
  };
}

function whose(
  { entry, late, beside }: Span,
  paths: readonly string[],
  facts: TurnFacts | undefined,
  others: readonly TurnFacts[],
): ChangedBy {
  if (entry === null) return 'between';
  const own = paths.some((one) => facts?.edited.has(one) === true);
  const theirs = others.some(({ edited }) => paths.some((one) => edited.has(one)));
  if (own) return theirs ? 'unclear' : 'tool';
  if (theirs && facts?.ran !== true) return 'between';
  if (theirs || beside.length > 0) return 'unclear';
  if (facts?.ran === false) return 'between';
  // What stands before the turn's commands may be somebody's from before the turn.
  return late ? 'unclear' : 'command';
}

function changedFile({ raw, from, before, after, added, removed }: FileDiff, by: ChangedBy): ChangedFile {
  const change =
    before === null
      ? 'added'
      : after === null
        ? 'deleted'
        : from !== undefined
          ? 'moved'
          : before.object === after.object
            ? 'mode'
            : 'modified';
  return { path: shown(raw), ...(from === undefined ? {} : { from: shown(from) }), change, added, removed, by };
}

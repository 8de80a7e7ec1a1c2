/**
 * The order of hits. First by what the index tells without the text: what kind of entry, how short, how new, whether the words stand
 * as they were typed. Then the best of these by their text: how often the terms stand in it, and how near each other. FTS5's own bm25
 * would count each word in the whole ledger for every query.
 */
import type { DocumentRow } from './document-blocks.ts';
import type { Snippet } from './snippet.ts';

export interface Candidate {
  readonly row: DocumentRow;
  /** The terms stand as they were typed, not as beginnings of longer words. */
  readonly whole: boolean;
}

/** What a person said is looked for most, what a tool put out least. */
const weights: Readonly<Record<string, number>> = { user: 2, assistant: 1.4, handoff: 0.5, plan: 0.4 };
const otherWeight = 0.8;
const monthMs = 30 * 86_400_000;

/** Best first. */
export function roughly(candidates: readonly Candidate[]): readonly { readonly row: DocumentRow; readonly rough: number }[] {
  const newest = candidates.reduce((at, { row }) => Math.max(at, row.at ?? 0), 0);
  return candidates
    .map(({ row, whole }) => {
      const months = Math.max(0, newest - (row.at ?? 0)) / monthMs;
      const kind = weights[row.kind] ?? otherWeight;
      return { row, rough: (kind * (whole ? 1.5 : 1)) / (1 + Math.log2(1 + row.length / 400) / 4) / (1 + months / 6) };
    })
    .toSorted((a, b) => b.rough - a.rough || b.row.number - a.row.number);
}

export function refined(rough: number, { counts, coverage }: Snippet): number {
  const often = counts.reduce((sum, count) => sum + count / (count + 1.5), 0) / Math.max(1, counts.length);
  return rough * (0.4 + often) * (0.4 + coverage);
}

/** Find in thread: what was asked, what was found, which hit is shown. Pure. */
import type { FoundEntry } from './messages.ts';

export interface Find {
  readonly words: string;
  /** In transcript order. null: not asked yet, or not answered. */
  readonly hits: readonly FoundEntry[] | null;
  readonly hint: string | null;
  readonly at: number;
}

export const noFind: Find = { words: '', hits: null, hint: null, at: -1 };

/** The answer to a search: begins at the first hit at or after the entry that is being looked at, else at the nearest before it. */
export function answered(find: Find, words: string, hits: readonly FoundEntry[], hint: string | null, lookingAt: number): Find {
  if (words !== find.words) return find;
  const ordered = hits.toSorted((a, b) => a.entry - b.entry);
  const after = ordered.findIndex((hit) => hit.entry >= lookingAt);
  return { words, hits: ordered, hint, at: after < 0 ? ordered.length - 1 : after };
}

/** The next hit, or the one before; around at the ends. */
export function stepped(find: Find, step: 1 | -1): Find {
  const count = find.hits?.length ?? 0;
  return count === 0 ? find : { ...find, at: (find.at + step + count) % count };
}

export function findWords(find: Find): string {
  if (find.hits === null) return find.words === '' ? '' : 'searching…';
  if (find.hits.length === 0) return find.hint ?? 'nothing found';
  return `${find.at + 1} of ${find.hits.length}`;
}

/** The words to mark in the text: operators and quotes of a query are not part of it. */
export function sought(words: string): readonly string[] {
  return words.split(/[^\p{L}\p{N}_]+/u).filter((word) => word.length > 1 && !/^(?:AND|OR|NOT|NEAR)$/u.test(word));
}

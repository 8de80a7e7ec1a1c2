/**
 * The piece of a text that shows why it was found: about 180 characters as they were written, with the terms marked. Terms are sought
 * as the index has them (without accents and cases, at the beginnings of words). The marks never come from the text.
 */
import { cjkClass, isAscii, plainLetters, wholeSign } from './search-forms.ts';
import type { QueryTerm } from './search-query.ts';
import { SoughtTerm } from './sought-term.ts';
import type { Span } from './sought-term.ts';

export const markOpen = '\ue000';
export const markClose = '\ue001';

export interface Snippet {
  readonly text: string;
  /** Terms that stand in it, of all that were sought: 0 to 1. */
  readonly coverage: number;
  /** How often each term stands in the whole text, in the order of the terms; counted up to a bound. */
  readonly counts: readonly number[];
}

const before = 60;
const width = 180;
const mostCounted = 50;

interface Hit extends Span {
  readonly term: number;
}

/** Finds terms in texts: made once a query. */
export class Snippets {
  readonly #terms: readonly SoughtTerm[];

  constructor(terms: readonly QueryTerm[]) {
    this.#terms = terms.map(({ text, open }) => new SoughtTerm(fold(plainLetters(text)).text, open));
  }

  of(text: string): Snippet {
    const folded = fold(text);
    const counts: number[] = [];
    const hits: Hit[] = [];
    for (const [term, sought] of this.#terms.entries()) {
      const own = sought.in(folded.text, mostCounted, false);
      // Inside a name.
      const shown = own.length === 0 ? sought.in(folded.text, 1, true) : own;
      counts.push(shown.length);
      for (const { from, to } of shown) hits.push({ term, from: folded.at?.[from] ?? from, to: folded.at?.[to] ?? to });
    }
    hits.sort((a, b) => a.from - b.from || b.to - a.to);
    const { from, terms } = window(hits, counts.filter((count) => count > 0).length);
    return { text: marked(text, hits, from), coverage: counts.length === 0 ? 0 : terms / counts.length, counts };
  }
}

/** Where the piece begins that holds the most different terms, of so many that were found; the first of those. */
function window(hits: readonly Hit[], most: number): { readonly from: number; readonly terms: number } {
  let best = { from: 0, terms: 0 };
  for (const [index, first] of hits.entries()) {
    if (best.terms === most) break;
    const inside = new Set<number>();
    for (let i = index; i < hits.length; i++) {
      const hit = hits[i];
      if (hit === undefined || hit.from > first.from + width - before) break;
      if (hit.to <= first.from + width - before) inside.add(hit.term);
    }
    if (inside.size > best.terms) best = { from: first.from, terms: inside.size };
  }
  return best;
}

function marked(text: string, hits: readonly Hit[], first: number): string {
  const from = wholeSign(text, Math.max(0, first - before));
  const to = wholeSign(text, Math.min(text.length, from + width));
  let out = '';
  let at = from;
  for (const hit of hits) {
    if (hit.from < at || hit.to > to) continue;
    out += clean(text.slice(at, hit.from)) + markOpen + clean(text.slice(hit.from, hit.to)) + markClose;
    at = hit.to;
  }
  out += clean(text.slice(at, to));
  return `${from > 0 ? '…' : ''}${out}${to < text.length ? '…' : ''}`;
}

function clean(text: string): string {
  return text.replaceAll(markOpen, '').replaceAll(markClose, '').replace(/\s+/gu, ' ');
}

interface Folded {
  readonly text: string;
  /** Where each of its characters, and its end, stands in what was folded; null: at the same place. */
  readonly at: readonly number[] | null;
}

/** What folds to other than its small letters: a letter with what is written onto it, a Korean syllable in parts, what is not ASCII. */
const cluster =
  /[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|[\s\S][\p{M}\uff9e\uff9f]+|[^\0-\x7f\u3041-\u3096\u30a1-\u30fc\u3400-\u9fff\uac00-\ud7a3]/gu;
const cjk = new RegExp(cjkClass, 'u');
const known = new Map<string, string>();

function fold(text: string): Folded {
  if (isAscii(text) || text.search(cluster) < 0) return { text: text.toLowerCase(), at: null };
  const at: number[] = [];
  let out = '';
  let done = 0;
  const plain = (to: number): void => {
    out += text.slice(done, to).toLowerCase();
    for (; done < to; done++) at.push(done);
  };
  for (const match of text.matchAll(cluster)) {
    plain(match.index);
    const letter = foldLetter(match[0]);
    out += letter;
    for (let i = 0; i < letter.length; i++) at.push(match.index);
    done += match[0].length;
  }
  plain(text.length);
  at.push(text.length);
  return { text: out, at };
}

function foldLetter(letter: string): string {
  const remembered = known.get(letter);
  if (remembered !== undefined) return remembered;
  const usual = plainLetters(letter);
  const folded = cjk.test(usual) ? usual : usual.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  if (known.size > 20_000) known.clear();
  known.set(letter, folded);
  return folded;
}

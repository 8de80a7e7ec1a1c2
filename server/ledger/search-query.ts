/**
 * What a person typed, as a query of the index. It has no operators but quotes: words all stand in what is found, a "quoted phrase" as
 * it is. Every term is quoted for FTS5, so that no sign in it means anything there and no query can throw.
 */
import { endsInWord, factSign, queryForm } from './search-forms.ts';

export interface QueryTerm {
  /** Its words stand next to each other in what is found. */
  readonly text: string;
  /** Its last word may be the beginning of a longer one. */
  readonly open: boolean;
}

/** More than a person types; the rest is not looked for. */
const mostLetters = 600;
const mostTerms = 32;

/** Terms that hold a letter or a digit. A quoted one, one that a sign ends (`run()`, `C++`) and a single letter are whole words. */
export function queryTerms(words: string): readonly QueryTerm[] {
  const terms: QueryTerm[] = [];
  for (const match of words.slice(0, mostLetters).matchAll(/"([^"]*)("?)|(\S+)/gu)) {
    const text = (match[1] ?? match[3] ?? '').trim();
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const typed = text.replace(/\*+$/u, '');
    const lone = /(?:^|[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]$/u.test(typed);
    terms.push({ text: typed, open: match[2] !== '"' && !lone && endsInWord(typed) });
    if (terms.length === mostTerms) break;
  }
  return terms;
}

/** An FTS5 expression that holds where every term does. `whole`: words as they were typed, none as the beginning of a longer one. */
export function matchExpression(terms: readonly QueryTerm[], whole: boolean): string {
  return terms
    .map(({ text, open }) => {
      const { form, single } = queryForm(text);
      return `"${form.replaceAll('"', ' ').replaceAll('\0', ' ').trim()}"${single || (open && !whole) ? '*' : ''}`;
    })
    .join(' ');
}

export type Fact = 'harness' | 'kind' | 'thread';
const letters: Readonly<Record<Fact, string>> = { harness: 'h', kind: 'k', thread: 't' };

/** A word of the index that says of what an entry is; no text holds it. */
export function factWord(fact: Fact, value: string | number): string {
  return `${factSign}${letters[fact]}${String(value).replace(/[^A-Za-z0-9]/gu, '')}`;
}

/** The expression, narrowed to entries of which one fact of each list is true. */
export function narrowed(expression: string, facts: readonly (readonly string[])[]): string {
  const groups = facts.map((words) => `(${words.map((word) => `"${word}"`).join(' OR ')})`);
  return groups.length === 0 ? expression : `${groups.join(' AND ')} AND (${expression})`;
}

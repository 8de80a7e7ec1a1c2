/**
 * Full-text search over all threads, or within one. No query throws; an empty one says what to type. Words as they were typed are sought
 * first, as beginnings of longer ones only when that gives too little: so a word that stands everywhere costs no more than a rare one.
 * Of the newest that match, the best come first (search-rank.ts).
 */
import type { SearchHit, SearchParams, SearchResult } from '../protocol/requests.ts';
import type { DocumentRow } from './document-blocks.ts';
import type { DocumentFilter } from './documents-table.ts';
import type { Ledger } from './ledger.ts';
import { findThread } from './lookup.ts';
import { refined, roughly } from './search-rank.ts';
import type { Candidate } from './search-rank.ts';
import { matchExpression, queryTerms } from './search-query.ts';
import type { QueryTerm } from './search-query.ts';
import { foundText } from './search-text.ts';
import { Snippets } from './snippet.ts';
import type { Snippet } from './snippet.ts';
import type { ThreadRow } from './threads-table.ts';
import { entryById } from './transcript.ts';

/** As many of the newest are ranked. */
const mostCandidates = 800;
/** As many of the best are looked at more closely, or as many as are wanted. */
const closely = 40;

/** Tells which of the folders are one with `cwd`, however they are spelled. */
export interface SameFolders {
  readonly same: (cwd: string, folders: Iterable<string>) => readonly string[];
}

/** `folders`: absent, each spelling of a folder is one of its own. */
export async function search(ledger: Ledger, params: SearchParams, folders?: SameFolders): Promise<SearchResult> {
  const terms = queryTerms(params.words);
  if (terms.length === 0) return { hits: [], hint: 'Type at least one word: letters or digits, "quoted" for a phrase.' };
  if (!ledger.documents.searchable)
    return { hits: [], hint: 'An older Loom has this ledger open. Close its windows, or update it: then this one can search.' };
  const wanted = Math.min(Math.max(Math.floor(params.limit), 1), 1000) || 1;
  const inThread = params.thread === undefined ? undefined : findThread(ledger, params.thread).number;
  const filter: DocumentFilter = {
    ...(inThread === undefined ? {} : { thread: inThread }),
    ...(params.harness === undefined ? {} : { harness: params.harness }),
    ...(params.kind === undefined ? {} : { kind: params.kind }),
    ...(params.cwd === undefined ? {} : { cwds: folders?.same(params.cwd, ledger.threads.folders()) ?? [params.cwd] }),
    ...(params.since === undefined ? {} : { since: params.since }),
    ...(params.until === undefined ? {} : { until: params.until }),
  };
  const snippets = new Snippets(terms);
  const threads = new Map<number, ThreadRow | undefined>();
  const threadOf = (number: number): ThreadRow | undefined => {
    if (!threads.has(number)) threads.set(number, ledger.threads.byNumber(number));
    return threads.get(number);
  };
  const read = async (row: DocumentRow): Promise<Snippet> => {
    const session = threadOf(row.thread)?.session;
    const entry = session === undefined ? undefined : await entryById(ledger, session, row.entry);
    return snippets.of(entry === undefined ? '' : foundText(entry));
  };
  const found =
    inThread === undefined
      ? await best(candidates(ledger, terms, filter, wanted), wanted, read)
      : await newest(ledger.documents.match(matchExpression(terms, false), filter, wanted), read);
  const hits = found.flatMap(({ row, snippet, score }): readonly SearchHit[] => {
    const thread = threadOf(row.thread);
    if (thread === undefined) return [];
    return [
      {
        thread: thread.id,
        entry: row.entry,
        conversation: row.conversation,
        title: thread.title,
        snippet: snippet.text,
        at: row.at,
        harness: thread.harness,
        score: Math.round(score * 1000) / 1000,
      },
    ];
  });
  const hint =
    ledger.documents.left() === 0 ? null : 'The search index is being made anew: not all of what is older is in it yet.';
  return { hits, hint };
}

interface Found {
  readonly row: DocumentRow;
  readonly snippet: Snippet;
  readonly score: number;
}

function candidates(ledger: Ledger, terms: readonly QueryTerm[], filter: DocumentFilter, wanted: number): readonly Candidate[] {
  const typed = matchExpression(terms, true);
  const begun = matchExpression(terms, false);
  const whole = ledger.documents.match(typed, filter, mostCandidates).map((row) => ({ row, whole: true }));
  if (whole.length >= wanted || typed === begun) return whole;
  const known = new Set(whole.map(({ row }) => row.number));
  const longer = ledger.documents.match(begun, filter, mostCandidates).filter(({ number }) => !known.has(number));
  return [...whole, ...longer.map((row) => ({ row, whole: false }))];
}

async function best(
  among: readonly Candidate[],
  wanted: number,
  read: (row: DocumentRow) => Promise<Snippet>,
): Promise<readonly Found[]> {
  const looked: Found[] = [];
  for (const { row, rough } of roughly(among).slice(0, Math.max(closely, wanted))) {
    const snippet = await read(row);
    looked.push({ row, snippet, score: refined(rough, snippet) });
  }
  return looked.toSorted((a, b) => b.score - a.score || b.row.number - a.row.number).slice(0, wanted);
}

async function newest(rows: readonly DocumentRow[], read: (row: DocumentRow) => Promise<Snippet>): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const row of rows.toSorted((a, b) => b.entry - a.entry)) found.push({ row, snippet: await read(row), score: 0 });
  return found;
}

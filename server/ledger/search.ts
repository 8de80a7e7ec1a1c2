/**
 * Full-text search over all threads, or within one. No query throws; an empty one says what to type. Words as they were typed are sought
 * first, as beginnings of longer ones only when that gives too little: so a word that stands everywhere costs no more than a rare one.
 * Of the newest that match, the best come first (search-rank.ts).
 */
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import type { SearchHit, SearchParams, SearchResult } from '../protocol/requests.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
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
import type { FoundThread } from './threads-table.ts';
import { entryById } from './transcript.ts';

/** As many of the newest are ranked. */
const mostCandidates = 800;
/** As many of the best are looked at more closely, or as many as are wanted. */
const closely = 40;

/** Tells which of the folders are one with `cwd`, however they are spelled. */
export interface SameFolders {
  readonly same: (cwd: string, folders: Iterable<string>) => readonly string[];
}

export interface SearchOptions {
  /** Absent: each spelling of a folder is one of its own. */
  readonly folders?: SameFolders;
  /** Hears the ids of threads of which something matched and could not be read. */
  readonly onDamaged?: (threads: readonly string[]) => void;
}

/** Reads one state of the ledger, whatever is written to it meanwhile. Throws `Fault` for a thread that is not there. */
export function search(ledger: Ledger, params: SearchParams, options: SearchOptions = {}): SearchResult {
  const terms = queryTerms(params.words);
  if (terms.length === 0) return { hits: [], hint: 'Type at least one word: letters or digits, "quoted" for a phrase.' };
  if (!ledger.documents.searchable)
    return { hits: [], hint: 'An older Loom has this ledger open. Close its windows, or update it: then this one can search.' };
  return ledger.snapshot(() => searchOne(ledger, terms, params, options));
}

function searchOne(
  ledger: Ledger,
  terms: readonly QueryTerm[],
  params: SearchParams,
  { folders, onDamaged }: SearchOptions,
): SearchResult {
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
  const texts = new FoundTexts(ledger, terms);
  const match: Match = (expression, limit) => ledger.documents.match(expression, filter, limit, texts.damaged);
  const found =
    inThread === undefined
      ? best(candidates(match, terms, wanted), wanted, texts)
      : newest(match(matchExpression(terms, false), wanted), texts);
  const hits = found.map(({ row, thread, snippet, score }): SearchHit => ({
    thread: thread.id,
    entry: row.entry,
    conversation: row.conversation,
    title: thread.title,
    snippet: snippet.text,
    at: row.at,
    harness: thread.harness,
    score: Math.round(score * 1000) / 1000,
  }));
  const { damagedThreads } = texts;
  if (damagedThreads.length > 0) onDamaged?.(damagedThreads);
  const hints = [
    ...(ledger.documents.left() === 0 ? [] : ['The search index is being made anew: not all of what is older is in it yet.']),
    ...(damagedThreads.length === 0
      ? []
      : ['Some of what matches is damaged in the ledger and left out: `loom doctor --deep` names the threads.']),
  ];
  return { hits, hint: hints.length === 0 ? null : hints.join(' ') };
}

type Match = (expression: string, limit: number) => readonly DocumentRow[];

/** What is known of a document once its text was read. */
interface Looked {
  readonly row: DocumentRow;
  readonly thread: FoundThread;
  readonly snippet: Snippet;
}
interface Found extends Looked {
  readonly score: number;
}

/** The texts of documents. Damage in one does not keep the others from being read. */
class FoundTexts {
  readonly #ledger: Ledger;
  readonly #snippets: Snippets;
  readonly #threads = new Map<number, FoundThread | undefined>();
  readonly #damaged = new Set<number>();

  constructor(ledger: Ledger, terms: readonly QueryTerm[]) {
    this.#ledger = ledger;
    this.#snippets = new Snippets(terms);
  }

  /** undefined: it cannot be read, or its thread is gone. */
  look(row: DocumentRow): Looked | undefined {
    const thread = this.#threadOf(row.thread);
    if (thread === undefined) return undefined;
    const entry = this.#read(thread.session, row.entry);
    if (entry?.conversationId === row.conversation && entry.kind === row.kind)
      return { row, thread, snippet: this.#snippets.of(foundText(entry)) };
    this.damaged(row.thread);
    return undefined;
  }

  /** Something of that thread cannot be read. */
  readonly damaged = (thread: number): void => void this.#damaged.add(thread);

  get damagedThreads(): readonly string[] {
    return [...this.#damaged].flatMap((number) => this.#threadOf(number)?.id ?? []);
  }

  #threadOf(number: number): FoundThread | undefined {
    if (!this.#threads.has(number)) this.#threads.set(number, this.#ledger.threads.foundByNumber(number));
    return this.#threads.get(number);
  }

  #read(session: string, id: number): LedgerEntry | undefined {
    try {
      return entryById(this.#ledger, session, id);
    } catch (error) {
      if (error instanceof DamagedPack || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function candidates(match: Match, terms: readonly QueryTerm[], wanted: number): readonly Candidate[] {
  const typed = matchExpression(terms, true);
  const begun = matchExpression(terms, false);
  const whole = match(typed, mostCandidates).map((row) => ({ row, whole: true }));
  if (whole.length >= wanted || typed === begun) return whole;
  const known = new Set(whole.map(({ row }) => row.number));
  const longer = match(begun, mostCandidates).filter(({ number }) => !known.has(number));
  return [...whole, ...longer.map((row) => ({ row, whole: false }))];
}

function best(among: readonly Candidate[], wanted: number, texts: FoundTexts): readonly Found[] {
  const found: Found[] = [];
  for (const { row, rough } of roughly(among)) {
    if (found.length === Math.max(closely, wanted)) break;
    const looked = texts.look(row);
    if (looked !== undefined) found.push({ ...looked, score: refined(rough, looked.snippet) });
  }
  return found.toSorted((a, b) => b.score - a.score || b.row.number - a.row.number).slice(0, wanted);
}

function newest(rows: readonly DocumentRow[], texts: FoundTexts): readonly Found[] {
  return rows
    .toSorted((a, b) => b.entry - a.entry)
    .flatMap((row) => {
      const looked = texts.look(row);
      return looked === undefined ? [] : [{ ...looked, score: 0 }];
    });
}

/** Full-text search over all threads, or within one. No query throws; an empty one says what to type. */
import type { SearchHit, SearchParams, SearchResult } from '../protocol/requests.ts';
import type { Ledger } from './ledger.ts';
import { findThread } from './lookup.ts';
import { matchExpression, rawText, snippet } from './search-text.ts';
import { entryById } from './transcript.ts';

export async function search(ledger: Ledger, params: SearchParams): Promise<SearchResult> {
  const expression = matchExpression(params.words);
  if (expression === undefined) return { hits: [], hint: 'Type at least one word: letters or digits, "quoted" for a phrase.' };
  const thread = params.thread === undefined ? null : findThread(ledger, params.thread).number;
  const wanted = Math.min(Math.max(params.limit, 1), 1000);
  const found = ledger.documents.match(
    expression,
    { thread, harness: params.harness ?? null, kind: params.kind ?? null },
    params.cwd === undefined ? wanted : 1000,
  );
  const hits: SearchHit[] = [];
  for (const row of found) {
    if (hits.length >= wanted) break;
    const threadRow = ledger.threads.byNumber(row.thread);
    if (threadRow === undefined || (params.cwd !== undefined && threadRow.cwd !== params.cwd)) continue;
    const entry = await entryById(ledger, row.session, row.entry);
    hits.push({
      thread: threadRow.id,
      entry: row.entry,
      conversation: row.conversation,
      title: threadRow.title,
      snippet: entry === undefined ? '' : snippet(rawText(entry), params.words),
      at: row.at,
      harness: threadRow.harness,
      // bm25 is better the lower it is.
      score: Math.round(-row.score * 1000) / 1000,
    });
  }
  return { hits, hint: null };
}

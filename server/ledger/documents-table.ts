/** The search index: a contentless FTS5 table and the `documents` that its rows stand for. Derived; can be rebuilt. */
import type { Database, Statement } from 'better-sqlite3';

export interface DocumentRow {
  readonly number: number;
  readonly thread: number;
  readonly session: string;
  readonly conversation: number;
  readonly entry: number;
  readonly kind: string;
  readonly harness: string;
  readonly at: number | null;
}
export interface DocumentFilter {
  readonly thread: number | null;
  readonly harness: string | null;
  readonly kind: string | null;
}

/** What a person said is looked for most, what a tool put out least. bm25 is better the lower it is, and below zero. */
const weight =
  "(CASE d.kind WHEN 'user' THEN 2.0 WHEN 'assistant' THEN 1.4 WHEN 'handoff' THEN 0.5 WHEN 'plan' THEN 0.4 ELSE 0.8 END)";

export class DocumentsTable {
  readonly #insert: Statement;
  readonly #index: Statement;
  readonly #match: Statement;
  readonly #matchThread: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO documents (thread, session, conversation, entry, kind, harness, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#index = db.prepare('INSERT INTO search (rowid, body) VALUES (?, ?)');
    // The newest 2,000 candidates are ranked, so that a word that stands everywhere stays fast.
    this.#match = db.prepare(
      `SELECT d.number, d.thread, d.session, d.conversation, d.entry, d.kind, d.harness, d.at, m.score * ${weight} AS score FROM
       (SELECT rowid AS number, bm25(search) AS score FROM search WHERE search MATCH @expression ORDER BY rowid DESC LIMIT 2000) m
       JOIN documents d ON d.number = m.number
       WHERE (@harness IS NULL OR d.harness = @harness) AND (@kind IS NULL OR d.kind = @kind)
       ORDER BY m.score * ${weight}, d.at DESC LIMIT @limit`,
    );
    this.#matchThread = db.prepare(
      `SELECT d.number, d.thread, d.session, d.conversation, d.entry, d.kind, d.harness, d.at, 0.0 AS score
       FROM documents d WHERE d.thread = @thread AND d.number IN (SELECT rowid FROM search WHERE search MATCH @expression)
       AND (@harness IS NULL OR d.harness = @harness) AND (@kind IS NULL OR d.kind = @kind)
       ORDER BY d.entry DESC LIMIT @limit`,
    );
  }

  add(row: Omit<DocumentRow, 'number'>, body: string): void {
    const number = this.#insert.run(
      row.thread,
      row.session,
      row.conversation,
      row.entry,
      row.kind,
      row.harness,
      row.at,
    ).lastInsertRowid;
    this.#index.run(number, body);
  }
  match(expression: string, filter: DocumentFilter, limit: number): readonly (DocumentRow & { readonly score: number })[] {
    if (filter.thread !== null)
      return this.#matchThread.all({ expression, ...filter, limit }) as (DocumentRow & { score: number })[];
    return this.#match.all({ expression, harness: filter.harness, kind: filter.kind, limit }) as (DocumentRow & {
      score: number;
    })[];
  }
}

/**
 * The search index: a contentless FTS5 table and the `documents` that its rows stand for. Derived; can be made anew. Numbers follow
 * time by the hour, whenever an entry was read, so that the index gives the newest first without sorting and a span of time is a
 * range of it. What an entry is (harness, kind, thread) stands in the index as words of their own: a filter costs what it leaves.
 */
import type { Database, Statement } from 'better-sqlite3';
import { factWord, narrowed } from './search-query.ts';

export interface DocumentRow {
  readonly number: number;
  readonly thread: number;
  readonly session: string;
  readonly conversation: number;
  readonly entry: number;
  readonly kind: string;
  readonly harness: string;
  /** Milliseconds; null: of no known time. */
  readonly at: number | null;
  /** Of its text, in characters. */
  readonly length: number;
}
export interface NewDocument {
  readonly row: Omit<DocumentRow, 'number'>;
  /** Its text in the form of the index. */
  readonly body: string;
}
export type UnindexedRow = Omit<DocumentRow, 'length'>;
export interface DocumentFilter {
  readonly thread?: number;
  readonly harness?: string;
  readonly kind?: string;
  /** The folder of its thread. */
  readonly cwd?: string;
  /** At or after, before: milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

const hourMs = 3_600_000;
/** Numbers of one hour; when they are used up its documents take those of the next hours. */
const hourNumbers = 65_536;
const lastHour = 2 ** 32;
/** Hours whose numbers an hour may come to use. */
const spill = 48;
const columns = 'd.number, d.thread, d.session, d.conversation, d.entry, d.kind, d.harness, d.at, d.length';

export class DocumentsTable {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  /** Whether the file has this index; an older Loom's, which only that may bring up to date, has not. */
  readonly searchable: boolean;

  constructor(db: Database) {
    this.#db = db;
    this.searchable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'unindexed'").get() !== undefined;
  }

  /** Within a transaction. */
  add(documents: readonly NewDocument[]): void {
    const insert = this.#prepare(
      'INSERT INTO documents (number, thread, session, conversation, entry, kind, harness, at, length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    const index = this.#prepare('INSERT INTO search (rowid, body) VALUES (?, ?)');
    // FTS5 takes ascending numbers at once; a step back makes it write out what it holds.
    const inOrder = documents
      .map((document) => ({ ...document, hour: hourOf(document.row.at) }))
      .toSorted((a, b) => a.hour - b.hour);
    let hour = -1;
    let next = 0;
    for (const document of inOrder) {
      if (document.hour !== hour) next = Math.max(next, this.#free((hour = document.hour)));
      else if (next % hourNumbers === 0) next = this.#free(next / hourNumbers);
      const { row, body } = document;
      insert.run(next, row.thread, row.session, row.conversation, row.entry, row.kind, row.harness, row.at, row.length);
      const facts = [factWord('harness', row.harness), factWord('kind', row.kind), factWord('thread', row.thread)];
      index.run(next, `${facts.join(' ')} ${body}`);
      next++;
    }
  }

  #free(hour: number): number {
    const newest = this.#prepare('SELECT max(number) FROM documents WHERE number >= ? AND number < ?').pluck();
    for (let first = hour * hourNumbers; ; first += hourNumbers) {
      const used = newest.get(first, first + hourNumbers) as number | null;
      if (used === null) return first;
      if (used < first + hourNumbers - 1) return used + 1;
    }
  }

  /** Of what matches the expression (search-query.ts) and passes the filter, the newest `limit`, newest first. */
  match(expression: string, filter: DocumentFilter, limit: number): readonly DocumentRow[] {
    const { since, until } = filter;
    const facts: (readonly string[])[] = [];
    if (filter.thread !== undefined) facts.push([factWord('thread', filter.thread)]);
    if (filter.harness !== undefined) facts.push([factWord('harness', filter.harness)]);
    if (filter.kind !== undefined) facts.push([factWord('kind', filter.kind)]);
    if (filter.cwd !== undefined) {
      const threads = this.#prepare('SELECT number FROM threads WHERE cwd = ?').pluck().all(filter.cwd) as number[];
      if (threads.length === 0) return [];
      facts.push(threads.map((thread) => factWord('thread', thread)));
    }
    return this.#prepare(
      `SELECT ${columns} FROM search CROSS JOIN documents d ON d.number = search.rowid
       WHERE search MATCH @expression AND search.rowid >= @from AND search.rowid < @to
       ${since === undefined ? '' : 'AND d.at >= @since'} ${until === undefined ? '' : 'AND d.at < @until'}
       ORDER BY search.rowid DESC LIMIT @limit`,
    ).all({
      expression: narrowed(expression, facts),
      from: since === undefined ? 0 : hourOf(since) * hourNumbers,
      to: until === undefined ? Number.MAX_SAFE_INTEGER : (hourOf(until) + 1 + spill) * hourNumbers,
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      limit,
    }) as DocumentRow[];
  }

  /** The conversation is no longer found. */
  remove(thread: number, session: string, conversation: number): void {
    const numbers = this.#prepare(
      `SELECT d.number FROM search CROSS JOIN documents d ON d.number = search.rowid
       WHERE search MATCH ? AND d.session = ? AND d.conversation = ?`,
    )
      .pluck()
      .all(`"${factWord('thread', thread)}"`, session, conversation) as number[];
    for (const number of numbers) {
      this.#prepare('DELETE FROM search WHERE rowid = ?').run(number);
      this.#prepare('DELETE FROM documents WHERE number = ?').run(number);
    }
    this.#prepare('DELETE FROM unindexed WHERE thread = ? AND session = ? AND conversation = ?').run(
      thread,
      session,
      conversation,
    );
  }

  /** What an older index held and this one does not hold yet. */
  unindexed(limit: number): readonly UnindexedRow[] {
    return this.#prepare('SELECT * FROM unindexed ORDER BY number LIMIT ?').all(limit) as UnindexedRow[];
  }
  /** At most as many wait; told without counting them. */
  left(): number {
    return this.#prepare('SELECT coalesce((SELECT max(number) FROM unindexed) - (SELECT min(number) FROM unindexed) + 1, 0)')
      .pluck()
      .get() as number;
  }
  /** false: it was not there any more. */
  indexed(number: number): boolean {
    return this.#prepare('DELETE FROM unindexed WHERE number = ?').run(number).changes === 1;
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Hours since 1970; times that no clock gave are taken to the nearest that one could. */
function hourOf(at: number | null): number {
  const hour = Math.floor((at ?? 0) / hourMs);
  return Number.isFinite(hour) ? Math.min(Math.max(hour, 0), lastHour) : 0;
}

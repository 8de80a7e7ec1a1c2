/**
 * The search index: a contentless FTS5 table and the documents that its rows stand for (document-blocks.ts). Derived; can be made anew.
 * Numbers follow time (document-numbers.ts), whenever an entry was read, so that the index gives the newest first without sorting and a
 * span of time is a range of it. What an entry is (harness, kind, thread) stands in the index as words of their own: a filter costs
 * what it leaves. What is taken out stays in the index as a number without a document.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import { DocumentBlocks } from './document-blocks.ts';
import type { DocumentRow } from './document-blocks.ts';
import { hourNumbers, hourOf, keptTime } from './document-numbers.ts';
import { factWord, narrowed } from './search-query.ts';

export interface NewDocument {
  readonly row: Omit<DocumentRow, 'number'> & { readonly harness: string };
  /** Its text in the form of the index (searchable.ts), as a string or as UTF-8. */
  readonly body: string | Uint8Array;
}
/** An entry that is not in the index yet. */
export interface UnindexedRow {
  readonly number: number;
  readonly thread: number;
  readonly session: string;
  readonly conversation: number;
  readonly entry: number;
  readonly harness: string;
}
export interface DocumentFilter {
  readonly thread?: number;
  readonly harness?: string;
  readonly kind?: string;
  /** Spellings of the folder of its thread. */
  readonly cwds?: readonly string[];
  /** At or after, before: milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

/** How many segments of a size FTS5 lets stand: from how many on it joins them little by little (0: never), and all at once. */
const segments = { automerge: { bulk: 0, usual: 8 }, crisismerge: { bulk: 1024, usual: 16 } } as const;
/** So many additions of bulk work are joined once, in its midst. */
const mostAdded = 512;

export class DocumentsTable {
  readonly #db: Database;
  readonly #blocks: DocumentBlocks | undefined;
  readonly #statements = new Map<string, Statement>();
  #isPiling = false;
  /** Times that documents were added since segments pile up, or since they were last begun to be joined: each leaves a segment or a few. */
  #added = 0;
  #isJoining = false;

  constructor(db: Database) {
    this.#db = db;
    const present = db.prepare("SELECT 1 FROM pragma_table_info('documents') WHERE name = 'packed'").get() !== undefined;
    this.#blocks = present ? new DocumentBlocks(db) : undefined;
  }

  /** Whether the file has this index; an older Loom's, which only that may bring up to date, has not. */
  get searchable(): boolean {
    return this.#blocks !== undefined;
  }

  /**
   * Within a transaction. Best many at once: FTS5 takes ascending numbers as they come, but a step back, as from each file to the next,
   * makes it write out what it holds.
   */
  add(documents: readonly NewDocument[]): void {
    const blocks = this.#present();
    this.#added++;
    const index = this.#prepare('INSERT INTO search (rowid, body) VALUES (?, ? || CAST(? AS TEXT))');
    const byHour = Map.groupBy(documents, ({ row }) => hourOf(row.at));
    const factsOf = knownFacts();
    const rows: DocumentRow[] = [];
    let next = 0;
    for (const hour of [...byHour.keys()].toSorted((a, b) => a - b)) {
      next = Math.max(next, blocks.free(hour));
      for (const [i, { row, body }] of (byHour.get(hour) ?? []).entries()) {
        if (i > 0 && next % hourNumbers === 0) next = blocks.free(next / hourNumbers);
        const { thread, conversation, entry, kind, at, length } = row;
        rows.push({ entry, kind, at: keptTime(at), length, number: next, thread, conversation });
        index.run(next, factsOf(row), body);
        next++;
      }
    }
    blocks.write(rows);
  }

  /**
   * Within a transaction. During bulk work (true) segments pile up, which `joinSome` then joins all at once: FTS5 would write most of the index
   * two or three times. Otherwise it keeps them few by itself, so that a search looks into few. Lasts in the file; any value is a right one.
   */
  pileUp(isBulk: boolean): void {
    this.#isPiling = isBulk;
    this.#added = 0;
    this.#isJoining = false;
    const now = this.#prepare('SELECT v FROM search_config WHERE k = ?').pluck();
    const set = this.#prepare(`INSERT INTO search (search, rank) VALUES (?, ${integer})`);
    for (const [name, { bulk, usual }] of Object.entries(segments)) {
      const wanted = isBulk ? bulk : usual;
      if (now.get(name) !== wanted) set.run(name, wanted);
    }
  }

  /** Of very many segments a search must look into each one, and FTS5 would join them all at once: `joinPiled` is to be called. */
  get arePiled(): boolean {
    return this.#isPiling && (this.#isJoining || this.#added >= mostAdded);
  }

  /** During bulk work, a step of joining all segments that there are. Within a transaction. */
  joinPiled(pages: number): void {
    const first = !this.#isJoining;
    if (first) this.#added = 0;
    this.#isJoining = this.joinSome(pages, first);
  }

  /**
   * Joins a part of the index's segments: it becomes smaller and quicker to search. `first`: begins to join all of them into one, which
   * costs the whole index; to be done after bulk work only. Within a transaction. false: there is nothing more to join.
   */
  joinSome(pages: number, first: boolean): boolean {
    const changes = (): number => this.#prepare('SELECT total_changes()').pluck().get() as number;
    const before = changes();
    this.#prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)").run(first ? -pages : pages);
    // FTS5 counts one change for the command itself.
    return changes() - before >= 2;
  }

  /**
   * Of what matches the expression (search-query.ts) and passes the filter, the newest `limit`, newest first. What is damaged is left out;
   * `onDamaged` hears of its thread, by number.
   */
  match(
    expression: string,
    filter: DocumentFilter,
    limit: number,
    onDamaged: (thread: number) => void = () => undefined,
  ): readonly DocumentRow[] {
    const { since, until } = filter;
    const facts: (readonly string[])[] = [];
    if (filter.thread !== undefined) facts.push([factWord('thread', filter.thread)]);
    if (filter.harness !== undefined) facts.push([factWord('harness', filter.harness)]);
    if (filter.kind !== undefined) facts.push([factWord('kind', filter.kind)]);
    if (filter.cwds !== undefined) {
      const inFolder = this.#prepare('SELECT number FROM threads WHERE cwd = ?').pluck();
      const threads = filter.cwds.flatMap((cwd) => inFolder.all(cwd) as number[]);
      if (threads.length === 0) return [];
      facts.push(threads.map((thread) => factWord('thread', thread)));
    }
    const numbers = this.#prepare(
      'SELECT rowid FROM search WHERE search MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    ).pluck();
    const wanted = narrowed(expression, facts);
    const from = since === undefined ? 0 : hourOf(since) * hourNumbers;
    const blocks = this.#present();
    let to = until === undefined ? Number.MAX_SAFE_INTEGER : blocks.end(hourOf(until));
    const read = blocks.reader(onDamaged);
    const found: DocumentRow[] = [];
    for (let most = limit; ; most *= 4) {
      const some = numbers.all(wanted, from, to, most) as number[];
      for (const number of some) {
        const row = read(number);
        if (row === undefined || !isWithin(row.at, since, until)) continue;
        found.push(row);
        if (found.length >= limit) return found;
      }
      if (some.length < most) return found;
      to = some.at(-1) ?? 0;
    }
  }

  /** Numbers of the threads of which something cannot be found, for damage in the documents. Reads them all. */
  damaged(): readonly number[] {
    return [...new Set(this.#blocks?.damaged() ?? [])];
  }

  /** The conversation is no longer found. */
  remove(thread: number, session: string, conversation: number): void {
    this.#present().empty(thread, conversation);
    const waiting = 'DELETE FROM unindexed WHERE thread = ? AND session = ? AND conversation = ?';
    this.#prepare(waiting).run(thread, session, conversation);
  }

  /** What an older index held and this one does not hold yet, newest first. */
  unindexed(limit: number): readonly UnindexedRow[] {
    return this.#prepare('SELECT * FROM unindexed ORDER BY number DESC LIMIT ?').all(limit) as UnindexedRow[];
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

  #present(): DocumentBlocks {
    if (this.#blocks === undefined) throw new Error('the ledger has the search index of an older version');
    return this.#blocks;
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The words that say of what an entry is, and stand before its text: few different ones, for every entry of a run of one thread's. */
function knownFacts(): (row: NewDocument['row']) => string {
  let known = new Map<string, string>();
  let of: NewDocument['row'] | undefined;
  return (row) => {
    const { harness, kind, thread } = row;
    if (of?.thread !== thread || of.harness !== harness) known = new Map();
    of = row;
    let words = known.get(kind);
    if (words === undefined) {
      words = `${factWord('harness', harness)} ${factWord('kind', kind)} ${factWord('thread', thread)} `;
      known.set(kind, words);
    }
    return words;
  };
}

function isWithin(at: number | null, since: number | undefined, until: number | undefined): boolean {
  if (since === undefined && until === undefined) return true;
  return at !== null && (since === undefined || at >= since) && (until === undefined || at < until);
}

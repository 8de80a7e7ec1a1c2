/**
 * Statements over `engine_entries`. The only module with the INSERT of entries as rows; there is no UPDATE, and a DELETE only of what goes
 * into a pack. Every range read names its index, so that no statistics can turn a page of a transcript into a scan of it.
 */
import type { Database } from 'better-sqlite3';
import { integer, text } from './parameter.ts';
import { byId } from './by-id.ts';
import { jsonText } from '../json-text.ts';
import type { Order, Range } from '../paging.ts';
import type { Entry, EntryHeader, Id, Json } from '../records.ts';
import type { EntryFilter } from '../rows.ts';

interface HeaderRow {
  readonly id: Id;
  readonly conversation: Id;
  readonly kind: string;
  readonly key: string | null;
  readonly head: number | null;
  readonly by_task: Id | null;
}
interface EntryRow extends HeaderRow {
  readonly content: string;
}
type Read<Row> = (session: number, conversation: Id, range: Range, limit: number, filter: EntryFilter) => Row[];
/** A row to be packed, before its content is read. */
export interface RowSize {
  readonly id: Id;
  /** Bytes of the content. */
  readonly size: number;
}
export type EntryRows = ReturnType<typeof entryRows>;

const headerColumns = 'e.id, e.conversation, e.kind, e.key, e.head, e.by_task';
const entryColumns = `${headerColumns}, e.content`;

const table = 'engine_entries AS e INDEXED BY engine_entries_id';

export function entryRows(db: Database) {
  const insert = db.prepare<[number, Id, Id, string, string | null, number | null, Id | null, string]>(
    'INSERT INTO engine_entries (session, id, conversation, kind, key, head, by_task, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const headers: Record<Order, Read<HeaderRow>> = {
    asc: ranges<HeaderRow>(db, headerColumns, 'ASC'),
    desc: ranges<HeaderRow>(db, headerColumns, 'DESC'),
  };
  const entries: Record<Order, Read<EntryRow>> = {
    asc: ranges<EntryRow>(db, entryColumns, 'ASC'),
    desc: ranges<EntryRow>(db, entryColumns, 'DESC'),
  };
  const entriesById = byId<EntryRow>(db, { columns: entryColumns, table, alias: 'e' });
  const headersById = byId<HeaderRow>(db, { columns: headerColumns, table, alias: 'e' });
  const newestHead = db.prepare<[number, Id, Id], HeaderRow>(
    `SELECT ${headerColumns} FROM engine_entries AS e INDEXED BY engine_entries_head
     WHERE e.session = ${integer} AND e.conversation = ${integer} AND e.id <= ? AND e.head IS NOT NULL ORDER BY e.id DESC LIMIT 1`,
  );
  const count = db
    .prepare<[number, Id, Id, Id], number>(
      'SELECT count(*) FROM engine_entries INDEXED BY engine_entries_transcript WHERE session = ? AND conversation = ? AND id BETWEEN ? AND ?',
    )
    .pluck();
  const next = db
    .prepare<[number, Id], Id | null>(
      `SELECT min(conversation) FROM engine_entries INDEXED BY engine_entries_transcript WHERE session = ${integer} AND conversation > ?`,
    )
    .pluck();
  // Heads stay.
  const unpacked = `session = ${integer} AND conversation = ${integer} AND id BETWEEN ? AND ? AND head IS NULL`;
  const sizes = db.prepare<[number, Id, Id, Id, number], RowSize>(
    `SELECT id, octet_length(content) AS size FROM engine_entries INDEXED BY engine_entries_transcript WHERE ${unpacked} ORDER BY id LIMIT ${integer}`,
  );
  const packable = db.prepare<[number, Id, Id, Id], EntryRow>(
    `SELECT ${entryColumns} FROM engine_entries AS e INDEXED BY engine_entries_transcript WHERE ${unpacked} ORDER BY id`,
  );
  const remove = db.prepare<[number, Id, Id, Id]>(
    `DELETE FROM engine_entries INDEXED BY engine_entries_transcript WHERE ${unpacked}`,
  );
  return {
    insert(session: number, entry: Entry): void {
      insert.run(
        session,
        entry.id,
        entry.conversationId,
        entry.kind,
        entry.key ?? null,
        entry.head === undefined ? null : 1,
        entry.byTaskId ?? null,
        jsonText(entry.content),
      );
    },
    headers: (session: number, conversation: Id, range: Range, limit: number, filter: EntryFilter): EntryHeader[] =>
      headers[range.order](session, conversation, range, limit, filter).map(toHeader),
    entries: (session: number, conversation: Id, range: Range, limit: number, filter: EntryFilter): Entry[] =>
      entries[range.order](session, conversation, range, limit, filter).map(toEntry),
    entry(session: number, id: Id): Entry | undefined {
      const [row] = entriesById(session, [id]);
      return row === undefined ? undefined : toEntry(row);
    },
    entriesById: (session: number, ids: readonly Id[]): Entry[] => entriesById(session, ids).map(toEntry),
    headersById: (session: number, ids: readonly Id[]): EntryHeader[] => headersById(session, ids).map(toHeader),
    /** Of that conversation's own entries. */
    newestHead(session: number, conversation: Id, through: Id): EntryHeader | undefined {
      const row = newestHead.get(session, conversation, through);
      return row === undefined ? undefined : toHeader(row);
    },
    count: (session: number, conversation: Id, low: Id, high: Id): number => count.get(session, conversation, low, high) ?? 0,
    /** The next conversation that has rows. */
    nextConversation: (session: number, behind: Id): Id | undefined => next.get(session, behind) ?? undefined,
    /** The first of the conversation's rows that are no heads. */
    sizes: (session: number, conversation: Id, low: Id, high: Id, limit: number): RowSize[] =>
      sizes.all(session, conversation, low, high, limit),
    /** Those rows, each with the JSON of its content. */
    texts: (session: number, conversation: Id, low: Id, high: Id): (readonly [EntryHeader, string])[] =>
      packable.all(session, conversation, low, high).map((row) => [toHeader(row), row.content]),
    /** What `texts` gave, once it stands in a pack. */
    remove: (session: number, conversation: Id, low: Id, high: Id): number =>
      remove.run(session, conversation, low, high).changes,
  };
}

/** The four filtered range reads of one order: each has its own index. */
function ranges<Row>(db: Database, columns: string, order: 'ASC' | 'DESC'): Read<Row> {
  const select = (index: string, filter: string) =>
    `SELECT ${columns} FROM engine_entries AS e INDEXED BY ${index}
     WHERE e.session = ${integer} AND e.conversation = ${integer} AND e.id BETWEEN ? AND ? ${filter} ORDER BY e.id ${order} LIMIT ${integer}`;
  const plain = db.prepare<[number, Id, Id, Id, number], Row>(select('engine_entries_transcript', ''));
  const ofKind = db.prepare<[number, Id, Id, Id, string, number], Row>(select('engine_entries_kind', `AND e.kind = ${text}`));
  const ofKey = db.prepare<[number, Id, Id, Id, string, number], Row>(select('engine_entries_key', `AND e.key = ${text}`));
  const ofBoth = db.prepare<[number, Id, Id, Id, string, string, number], Row>(
    select('engine_entries_key', `AND e.key = ${text} AND e.kind = ${text}`),
  );
  return (session, conversation, { low, high }, limit, { kind, key }) => {
    if (key !== undefined) {
      if (kind !== undefined) return ofBoth.all(session, conversation, low, high, key, kind, limit);
      return ofKey.all(session, conversation, low, high, key, limit);
    }
    if (kind !== undefined) return ofKind.all(session, conversation, low, high, kind, limit);
    return plain.all(session, conversation, low, high, limit);
  };
}

function toHeader(row: HeaderRow): EntryHeader {
  return {
    id: row.id,
    conversationId: row.conversation,
    kind: row.kind,
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.head === null ? {} : { head: true as const }),
    ...(row.by_task === null ? {} : { byTaskId: row.by_task }),
  };
}

function toEntry(row: EntryRow): Entry {
  return { ...toHeader(row), content: JSON.parse(row.content) as Json };
}

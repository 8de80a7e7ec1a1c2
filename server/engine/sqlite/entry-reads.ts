/**
 * The entries of a file's sessions, whether they are rows or stand in packs. Packing moves them from the one to the other, in another
 * process maybe: a session with packs is read in one snapshot. One without is read as rows alone, and once more when it turns out to have got
 * packs by then.
 */
import type { Database } from 'better-sqlite3';
import type { Range } from '../paging.ts';
import type { Entry, EntryHeader, Id } from '../records.ts';
import type { EntryFilter } from '../rows.ts';
import type { EntryRows } from './entry-rows.ts';
import type { Packed, PackedEntries } from './packed-entries.ts';
import type { PackedSessions } from './packed-sessions.ts';
import { snapshots } from './snapshot.ts';

export type EntryReads = ReturnType<typeof entryReads>;

export function entryReads(db: Database, rows: EntryRows, packs: PackedEntries, sessions: PackedSessions) {
  const snapshot = snapshots(db);
  const read = <T>(session: number, fromRows: () => T, fromBoth: () => T): T => {
    if (!sessions.isKnown(session)) {
      const found = fromRows();
      if (!sessions.has(session)) return found;
    }
    return snapshot(fromBoth);
  };
  const toHeader = ({ pack, at }: Packed): EntryHeader => pack.header(at);
  const toEntry = (packed: Packed): Entry => packs.entry(packed);

  const range =
    <T extends EntryHeader>(readRows: RangeOf<T>, made: (packed: Packed) => T) =>
    (session: number, conversation: Id, within: Range, limit: number, filter: EntryFilter): T[] =>
      read(
        session,
        () => readRows(session, conversation, within, limit, filter),
        () => {
          const found = readRows(session, conversation, within, limit, filter);
          const rest = found.length < limit ? within : upTo(within, found.at(-1)?.id);
          return merged(found, packs.range(session, conversation, rest, limit, filter), within, limit, made);
        },
      );
  const byIds =
    <T extends EntryHeader>(readRows: (session: number, ids: readonly Id[]) => T[], made: (packed: Packed) => T) =>
    (session: number, ids: readonly Id[]): T[] =>
      read(
        session,
        () => readRows(session, ids),
        () => {
          const found = new Map(readRows(session, ids).map((row) => [row.id, row]));
          const missing = [...new Set(ids)].filter((id) => !found.has(id)).toSorted((a, b) => a - b);
          if (missing.length === 0) return [...found.values()];
          for (const packed of packs.byIds(session, missing)) found.set(packed.id, made(packed));
          return [...new Set(ids)].flatMap((id) => found.get(id) ?? []);
        },
      );

  return {
    headers: range(rows.headers, toHeader),
    entries: range(rows.entries, toEntry),
    headersById: byIds(rows.headersById, toHeader),
    entriesById: byIds(rows.entriesById, toEntry),
    /** One for itself: see `PackedEntries.alone`. */
    entryAlone: (session: number, id: Id): Entry | undefined =>
      read(
        session,
        () => rows.entry(session, id),
        () => rows.entry(session, id) ?? packs.alone(session, id),
      ),
    /** Heads are rows. */
    newestHead: (session: number, conversation: Id, through: Id): EntryHeader | undefined =>
      rows.newestHead(session, conversation, through),
    count: (session: number, conversation: Id, low: Id, high: Id): number =>
      read(
        session,
        () => rows.count(session, conversation, low, high),
        () => rows.count(session, conversation, low, high) + packs.count(session, conversation, low, high),
      ),
  };
}

type RangeOf<T> = (session: number, conversation: Id, range: Range, limit: number, filter: EntryFilter) => T[];

/** Behind a full page of rows nothing is wanted any more. */
function upTo(range: Range, id: Id | undefined): Range {
  if (id === undefined) return range;
  return range.order === 'asc' ? { ...range, high: id } : { ...range, low: id };
}

/** Two lists of the same order as one, without a decoded entry too many. */
function merged<T extends EntryHeader>(
  rows: readonly T[],
  packed: readonly Packed[],
  { order }: Range,
  limit: number,
  made: (packed: Packed) => T,
): T[] {
  const items: T[] = [];
  for (let [i, k] = [0, 0]; items.length < limit;) {
    const [row, next] = [rows[i], packed[k]];
    if (next !== undefined && (row === undefined || (order === 'asc' ? next.id < row.id : next.id > row.id))) {
      items.push(made(next));
      k++;
    } else if (row !== undefined) {
      items.push(row);
      i++;
    } else break;
  }
  return items;
}

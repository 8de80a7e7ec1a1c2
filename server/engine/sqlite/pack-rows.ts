/**
 * Statements over packs of entries. Of one conversation no two packs overlap, and between a pack's first and last entry the conversation has
 * no others but heads, which are rows; packs of different conversations may overlap. The only module that writes packs.
 */
import type { Database } from 'better-sqlite3';
import type { Range } from '../paging.ts';
import type { EntryHeader, Id } from '../records.ts';
import type { PackContents, PackPlace } from './open-pack.ts';
import { encodeHeaders } from './pack-headers.ts';
import { packLimits } from './pack-limits.ts';
import { kindMarks, keyMarks } from './pack-marks.ts';
import { integer } from './parameter.ts';

export type PackRows = ReturnType<typeof packRows>;
type PlaceRow = Omit<PackPlace, 'session'>;
/** What a pack must have to be looked into: see pack-marks.ts. */
export interface Marks {
  readonly kinds: number;
  readonly keys: Uint8Array;
}

const columns = 'p.conversation, p.first, p.last, p.count, p.pack';
const byPlace = 'engine_packs AS p INDEXED BY sqlite_autoindex_engine_packs_1';
const byLast = 'engine_packs AS p INDEXED BY engine_packs_last';
const ofConversation = `p.session = ${integer} AND p.conversation = ${integer}`;

export function packRows(db: Database) {
  const exists = db.prepare<[number], 1>(`SELECT 1 FROM ${byLast} WHERE p.session = ${integer} LIMIT 1`).pluck();
  const overlapping = { asc: overlaps(db, 'ASC'), desc: overlaps(db, 'DESC') };
  const atOrBefore = db.prepare<[number, Id, Id], PlaceRow>(
    `SELECT ${columns} FROM ${byPlace} WHERE ${ofConversation} AND p.first <= ? ORDER BY p.first DESC LIMIT 1`,
  );
  const behind = db.prepare<[number, Id, Id], PlaceRow>(
    `SELECT ${columns} FROM ${byPlace} WHERE ${ofConversation} AND p.first > ? ORDER BY p.first LIMIT 1`,
  );
  const around = `FROM ${byLast} WHERE p.session = ${integer} AND p.last BETWEEN ? AND ? AND p.first <= ? ORDER BY p.last`;
  const nearest = db.prepare<[number, Id, Id, Id], PlaceRow>(`SELECT ${columns} ${around} LIMIT 1`);
  const containing = db.prepare<[number, Id, Id, Id], PlaceRow>(`SELECT ${columns} ${around}`);
  const counted = db
    .prepare<[number, Id, Id, Id, Id], number | null>(
      `SELECT sum(p.count) FROM ${byPlace} WHERE ${ofConversation} AND p.first >= ? AND p.first <= ? AND p.last <= ?`,
    )
    .pluck();
  const page = db.prepare<[number, Id, Id, number], PackPlace>(
    `SELECT p.session, ${columns} FROM ${byPlace} WHERE (p.session, p.conversation, p.first) > (?, ?, ?)
     ORDER BY p.session, p.conversation, p.first LIMIT ${integer}`,
  );
  const ofSession = db.prepare<[number], PlaceRow>(
    `SELECT ${columns} FROM ${byPlace} WHERE p.session = ${integer} ORDER BY p.conversation, p.first`,
  );
  const headers = db.prepare<[number], Uint8Array>('SELECT headers FROM engine_pack_contents WHERE pack = ?').pluck();
  const contents = db.prepare<[number], PackContents>('SELECT codec, size, contents FROM engine_pack_contents WHERE pack = ?');
  const whole = db.prepare<[number], PackContents & { readonly headers: Uint8Array }>(
    'SELECT headers, codec, size, contents FROM engine_pack_contents WHERE pack = ?',
  );
  const size = db.prepare<[number], number>('SELECT size FROM engine_pack_contents WHERE pack = ?').pluck();
  const addContents = db.prepare<[number, number, Uint8Array, Uint8Array]>(
    'INSERT INTO engine_pack_contents (codec, size, headers, contents) VALUES (?, ?, ?, ?)',
  );
  const add = db.prepare<[number, Id, Id, Id, number, number, Uint8Array, number]>(
    'INSERT INTO engine_packs (session, conversation, first, last, count, kinds, keys, pack) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const setContents = db.prepare<[number, number, Uint8Array, Uint8Array, number]>(
    'INSERT OR REPLACE INTO engine_pack_contents (codec, size, headers, contents, pack) VALUES (?, ?, ?, ?, ?)',
  );
  const set = db.prepare<[Id, number, number, Uint8Array, number, Id, Id]>(
    'UPDATE engine_packs SET last = ?, count = ?, kinds = ?, keys = ? WHERE session = ? AND conversation = ? AND first = ?',
  );
  const placed = (session: number, row: PlaceRow | undefined): PackPlace | undefined =>
    row === undefined ? undefined : { ...row, session };
  const all = (session: number, rows: readonly PlaceRow[]): PackPlace[] => rows.map((row) => ({ ...row, session }));
  const window = (session: number, id: Id): [number, Id, Id, Id] => [session, id, id + packLimits.span - 1, id];
  return {
    exists: (session: number): boolean => exists.get(session) !== undefined,
    /** Those of a conversation that reach into the range and have the marks, in its order. */
    overlapping: (session: number, of: Id, { low, high, order }: Range, { kinds, keys }: Marks, limit: number): PackPlace[] =>
      all(session, overlapping[order].all(session, of, session, of, low, high, low, kinds, keys, limit)),
    /** The one of the conversation that begins last at or before that number. */
    atOrBefore: (session: number, conversation: Id, id: Id): PackPlace | undefined =>
      placed(session, atOrBefore.get(session, conversation, id)),
    /** The next one of the conversation that begins behind that number. */
    behind: (session: number, conversation: Id, id: Id): PackPlace | undefined =>
      placed(session, behind.get(session, conversation, id)),
    /** The one of any conversation that has the number in its range and ends first. */
    nearest: (session: number, id: Id): PackPlace | undefined => placed(session, nearest.get(...window(session, id))),
    /** All that have the number in their range. */
    containing: (session: number, id: Id): PackPlace[] => all(session, containing.all(...window(session, id))),
    /** Entries of the conversation's packs that lie in the range whole. */
    counted: (session: number, conversation: Id, low: Id, high: Id): number =>
      counted.get(session, conversation, low, high, high) ?? 0,
    /** Of all sessions, those behind that one (absent: from the first on). */
    page: (before: PackPlace | undefined, limit: number): PackPlace[] =>
      page.all(before?.session ?? 0, before?.conversation ?? 0, before?.first ?? 0, limit),
    ofSession: (session: number): PackPlace[] => all(session, ofSession.all(session)),
    headers: (pack: number): Uint8Array | undefined => headers.get(pack),
    contents: (pack: number): PackContents | undefined => contents.get(pack),
    /** Headers and contents in one read. */
    whole: (pack: number): (PackContents & { readonly headers: Uint8Array }) | undefined => whole.get(pack),
    size: (pack: number): number => size.get(pack) ?? 0,
    /** Entries of one conversation in the order of their ids. */
    add(session: number, entries: readonly EntryHeader[], { codec, size: plain, contents: bytes }: PackContents): void {
      const [{ conversationId, id: first }, last, ...marks] = described(entries);
      const { lastInsertRowid } = addContents.run(codec, plain, encodeHeaders(entries), bytes);
      add.run(session, conversationId, first, last, entries.length, ...marks, Number(lastInsertRowid));
    },
    /** Another pack in its place, which begins with the same entry. */
    replace(place: PackPlace, entries: readonly EntryHeader[], { codec, size: plain, contents: bytes }: PackContents): void {
      const [{ conversationId, id: first }, last, ...marks] = described(entries);
      if (first !== place.first || conversationId !== place.conversation) throw new Error('a pack keeps its first entry');
      setContents.run(codec, plain, encodeHeaders(entries), bytes, place.pack);
      set.run(last, entries.length, ...marks, place.session, conversationId, first);
    },
  };
}

function overlaps(db: Database, order: 'ASC' | 'DESC') {
  // The one that begins before the range may reach into it.
  const from = `coalesce((SELECT p.first FROM ${byPlace} WHERE ${ofConversation} AND p.first <= ? ORDER BY p.first DESC LIMIT 1), 0)`;
  return db.prepare<[number, Id, number, Id, Id, Id, Id, number, Uint8Array, number], PlaceRow>(
    `SELECT ${columns} FROM ${byPlace} WHERE ${ofConversation} AND p.first >= ${from} AND p.first <= ? AND p.last >= ?
     AND p.kinds & ? <> 0 AND instr(p.keys, ?) > 0 ORDER BY p.first ${order} LIMIT ${integer}`,
  );
}

function described(entries: readonly EntryHeader[]): [EntryHeader, last: Id, kinds: number, keys: Uint8Array] {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a pack has entries');
  const kinds = kindMarks(new Set(entries.map(({ kind }) => kind)));
  return [first, last.id, kinds, keyMarks(entries.flatMap(({ key }) => key ?? []))];
}

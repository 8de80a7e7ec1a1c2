/** A look at a file's packs, whole: whether everything in them can be read. */
import type { Database } from 'better-sqlite3';
import type { EntryHeader, Id } from '../records.ts';
import { OpenPack } from './open-pack.ts';
import type { PackPlace } from './open-pack.ts';
import type { PackRows } from './pack-rows.ts';
import { snapshots } from './snapshot.ts';

export interface PackLook {
  readonly total: number;
  readonly looked: number;
  /** Whose packs are damaged: name of the session and conversation, one for each pack. */
  readonly damaged: readonly { readonly session: string; readonly conversation: Id }[];
}

/** A pack that cannot be read. */
export interface DamagedPlace {
  readonly place: PackPlace;
  /** What its entries are; undefined: that cannot be read either. */
  readonly headers: readonly EntryHeader[] | undefined;
}

/** Packs are listed that many at a time; between, others may write. */
const page = 256;

/** Looks at every `step`th pack. */
export function lookAtPacks(db: Database, rows: PackRows, step: number): PackLook {
  const snapshot = snapshots(db);
  const name = db.prepare<[number], string>('SELECT name FROM engine_sessions WHERE session = ?').pluck();
  const damaged: PackPlace[] = [];
  let total = 0;
  let looked = 0;
  const lookBehind = (behind: PackPlace | undefined): PackPlace | undefined =>
    snapshot(() => {
      const places = rows.page(behind, page);
      for (const place of places) {
        if (total++ % step !== 0) continue;
        looked++;
        if (!isWhole(rows, place)) damaged.push(place);
      }
      return places.at(-1);
    });
  for (let last = lookBehind(undefined); last !== undefined;) last = lookBehind(last);
  const named = damaged.map(({ session, conversation }) => ({ session: name.get(session) ?? '', conversation }));
  return { total, looked, damaged: named };
}

/** Looks at every pack of a session. */
export function damagedPlaces(db: Database, rows: PackRows, session: number): readonly DamagedPlace[] {
  return snapshots(db)(() =>
    rows
      .ofSession(session)
      .filter((place) => !isWhole(rows, place))
      .map((place) => ({ place, headers: headersIn(rows, place) })),
  );
}

function isWhole(rows: PackRows, place: PackPlace): boolean {
  return (
    unlessDamaged(() => {
      const [headers, contents] = [rows.headers(place.pack), rows.contents(place.pack)];
      if (headers === undefined || contents === undefined) return false;
      const pack = new OpenPack(place, headers);
      pack.load(contents);
      for (let at = 0; at < place.count; at++) pack.entry(at);
      return true;
    }) === true
  );
}

function headersIn(rows: PackRows, place: PackPlace): readonly EntryHeader[] | undefined {
  return unlessDamaged(() => {
    const headers = rows.headers(place.pack);
    if (headers === undefined) return undefined;
    const pack = new OpenPack(place, headers);
    return pack.ids.map((_id, at) => pack.header(at));
  });
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Of the pack, or of the pages that it stands in. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CORRUPT');
}

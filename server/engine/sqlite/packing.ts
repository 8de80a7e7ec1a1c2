/**
 * Entries that are rows become packs. Runs within the caller's transaction, so that every entry is always either the one or the other. A run is
 * what stands between two packs of a conversation; a short pack before it is filled up, so that a thread that grows little by little does
 * not leave one at each step, and what is too little for a pack stays rows until more has come.
 */
import type { Database } from 'better-sqlite3';
import type { EntryHeader, Id } from '../records.ts';
import { end } from '../storage.ts';
import type { EntryRows, RowSize } from './entry-rows.ts';
import type { PackPlace } from './open-pack.ts';
import { compress } from './pack-codec.ts';
import { packLimits } from './pack-limits.ts';
import type { PackRows } from './pack-rows.ts';
import type { PackedEntries } from './packed-entries.ts';
import { integer } from './parameter.ts';

export interface PackedSome {
  /** Entries that were rows. */
  readonly packed: number;
  /** There may be more to pack. */
  readonly more: boolean;
}

export interface PackOptions {
  /** About that many entries at most. */
  readonly most: number;
  /** Fewer rows are left as they are; 8 when it is absent. */
  readonly fewest?: number;
}

const usualFewest = 8;
/** Of contents that one call reads, whatever number of entries it may pack. */
const mostBytes = 8 * 1024 * 1024;

export class Packing {
  readonly #rows: EntryRows;
  readonly #packs: PackRows;
  readonly #opened: PackedEntries;
  readonly #waiting;
  readonly #through;

  constructor(db: Database, rows: EntryRows, packs: PackRows, opened: PackedEntries) {
    this.#rows = rows;
    this.#packs = packs;
    this.#opened = opened;
    // As many rows behind what was looked through as make a pack.
    this.#waiting = db
      .prepare<[number], string>(
        `SELECT s.name FROM engine_sessions AS s LEFT JOIN engine_packing AS p ON p.session = s.session
         WHERE (SELECT count(*) FROM (SELECT 1 FROM engine_entries AS e INDEXED BY engine_entries_id
           WHERE e.session = s.session AND e.id > coalesce(p.through, 0) LIMIT ${usualFewest})) = ${usualFewest} LIMIT ${integer}`,
      )
      .pluck();
    this.#through = db.prepare<[number, Id]>(
      `INSERT INTO engine_packing (session, through) VALUES (?, ?)
       ON CONFLICT (session) DO UPDATE SET through = excluded.through WHERE through < excluded.through`,
    );
  }

  /** Names of sessions that have something to pack. */
  packable(limit: number): string[] {
    return this.#waiting.all(limit);
  }

  /** `through`: the session's last number. */
  pack(session: number, through: Id, { most, fewest = usualFewest }: PackOptions): PackedSome {
    const left = { entries: most, bytes: mostBytes };
    let packed = 0;
    for (let of = this.#rows.nextConversation(session, 0); of !== undefined; of = this.#rows.nextConversation(session, of)) {
      for (let from: Id | undefined = 1; from !== undefined;) {
        if (left.entries <= 0 || left.bytes <= 0) return { packed, more: true };
        const done = this.#step(session, of, from, fewest);
        packed += done.rows;
        left.entries -= done.rows;
        left.bytes -= done.bytes;
        from = done.next;
      }
    }
    this.#through.run(session, through);
    return { packed, more: false };
  }

  /** One pack of the first rows from that number on, or past a run that is too short for one. `next`: undefined at the end. */
  #step(
    session: number,
    conversation: Id,
    from: Id,
    fewest: number,
  ): { readonly rows: number; readonly bytes: number; readonly next: Id | undefined } {
    const [start] = this.#rows.sizes(session, conversation, from, end, 1);
    if (start === undefined) return { rows: 0, bytes: 0, next: undefined };
    const behind = this.#packs.behind(session, conversation, start.id);
    const high = behind === undefined ? end : behind.first - 1;
    const run = this.#rows.sizes(session, conversation, start.id, high, packLimits.entries);
    const short = run.length < fewest ? undefined : this.#short(session, conversation, start);
    const { count, isFull } = fitting(run, short);
    const last = run[count - 1];
    if (last === undefined || (count < fewest && !isFull)) return { rows: 0, bytes: 0, next: behind?.last };
    const bytes = this.#make(session, conversation, short, start.id, last.id);
    return { rows: count, bytes, next: last.id + 1 };
  }

  /** The pack before a row, when it has room for it. */
  #short(session: number, conversation: Id, row: RowSize): Short | undefined {
    const place = this.#packs.atOrBefore(session, conversation, row.id);
    if (place === undefined || place.count >= packLimits.entries || row.id - place.first >= packLimits.span) return undefined;
    const bytes = this.#packs.size(place.pack);
    return bytes + row.size > packLimits.bytes ? undefined : { place, bytes };
  }

  /** Returns how many bytes the contents have. */
  #make(session: number, conversation: Id, short: Short | undefined, low: Id, high: Id): number {
    const headers: EntryHeader[] = [];
    const lines: string[] = [];
    if (short !== undefined) {
      const pack = this.#opened.loaded(this.#opened.open(short.place));
      pack.ids.forEach((_id, at) => headers.push(pack.header(at)));
      for (let at = 0; at < pack.ids.length; at++) lines.push(pack.line(at));
    }
    for (const [header, text] of this.#rows.texts(session, conversation, low, high)) {
      headers.push(header);
      // In JSON it stands between tokens only.
      lines.push(text.replaceAll('\n', ' '));
    }
    const plain = Buffer.from(lines.join('\n'));
    const { codec, bytes: contents } = compress(plain);
    const stored = { codec, size: plain.length, contents };
    if (short === undefined) this.#packs.add(session, headers, stored);
    else this.#packs.replace(short.place, headers, stored);
    this.#rows.remove(session, conversation, low, high);
    return plain.length;
  }
}

interface Short {
  readonly place: PackPlace;
  readonly bytes: number;
}

/** How many of the rows go into one pack; `isFull`: no more would. */
function fitting(rows: readonly RowSize[], short: Short | undefined): { readonly count: number; readonly isFull: boolean } {
  const first = short?.place.first ?? rows[0]?.id ?? 0;
  let entries = short?.place.count ?? 0;
  let bytes = short?.bytes ?? 0;
  let count = 0;
  for (const { id, size } of rows) {
    const fits = entries < packLimits.entries && id - first < packLimits.span && bytes + size <= packLimits.bytes;
    if (entries > 0 && !fits) return { count, isFull: true };
    entries++;
    bytes += size + 1;
    count++;
  }
  return { count, isFull: entries >= packLimits.entries };
}

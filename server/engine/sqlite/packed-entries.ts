/**
 * Entries that stand in packs, as reads of them by id and in order: what is decoded is what is returned and the rest of the packs at its
 * ends. Every read runs within its caller's snapshot: a pack that was found must still be there when it is opened.
 */
import type { Order, Range } from '../paging.ts';
import type { Entry, EntryHeader, Id, Json } from '../records.ts';
import type { EntryFilter } from '../rows.ts';
import { DamagedPack, readingPack } from './damaged-pack.ts';
import { OpenPack } from './open-pack.ts';
import type { PackContents, PackPlace } from './open-pack.ts';
import type { PackCache } from './pack-cache.ts';
import { encodeHeaders } from './pack-headers.ts';
import { anyKey, anyKind, keyMarks, kindMarks } from './pack-marks.ts';
import type { Marks, PackRows } from './pack-rows.ts';

/** An entry in its pack. */
export interface Packed {
  readonly id: Id;
  readonly pack: OpenPack;
  readonly at: number;
}

/** What is given for entries that cannot be read: for each whose header can be, and one for all of a pack whose headers cannot. */
export interface StandIn {
  readonly kind: string;
  readonly content: (place: PackPlace) => Json;
}

/** Packs are looked up that many at a time. */
const mostPlaces = 64;
/** About as many entries are in a pack that is not the last one. */
const usual = 48;

export class PackedEntries {
  readonly #rows: PackRows;
  readonly #cache: PackCache;
  #standIn: StandIn | undefined;
  /** Stand for packs whose headers cannot be read. */
  #stoodIn = new WeakSet<OpenPack>();

  constructor(rows: PackRows, cache: PackCache) {
    this.#rows = rows;
    this.#cache = cache;
  }

  /** Throws `DamagedPack`. */
  open(place: PackPlace): OpenPack {
    const known = this.#cache.get(place);
    if (known !== undefined) return known;
    const pack = this.#opened(place);
    this.#cache.put(pack);
    return pack;
  }

  /** With its contents. Throws `DamagedPack`. */
  loaded(pack: OpenPack): OpenPack {
    if (pack.isLoaded) return pack;
    this.#load(pack);
    this.#cache.put(pack);
    return pack;
  }

  /** Throws `DamagedPack`. */
  entry({ pack, at }: Packed): Entry {
    if (this.#standIn !== undefined && this.#stoodIn.has(pack)) return standing(pack.header(at), pack.place, this.#standIn);
    try {
      return readingPack(pack.place, () => this.loaded(pack).entry(at));
    } catch (error) {
      if (this.#standIn === undefined || !(error instanceof DamagedPack)) throw error;
      return standing(pack.header(at), pack.place, this.#standIn);
    }
  }

  /** While `read` runs, which waits for nothing, pages of entries have stand-ins for what is damaged, and counts leave it out. */
  standingIn<T>(standIn: StandIn, read: () => T): T {
    this.#standIn = standIn;
    try {
      return read();
    } finally {
      this.#standIn = undefined;
    }
  }

  /**
   * An entry for a reader who wants it alone, as a search does of many sessions: of packs that are not kept already none is kept, since
   * they would drive out those that are read page by page, and live just long enough to be costly to collect. Throws `DamagedPack`.
   */
  alone(session: number, id: Id): Entry | undefined {
    const opened = new Map<OpenPack, PackContents>();
    const packed = this.#byId(session, id, (place) => {
      const kept = this.#cache.get(place);
      if (kept !== undefined) return kept;
      const row = readingPack(place, () => this.#rows.whole(place.pack) ?? missing());
      const pack = readingPack(place, () => new OpenPack(place, row.headers));
      opened.set(pack, row);
      return pack;
    });
    if (packed === undefined) return undefined;
    const { pack, at } = packed;
    const contents = opened.get(pack);
    if (contents === undefined) return readingPack(pack.place, () => this.loaded(pack).entry(at));
    return readingPack(pack.place, () => {
      pack.load(contents);
      const entry = pack.entry(at);
      pack.unload();
      return entry;
    });
  }

  /** The first `limit` of a conversation's own, in the range's order. */
  range(session: number, conversation: Id, range: Range, limit: number, { kind, key }: EntryFilter): Packed[] {
    const found: Packed[] = [];
    const wanted: EntryFilter = {
      ...(kind === undefined ? {} : { kind: kind.toWellFormed() }),
      ...(key === undefined ? {} : { key: key.toWellFormed() }),
    };
    let rest = range;
    while (found.length < limit && rest.low <= rest.high) {
      const most = Math.min(mostPlaces, Math.ceil((limit - found.length) / usual) + 1);
      const places = this.#rows.overlapping(session, conversation, rest, marksOf(wanted), most);
      for (const place of places) {
        take(this.#openOrStandIn(place), rest, limit, wanted, found);
        if (found.length >= limit) return found;
      }
      const last = places.at(-1);
      if (last === undefined || places.length < most) return found;
      rest = rest.order === 'asc' ? { ...rest, low: last.last + 1 } : { ...rest, high: last.first - 1 };
    }
    return found;
  }

  /** Those of the ids, which ascend, that stand in packs. */
  byIds(session: number, ids: readonly Id[]): Packed[] {
    const found: Packed[] = [];
    let pack: OpenPack | undefined;
    for (const id of ids) {
      const packed = (pack === undefined ? undefined : entryIn(pack, id)) ?? this.#byId(session, id, (place) => this.open(place));
      if (packed === undefined) continue;
      found.push(packed);
      pack = packed.pack;
    }
    return found;
  }

  /** Of a conversation's own. */
  count(session: number, conversation: Id, low: Id, high: Id): number {
    const ends = [
      this.#rows.atOrBefore(session, conversation, low - 1),
      this.#rows.atOrBefore(session, conversation, high),
    ].filter((place) => place !== undefined);
    let count = this.#rows.counted(session, conversation, low, high);
    for (const [i, place] of ends.entries()) {
      const isTwice = i > 0 && ends[0]?.pack === place.pack;
      const isWhole = place.first >= low && place.last <= high;
      if (isTwice || isWhole || place.last < low || place.first > high) continue;
      const pack = this.#openOrStandIn(place);
      count += pack.placeOf(high + 1) - pack.placeOf(low);
    }
    return count;
  }

  #openOrStandIn(place: PackPlace): OpenPack {
    try {
      return this.open(place);
    } catch (error) {
      if (this.#standIn === undefined || !(error instanceof DamagedPack)) throw error;
      const header: EntryHeader = { id: place.first, conversationId: place.conversation, kind: this.#standIn.kind };
      const pack = new OpenPack({ ...place, last: place.first, count: 1 }, encodeHeaders([header]));
      this.#stoodIn.add(pack);
      return pack;
    }
  }

  #opened(place: PackPlace): OpenPack {
    return readingPack(place, () => new OpenPack(place, this.#rows.headers(place.pack) ?? missing()));
  }

  #load(pack: OpenPack): void {
    readingPack(pack.place, () => pack.load(this.#rows.contents(pack.place.pack) ?? missing()));
  }

  #byId(session: number, id: Id, open: (place: PackPlace) => OpenPack): Packed | undefined {
    const nearest = this.#rows.nearest(session, id);
    if (nearest === undefined) return undefined;
    const found = entryIn(open(nearest), id);
    if (found !== undefined) return found;
    // Packs of other conversations lie around it.
    for (const place of this.#rows.containing(session, id)) {
      const packed = place.pack === nearest.pack ? undefined : entryIn(open(place), id);
      if (packed !== undefined) return packed;
    }
    return undefined;
  }
}

function standing({ id, conversationId }: EntryHeader, place: PackPlace, { kind, content }: StandIn): Entry {
  return { id, conversationId, kind, content: content(place) };
}

function entryIn(pack: OpenPack, id: Id): Packed | undefined {
  const at = pack.placeOf(id);
  return pack.ids[at] === id ? { id, pack, at } : undefined;
}

function take(pack: OpenPack, { low, high, order }: Range, limit: number, { kind, key }: EntryFilter, found: Packed[]): void {
  const [from, behind] = [pack.placeOf(low), pack.placeOf(high + 1)];
  const { ids, kinds, keys } = pack;
  for (const at of inOrder(from, behind, order)) {
    const id = ids[at];
    if (id === undefined || (kind !== undefined && kinds[at] !== kind) || (key !== undefined && keys[at] !== key)) continue;
    found.push({ id, pack, at });
    if (found.length >= limit) return;
  }
}

function* inOrder(from: number, behind: number, order: Order): Generator<number, void, undefined> {
  if (order === 'asc') for (let at = from; at < behind; at++) yield at;
  else for (let at = behind - 1; at >= from; at--) yield at;
}

function marksOf({ kind, key }: EntryFilter): Marks {
  return { kinds: kind === undefined ? anyKind : kindMarks([kind]), keys: key === undefined ? anyKey : keyMarks([key]) };
}

function missing(): never {
  throw new DamagedPack('its contents are gone');
}

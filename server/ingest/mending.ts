/**
 * Damaged packs of entries, told anew: the session's source is translated once more, out of the archive or the harness's file, and what it
 * tells between the nearest entries that can be read is put into the places of those that cannot. Ids stay, so what names an entry still
 * does. All of a stretch or nothing of it: as many entries as are missing, of the same kinds in the same order. What the ledger wrote itself,
 * or what names other entries, is not told anew.
 */
import path from 'node:path';
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import type { PackPlace } from '../engine/sqlite/open-pack.ts';
import type { DamagedPlace } from '../engine/sqlite/pack-look.ts';
import type { Entry, EntryHeader } from '../engine/records.ts';
import { contentKinds, isHead } from '../ledger/kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import { entryById } from '../ledger/transcript.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { ArchivedFeed } from './archived-feed.ts';
import { withLoomsPrompt } from './expected.ts';
import { LocalReading, ReadingFailed } from './reading.ts';
import type { StoredContent } from './stored-content.ts';
import { refers } from './translated-batch.ts';
import type { OutlinedDraft, TranslatedBatch } from './translated-batch.ts';

export interface MendingOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly sidecars: Sidecars;
}

/** How many of a session's packs were damaged and are whole now, and how many still are damaged. */
export interface Mended {
  readonly packs: number;
  readonly left: number;
}

/** What is known of an entry whose content is gone; without a header where those of the pack are damaged too. */
interface Missing {
  readonly id: number;
  readonly header: EntryHeader | undefined;
  readonly place: PackPlace;
}
interface Told {
  readonly draft: OutlinedDraft;
  readonly stored: StoredContent;
}
/** A stretch of one native session: what is missing, and what of a source stands around and among it. */
interface Stretch {
  readonly native: NativeRow;
  readonly missing: readonly Missing[];
  readonly before: Neighbours;
  readonly behind: Neighbours;
  /** Among the missing ones. */
  readonly among: readonly LedgerEntry[];
}
/** Entries of one record, next to the stretch; none: it begins, or ends, with the session. */
interface Neighbours {
  readonly source: number | undefined;
  readonly generation: number;
  readonly offset: number;
  readonly count: number;
}

const nothing: Neighbours = { source: undefined, generation: 0, offset: -1, count: 0 };
/** Numbers that are looked through for a neighbour: entries of other sessions of the thread may lie between. */
const mostSteps = 20_000;

/** For the session's one writer, while nothing is being read. */
export function mendSession(options: MendingOptions, session: string): Mended {
  for (let packs = 0; ;) {
    const damaged = options.ledger.damagedPacks(session);
    const mended = damaged.length === 0 ? 0 : mendSome(options, session, damaged);
    packs += mended;
    // What is whole now may tell of others whose copies they are.
    if (mended === 0 || mended === damaged.length) return { packs, left: damaged.length - mended };
  }
}

/** How many of them are whole now. */
function mendSome(options: MendingOptions, session: string, damaged: readonly DamagedPlace[]): number {
  const { ledger } = options;
  const missing = new Map<number, Missing>();
  for (const { place, headers } of damaged) {
    for (const header of headers ?? []) missing.set(header.id, { id: header.id, header, place });
    for (const id of headers === undefined ? freeIds(ledger, session, place) : [])
      missing.set(id, { id, header: undefined, place });
  }
  const looked = new Set<PackPlace>();
  const mended = new Map<PackPlace, Entry[]>();
  for (const { place } of damaged) {
    if (looked.has(place)) continue;
    const stretch = stretchAround(ledger, session, place, missing);
    if (stretch === undefined) continue;
    for (const one of stretch.missing) looked.add(one.place);
    const told = toldAnew(options, stretch) ?? [];
    for (const [at, { draft, stored }] of told.entries()) {
      const one = stretch.missing[at];
      if (one === undefined) break;
      const entries = mended.get(one.place) ?? [];
      entries.push({ ...headerOf(one, draft), content: stored.content as Entry['content'] });
      mended.set(one.place, entries);
    }
  }
  if (mended.size > 0) ledger.mendPacks(Array.from(mended, ([place, entries]) => ({ place, entries })));
  return mended.size;
}

function headerOf({ id, header, place }: Missing, { kind, toolCallId }: OutlinedDraft): EntryHeader {
  if (header !== undefined) return header;
  return { id, conversationId: place.conversation, kind, ...(toolCallId === undefined ? {} : { key: toolCallId }) };
}

/** Ids of a pack whose headers are damaged, where they can only be those: all that nothing else in its range has. The range may be damaged too. */
function freeIds(ledger: Ledger, session: string, { first, last: said, count }: PackPlace): readonly number[] {
  const last = Math.min(said, lastOf(ledger, session));
  if (last - first >= mostSteps) return [];
  const conversations = new Set(ledger.branches.bySession(session).map(({ conversation }) => conversation));
  const free: number[] = [];
  for (let id = first; id <= last; id++)
    if (!conversations.has(id) && unlessDamaged(() => ledger.entry(session, id)) === undefined) free.push(id);
  return free.length === count ? free : [];
}

/** Packs are taken whole: a stretch reaches from the first to the last entry of those that are damaged next to each other, or among each other. */
function stretchAround(
  ledger: Ledger,
  session: string,
  place: PackPlace,
  missing: ReadonlyMap<number, Missing>,
): Stretch | undefined {
  const nativeOf = (conversation: number): number | undefined => ledger.branches.get(session, conversation)?.native;
  const number = nativeOf(place.conversation);
  const native = number === undefined ? undefined : ledger.natives.byNumber(number);
  if (native === undefined || !missing.has(place.first)) return undefined;
  const last = lastOf(ledger, session);
  const sources = new Set(ledger.sources.byNative(native.number).map((source) => source.number));
  const readable = (id: number): LedgerEntry | undefined => {
    const entry = unlessDamaged(() => entryById(ledger, session, id));
    return entry !== undefined && sources.has(entry.content.provenance.source) ? entry : undefined;
  };
  /** The nearest entries of a record of the session's in that direction, or the damaged pack of its that comes before any. */
  const walk = (from: number, step: 1 | -1): Neighbours | PackPlace => {
    let found: { source: number; generation: number; offset: number; count: number } | undefined;
    for (let [id, steps] = [from, 0]; id > 0 && id <= last && steps < mostSteps; id += step, steps++) {
      const one = missing.get(id);
      if (one !== undefined && nativeOf(one.place.conversation) === native.number) return found ?? one.place;
      const entry = one === undefined ? readable(id) : undefined;
      if (entry === undefined) continue;
      const { source, generation = 0, offset } = entry.content.provenance;
      if (found === undefined) found = { source, generation, offset, count: 1 };
      else if (found.source === source && found.generation === generation && found.offset === offset) found.count++;
      else return found;
    }
    return found ?? nothing;
  };
  const own = [...missing.values()]
    .filter((one) => nativeOf(one.place.conversation) === native.number)
    .toSorted((a, b) => a.id - b.id);
  const taken = new Set([place]);
  for (;;) {
    const parts = own.filter((one) => taken.has(one.place));
    const [first, end] = [parts[0]?.id ?? place.first, parts.at(-1)?.id ?? place.first];
    const packs = taken.size;
    for (const one of own) if (one.id >= first && one.id <= end) taken.add(one.place);
    if (taken.size > packs) continue;
    const [before, behind] = [walk(first - 1, -1), walk(end + 1, 1)];
    for (const next of [before, behind]) if ('pack' in next) taken.add(next);
    if ('pack' in before || 'pack' in behind) continue;
    const among: LedgerEntry[] = [];
    for (let id = first; id <= end; id++)
      if (!missing.has(id)) among.push(...[readable(id)].filter((entry) => entry !== undefined));
    return { native, missing: parts, before, behind, among };
  }
}

/** The greatest id that an entry of the session's natives has. */
function lastOf(ledger: Ledger, session: string): number {
  return Math.max(0, ...ledger.branches.bySession(session).map(({ last_entry: entry }) => entry));
}

/** For each of the missing entries what its source tells of it; undefined: that is not to be had, or does not fit. */
function toldAnew(options: MendingOptions, stretch: Stretch): readonly Told[] | undefined {
  const { ledger } = options;
  const { native, before, behind } = stretch;
  const number = before.source ?? behind.source;
  if (before.source !== undefined && behind.source !== undefined && !isOneSource(before, behind)) return undefined;
  for (const source of ledger.sources.byNative(native.number)) {
    if (number !== undefined && source.number !== number) continue;
    const generation = number === undefined ? source.generation : (before.source === undefined ? behind : before).generation;
    for (const feed of [() => new ArchivedFeed(ledger, source, generation), undefined]) {
      // What is no longer as it was read has other offsets.
      if (feed === undefined && generation !== source.generation) continue;
      const told = fitting(ledger, stretch, draftsOf(options, native, source, generation, feed?.()));
      if (told !== undefined) return told;
    }
  }
  return undefined;
}

function isOneSource(one: Neighbours, other: Neighbours): boolean {
  return one.source === other.source && one.generation === other.generation;
}

/** What the source tells up to its cursor, in order. */
function* draftsOf(
  { ledger, shuttles, sidecars }: MendingOptions,
  native: NativeRow,
  source: SourceRow,
  generation: number,
  feed: ArchivedFeed | undefined,
): Generator<Told, void> {
  const shuttle = shuttles.find(({ harness }) => harness === source.harness);
  if (shuttle === undefined) return;
  const request = {
    path: source.path,
    root: path.dirname(source.path),
    harness: source.harness,
    source: source.number,
    offset: 0,
    fingerprint: '',
    state: 'null',
    generation,
    identity: undefined,
    limit: Number.MAX_SAFE_INTEGER,
    head: false,
    packs: false,
    archive: false,
  };
  let isLooms = ledger.expected.byNative(native.number) !== undefined;
  using reading = new LocalReading(request, { shuttle, sidecars, ...(feed === undefined ? {} : { feed }) });
  const opening = reading.opening();
  if (!opening.ok || opening.source.identity?.nativeId !== native.native_id) return;
  try {
    for (let batch = reading.take(); batch !== undefined; batch = reading.take()) {
      const read: TranslatedBatch = isLooms ? withLoomsPrompt(batch) : batch;
      let nth = 0;
      for (const output of read.outputs) {
        if (output.type !== 'entry') continue;
        const stored = read.stored[nth++];
        if (output.origin === 'loom') isLooms = false;
        if (stored !== undefined && (generation !== source.generation || output.offset < source.offset))
          yield { draft: output, stored };
      }
    }
  } catch (error) {
    if (!(error instanceof ReadingFailed)) throw error;
  }
}

function fitting(ledger: Ledger, stretch: Stretch, drafts: Iterable<Told>): readonly Told[] | undefined {
  const { native, missing, before, behind, among } = stretch;
  const ids = new Set(missing.map(({ id }) => id));
  /** Entries of a record that are there, of those among the missing ones. */
  const there = new Map<number, number>();
  for (const { content } of among) there.set(content.provenance.offset, (there.get(content.provenance.offset) ?? 0) + 1);
  const records = new Map<number, Told[]>();
  for (const told of drafts) {
    const { offset } = told.draft;
    if (offset < before.offset || (behind.source !== undefined && offset > behind.offset)) continue;
    records.set(offset, [...(records.get(offset) ?? []), told]);
  }
  /** Stored with another record; a remark may be known by the place of the record that it is about. */
  const isCopy = ({ kind, keys: [key] }: OutlinedDraft): boolean => {
    const known = key === undefined ? undefined : ledger.keys.get(key);
    if (known === undefined || (known.session === native.session && ids.has(known.entry))) return false;
    return contentKinds.has(kind) || unlessDamaged(() => ledger.entry(known.session, known.entry))?.kind === kind;
  };
  const found: Told[] = [];
  for (const [offset, ofRecord] of records) {
    let some: readonly Told[] = ofRecord;
    if (behind.source !== undefined && offset === behind.offset) some = some.slice(0, Math.max(0, some.length - behind.count));
    if (before.source !== undefined && offset === before.offset) some = some.slice(before.count);
    const count = there.get(offset) ?? 0;
    if (count > 0 && count < some.length) {
      some = some.filter(({ draft }) => !isHead(draft.kind));
      if (some.length + count !== ofRecord.length) return undefined;
    } else if (count > 0) continue;
    found.push(...some.filter(({ draft }) => !isCopy(draft)));
  }
  const fits = missing.every(({ header }, at) => {
    const draft = found[at]?.draft;
    if (draft === undefined || isHead(draft.kind) || refers(draft)) return false;
    return header === undefined || (draft.kind === header.kind && draft.toolCallId === header.key);
  });
  return fits && found.length === missing.length ? found : undefined;
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedPack) return undefined;
    throw error;
  }
}

/**
 * Entries that take part in exchanges, from the newest down to where the context begins, as a batch sees them while it is
 * validated (engine specification 7.2, 7.3). Reads grow by pages and stop with the caller; nothing before the newest head's first
 * retained entry is read, and no content of kinds that take no part.
 */
import type { ExchangeEntry } from './exchange.ts';
import type { Kinds } from './kinds.ts';
import type { Pending } from './pending.ts';
import type { Entry, EntryHeader, Id } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

/** A result stands close behind its call: the first page is small. */
const firstPage = 8;
const largestPage = 512;

export function* exchangeEntries(
  storage: Storage,
  kinds: Kinds,
  pending: Pending,
  conversation: Id,
): Generator<ExchangeEntry, void, undefined> {
  const takesPart = (header: EntryHeader) => kinds.entry(header.kind).exchange !== undefined;
  const part = (entry: Entry): ExchangeEntry => ({
    id: entry.id,
    conversationId: entry.conversationId,
    exchange: kinds.entry(entry.kind).exchange?.(entry) ?? {},
  });
  const read = (ids: readonly Id[]): ReadonlyMap<Id, Entry> => (ids.length === 0 ? new Map() : storage.getEntries(ids));
  let from: Id | undefined;
  for (const entry of pending.entriesOf(conversation)) {
    if (from !== undefined && entry.id < from) return;
    if (entry.head === true) from ??= kinds.retainedFrom(entry);
    if (takesPart(entry)) yield part(entry);
  }
  const base = pending.storedPart(conversation);
  if (base === undefined) return;
  let before = end;
  for (let limit = firstPage; ; limit = Math.min(limit * 4, largestPage)) {
    const page = storage.scanEntries({
      conversationId: base.conversation,
      through: base.through,
      from: from ?? 1,
      before,
      limit,
    });
    const head = from === undefined ? page.items.find((header) => header.head === true) : undefined;
    const known = read(head === undefined ? [] : [head.id]);
    for (const entry of known.values()) from = kinds.retainedFrom(entry);
    const wanted = page.items.filter((header) => header.id >= (from ?? 1) && takesPart(header)).map(({ id }) => id);
    const contents = read(wanted.filter((id) => !known.has(id)));
    for (const id of wanted) {
      const entry = contents.get(id) ?? known.get(id);
      if (entry !== undefined) yield part(entry);
    }
    if (page.next === undefined || (from !== undefined && page.next <= from)) return;
    before = page.next;
  }
}

/**
 * Where a conversation's last complete exchange ends (engine specification 2.3, 8.4, 8.5): after an answer that calls nothing, or after
 * the last result of one whose calls are all answered. Read from the end back, never further than the context goes, so that it
 * costs what is not complete yet and one exchange.
 */
import type { Exchange, Kinds } from './kinds.ts';
import type { Entry, Id } from './records.ts';
import { end } from './storage.ts';
import type { StorageReads } from './storage.ts';
import { assistantEntry } from './user-input.ts';

const pageSize = 32;

/** Undefined: the context as of `through` has no complete exchange. */
export function lastCompleteExchange(reads: StorageReads, kinds: Kinds, conversationId: Id, through: Id = end): Id | undefined {
  return walk(reads, kinds, conversationId, through, () => false);
}

/**
 * Where the context that a child inherits ends: the last complete exchange before one that is open, or a head that is newer
 * than that. 0: before everything.
 */
export function inheritableThrough(reads: StorageReads, kinds: Kinds, conversationId: Id): Id {
  const open = openExchange(reads, kinds, conversationId);
  return walk(reads, kinds, conversationId, open === undefined ? end : open - 1, (entry) => entry.head === true) ?? 0;
}

function walk(
  reads: StorageReads,
  kinds: Kinds,
  conversationId: Id,
  through: Id,
  endsToo: (entry: Entry) => boolean,
): Id | undefined {
  /** Calls that are answered behind the walk, by the newest of their results. */
  const answered = new Map<string, Id>();
  for (const entry of newestFirst(reads, kinds, conversationId, through)) {
    if (endsToo(entry)) return entry.id;
    const { answers, calls = [] } = exchangeOf(kinds, entry);
    if (answers !== undefined && !answered.has(answers)) answered.set(answers, entry.id);
    if (calls.length > 0) {
      const results = calls.map((call) => answered.get(call));
      const last = results.reduce<Id>((newest, id) => Math.max(newest, id ?? 0), 0);
      if (!results.includes(undefined)) return last;
      answered.clear();
    } else if (entry.kind === assistantEntry) return entry.id;
  }
  return undefined;
}

/** The entry whose calls still wait for results. */
function openExchange(reads: StorageReads, kinds: Kinds, conversationId: Id): Id | undefined {
  const answered = new Set<string>();
  for (const entry of newestFirst(reads, kinds, conversationId, end)) {
    const { answers, calls = [], starts } = exchangeOf(kinds, entry);
    if (answers !== undefined) answered.add(answers);
    if (calls.length > 0) return calls.every((call) => answered.has(call)) ? undefined : entry.id;
    if (starts === true) return undefined;
  }
  return undefined;
}

function exchangeOf(kinds: Kinds, entry: Entry): Exchange {
  return kinds.entry(entry.kind).exchange?.(entry) ?? {};
}

/** From the entry back to where the context of that position begins. */
function* newestFirst(reads: StorageReads, kinds: Kinds, conversationId: Id, through: Id): Iterable<Entry> {
  const head = reads.newestHead(conversationId, through);
  const entry = head === undefined ? undefined : reads.getEntries([head.id]).get(head.id);
  const from = entry === undefined ? 1 : (kinds.entry(entry.kind).head?.(entry) ?? entry.id);
  let before = through === end ? end : through + 1;
  for (;;) {
    const page = reads.readEntries({ conversationId, from, before, limit: pageSize });
    yield* page.items;
    if (page.next === undefined) return;
    before = page.next;
  }
}

/**
 * Histories for packs of entries: conversations that fork off each other grow in turns and at once, by a few entries or by many, with heads
 * between them, and are packed now and then in every way there is. Given to a memory session too, which knows nothing of packs.
 */
import * as fc from 'fast-check';
import type { MemoryStorage } from '../memory/storage.ts';
import type { CommitBatch, Entry, Id, MainWrite } from '../records.ts';
import type { SqliteStore } from '../sqlite/store.ts';
import { packLimits } from '../sqlite/pack-limits.ts';
import { end } from '../storage.ts';
import type { EntryPack, EntryQuery, Storage } from '../storage.ts';
import { entryPack } from './packing.ts';

export interface PackStep {
  readonly does: 'create' | 'fork' | 'burst' | 'mixed' | 'head' | 'pack' | 'packSome';
  readonly a: number;
  readonly b: number;
}

const does = fc.oneof(
  { weight: 1, arbitrary: fc.constant<PackStep['does']>('create') },
  { weight: 2, arbitrary: fc.constant<PackStep['does']>('fork') },
  { weight: 5, arbitrary: fc.constant<PackStep['does']>('burst') },
  { weight: 4, arbitrary: fc.constant<PackStep['does']>('mixed') },
  { weight: 2, arbitrary: fc.constant<PackStep['does']>('head') },
  { weight: 2, arbitrary: fc.constant<PackStep['does']>('pack') },
  { weight: 4, arbitrary: fc.constant<PackStep['does']>('packSome') },
);
export const packHistories = fc.array(fc.record({ does, a: fc.nat(), b: fc.nat() }), { minLength: 20, maxLength: 50 });

/** The batch of a step, with packs for some; undefined for a step that commits nothing. */
export function batchOf(
  storage: Storage,
  { does: what, a, b }: PackStep,
): readonly [CommitBatch, readonly EntryPack[]] | undefined {
  const first = storage.lastSeq + 1;
  const conversations = storage.scanConversations({ limit: end }).items.map(({ id }) => id);
  const conversation = conversations[a % conversations.length] ?? first;
  const writes = ((): readonly MainWrite[] => {
    switch (what) {
      case 'create':
        return [{ type: 'createConversation', conversation: { id: first } }];
      case 'fork': {
        const transcript = storage.scanEntries({ conversationId: conversation, limit: end }).items;
        const at = transcript[b % Math.max(transcript.length, 1)]?.id ?? 0;
        return [{ type: 'createConversation', conversation: { id: first, parent: { conversationId: conversation, at } } }];
      }
      case 'burst':
        return entries(first, 1 + (b % 180), () => conversation);
      case 'mixed':
        return entries(first, 1 + (b % 240), (i) => conversations[(a + i * i) % conversations.length] ?? conversation);
      case 'head':
        return entries(first, 1 + (b % 3), () => conversation, true);
      case 'pack':
      case 'packSome':
        return [];
    }
  })();
  if (writes.length === 0) return undefined;
  return [{ kind: 'main', writes }, b % 2 === 0 ? [] : packsOf(writes, 1 + (a % packLimits.entries))];
}

export function packStep(store: SqliteStore, name: string, { does: what, a, b }: PackStep): void {
  if (what === 'pack') while (store.pack(name, { most: 500 }).more);
  if (what === 'packSome') store.pack(name, { most: 1 + (a % 100), fewest: 1 + (b % 12) });
}

function entries(first: Id, count: number, conversationOf: (i: number) => Id, head = false): readonly MainWrite[] {
  return Array.from({ length: count }, (_, i): MainWrite => {
    const id = first + i;
    const entry: Entry = {
      id,
      conversationId: conversationOf(i),
      kind: head ? 'summary' : (['note', 'silent', 'edit'][id % 3] ?? 'note'),
      content: { text: `entry ${id}\n`, more: 'x'.repeat((id * 7) % 90) },
      ...(id % 4 === 0 ? { key: `key ${id % 20}` } : {}),
      ...(head ? { head: true } : {}),
      ...(id % 5 === 0 ? { byTaskId: id } : {}),
    };
    return { type: 'entry', entry };
  });
}

function packsOf(writes: readonly MainWrite[], size: number): readonly EntryPack[] {
  const packable = writes.flatMap((write) => (write.type === 'entry' && write.entry.head === undefined ? [write.entry] : []));
  return [...Map.groupBy(packable, ({ conversationId }) => conversationId).values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / size) }, (_, i) => entryPack(own.slice(i * size, (i + 1) * size))),
  );
}

/** Queries of all shapes around places that `probe` chooses, and their answers. */
export function answers(storage: Storage, memory: MemoryStorage, probe: number): readonly unknown[] {
  let n = probe;
  /** Not random, but nothing follows it. */
  const below = (most: number): number => (n = (n * 1103515245 + 12345) % 2147483648) % Math.max(most, 1);
  const last = memory.lastSeq;
  const some = Array.from({ length: 40 }, () => below(last + 3));
  const found: unknown[] = [[...storage.getEntries(some)], [...storage.getEntryHeaders(some)], [...storage.getEntries([])]];
  for (const { id: conversationId } of memory.scanConversations({ limit: end }).items) {
    const at = below(last + 2);
    const limit = [1, 7, 127, 128, 129, 260][below(6)] ?? 1;
    const queries: readonly Omit<EntryQuery, 'conversationId'>[] = [
      { limit: end },
      { limit, before: end },
      { limit, after: at },
      { limit, before: at },
      { limit, from: at, before: end },
      { limit, through: at },
      { limit, through: at, before: end, kind: 'silent' },
      { limit, after: at, kind: 'note', key: `key ${below(5) * 4}` },
      { limit: 3, before: at, key: `key ${below(20)}` },
      { limit: 1, before: end, kind: 'nobody has it' },
    ];
    for (const query of queries)
      found.push(storage.readEntries({ conversationId, ...query }), storage.scanEntries({ conversationId, ...query }));
    const other = below(last + 2);
    found.push(
      [
        storage.countEntries(conversationId),
        storage.countEntries(conversationId, at, other),
        storage.countEntries(conversationId, other),
      ],
      [storage.newestHead(conversationId, at), storage.newestHead(conversationId, end)],
    );
  }
  return found;
}

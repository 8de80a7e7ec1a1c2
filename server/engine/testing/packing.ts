/**
 * A SQLite session whose entries go into packs all the time: those of a commit with it, as its hint, or some of the rows behind it. What is
 * packed when, and in what sizes, follows from the numbers of the batch alone.
 */
import { compress } from '../sqlite/pack-codec.ts';
import type { SqliteStore } from '../sqlite/store.ts';
import type { CommitBatch, Entry, Id } from '../records.ts';
import type { EntryPack, Storage } from '../storage.ts';

export function packing(store: SqliteStore, name: string): Storage {
  const storage = store.session(name);
  return new Proxy(storage, {
    get(target, key) {
      if (key === 'commit')
        return async (batch: CommitBatch, within?: () => void, packs = hints(batch, target.lastSeq + 1)) => {
          const committed = await target.commit(batch, within, packs);
          const { last } = committed;
          if (last % 3 !== 0) store.pack(name, { most: 1 + (last % 7), fewest: 1 + (last % 4) });
          return committed;
        };
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Packs of one to four entries for some of a batch; others stay rows between them. */
export function hints(batch: CommitBatch, first: Id): readonly EntryPack[] {
  if (batch.kind === 'scratch' || first % 2 === 0) return [];
  const entries = batch.writes.flatMap((write) =>
    write.type === 'entry' && write.entry.head === undefined ? [write.entry] : [],
  );
  const ofConversations = Map.groupBy(entries, ({ conversationId }) => conversationId);
  return [...ofConversations.values()].flatMap((own) => {
    const packs: EntryPack[] = [];
    for (let at = first % 3; at < own.length;) {
      const size = 1 + ((first + at) % 4);
      packs.push(entryPack(own.slice(at, at + size)));
      at += size + (at % 2);
    }
    return packs;
  });
}

export function entryPack(entries: readonly Entry[]): EntryPack {
  const text = Buffer.from(entries.map(({ content }) => JSON.stringify(content)).join('\n'));
  const { codec, bytes: contents } = compress(text);
  return { ids: entries.map(({ id }) => id), codec, size: text.length, contents };
}

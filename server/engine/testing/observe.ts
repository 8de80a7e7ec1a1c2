/** Everything that can be read of a session through the storage port, at every position, as plain values to compare. */
import { contextAt } from '../context.ts';
import type { Address, Id } from '../records.ts';
import { addressKey, end } from '../storage.ts';
import type { Cursor, Page, Storage, TaskQuery } from '../storage.ts';
import { kinds, pick, scratchOf, stateOf } from './mutations.ts';

/** `probe` chooses page sizes and positions; `conversations`: those to look into, deleted ones too. */
export function observe(storage: Storage, probe: number, conversations: readonly Id[]): Readonly<Record<string, unknown>> {
  const ids = Array.from({ length: storage.lastSeq + 2 }, (_, i) => i);
  const limit = 1 + (probe % 5);
  return {
    session: [storage.lastSeq, storage.version, [...storage.kinds].toSorted()],
    conversations: [...storage.getConversations(ids)],
    entries: [...storage.getEntries(ids)],
    headers: [...storage.getEntryHeaders(ids)],
    tasks: [...storage.getTasks(ids)],
    taskHeaders: [...storage.getTaskHeaders(ids)],
    allConversations: bothWays(limit, (cursor) => storage.scanConversations(cursor)),
    taskScans: taskScans(storage, ids, limit),
    ...Object.fromEntries(conversations.map((id) => [`conversation ${id}`, conversation(storage, id, probe)])),
    ...Object.fromEntries(
      storage.scanTaskHeaders({ limit: end }).items.map(({ id }) => [`scratch ${id}`, scratch(storage, id, limit)]),
    ),
    requests: storage.scanValues({ scope: { session: true }, namespace: 'engine.request', limit: end }),
  };
}

function conversation(storage: Storage, id: Id, probe: number): Readonly<Record<string, unknown>> {
  const limit = 1 + (probe % 5);
  const transcript = storage.scanEntries({ conversationId: id, limit: end }).items;
  const positions = [0, ...transcript.map((entry) => entry.id)];
  const some = [0, ...[0, 1, 2].map((n) => pick(positions, probe + n * 7) ?? 0)];
  const { values, lists } = stateOf(id);
  return {
    pages: bothWays(limit, (cursor) => storage.readEntries({ conversationId: id, ...cursor })),
    headers: bothWays(limit, (cursor) => storage.scanEntries({ conversationId: id, ...cursor })),
    ranges: some.map((at) => [
      storage.readEntries({ conversationId: id, limit, from: at }),
      storage.readEntries({ conversationId: id, limit, through: at, before: end }),
      storage.readEntries({ conversationId: id, limit: end, kind: 'note', through: at }),
      storage.scanEntries({ conversationId: id, limit: end, key: 'key 3', from: at, before: end }),
      storage.scanEntries({ conversationId: id, limit: 2, kind: 'note', key: 'key 0', before: at }),
      [storage.countEntries(id), storage.countEntries(id, at), storage.countEntries(id, undefined, at)],
    ]),
    kinds: [...storage.kinds].toSorted().map((kind) => [kind, storage.scanEntries({ conversationId: id, kind, limit: end })]),
    heads: some.map((at) => storage.newestHead(id, at)),
    contexts: [...some, end].map((through) => contextAt(storage, kinds, id, through)),
    forks: bothWays(limit, (cursor) => storage.scanConversations({ parent: id, ...cursor })),
    owned: bothWays(limit, (cursor) => storage.scanConversations({ ownedFrom: id, ...cursor })),
    ownedForks: storage.scanConversations({ ownedFrom: id, parent: 1, limit }),
    values: values.map((addr) => [
      addressKey(addr),
      storage.getValue(addr),
      ...past(addr, some, (at) => storage.getValue(addr, at)),
    ]),
    keys: [true, false].map((rewind) => [
      storage.scanValues({ scope: { conversation: id }, namespace: 'v', rewind, limit: end }),
      storage.scanValues({ scope: { conversation: id }, namespace: 'v', rewind, limit, after: 'k' }),
    ]),
    lists: lists.map((addr) => [
      addressKey(addr),
      bothWays(limit, (cursor) => storage.readList(addr, cursor)),
      ...past(addr, some, (at) => [
        storage.readList(addr, { at, limit: end }),
        storage.readList(addr, { at, limit, before: end }),
      ]),
    ]),
  };
}

function past(addr: Address, positions: readonly Id[], read: (at: Id) => unknown): unknown[] {
  return addr.rewind ? positions.map(read) : [];
}

function scratch(storage: Storage, task: Id, limit: number): unknown {
  const { values, lists } = scratchOf(task);
  return {
    values: values.map((addr) => storage.getValue(addr)),
    keys: storage.scanValues({ scope: { scratch: task }, namespace: 'checkpoint', limit: end }),
    lists: lists.map((addr) => bothWays(limit, (cursor) => storage.readList(addr, cursor))),
  };
}

function taskScans(storage: Storage, ids: readonly Id[], limit: number): unknown {
  const filters: Omit<TaskQuery, 'limit'>[] = [
    {},
    { live: true },
    { live: false },
    { role: 'start' },
    { role: 'terminal' },
    { live: true, role: 'inflight' },
    { live: true, role: 'terminal' },
    { kind: 'work', abort: true },
    { kind: 'work', abort: false, live: true },
    { background: true },
    { background: false, live: true },
  ];
  return [undefined, ids, ids.slice(0, 5), [1, 1], []].map((conversationIds) =>
    filters.map((filter) => {
      const query = { ...filter, ...(conversationIds === undefined ? {} : { conversationIds }) };
      return [
        bothWays(limit, (cursor) => storage.scanTasks({ ...query, ...cursor })),
        bothWays(limit, (cursor) => storage.scanTaskHeaders({ ...query, ...cursor })),
      ];
    }),
  );
}

/** All pages from the oldest up, and from the newest down. */
function bothWays<T>(limit: number, read: (cursor: Cursor) => Page<T>): readonly (readonly Page<T>[])[] {
  const pages = (direction: 'after' | 'before', start: Id): Page<T>[] => {
    const found: Page<T>[] = [];
    for (let next: Id | undefined = start; next !== undefined; next = found.at(-1)?.next)
      found.push(read({ [direction]: next, limit }));
    return found;
  };
  return [pages('after', 0), pages('before', end)];
}

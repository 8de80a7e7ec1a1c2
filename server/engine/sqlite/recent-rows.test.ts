/** What the writer of a session reads is what is in the file, whatever it keeps of it and whatever failed in between. */
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { CommitBatch, Id } from '../records.ts';
import { end } from '../storage.ts';
import { histories, recorded, scratchOf } from '../testing/mutations.ts';
import { observe } from '../testing/observe.ts';
import { TempSession } from '../testing/session.ts';
import { LogSync } from './log-sync.ts';
import { RecentRows } from './recent-rows.ts';
import type { RecentLimits } from './recent-rows.ts';
import { SqliteStorage } from './storage.ts';
import { prepareTables } from './tables.ts';
import { Transaction } from './transaction.ts';

const generous: RecentLimits = { tasks: 1000, conversations: 1000, state: 10_000 };
/** So that what is kept is given up all the time. */
const tight: RecentLimits = { tasks: 3, conversations: 2, state: 25 };

function writer(limits: RecentLimits) {
  const session = new TempSession(onTestFinished);
  const number = session.store.session('session').session;
  const transaction = new Transaction(session.db, new LogSync(session.db));
  const storage = new SqliteStorage(prepareTables(session.db), transaction, number, new RecentRows(limits));
  /** Has written nothing: keeps nothing. */
  const reader = () => session.store.session('session');
  return { session, storage, reader };
}

const conversationsOf = (batches: readonly CommitBatch[]): Id[] =>
  batches.flatMap(({ writes }) => writes.flatMap((w) => (w.type === 'createConversation' ? [w.conversation.id] : [])));

test.each([
  ['generous', generous, 331],
  ['tight', tight, 332],
])(
  'the writer reads after each batch what a reader reads who keeps nothing, with %s limits',
  async (_, limits, seed) => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, probe) => {
        const batches = await recorded(history);
        const { storage, reader } = writer(limits);
        for (const [i, batch] of batches.entries()) {
          // One that fails at its last moment leaves nothing, and nothing wrong is known afterwards.
          if ((probe + i) % 5 === 0) {
            const fails = () => {
              observe(storage, probe, []);
              throw new Error('no');
            };
            await expect(storage.commit(batch, fails)).rejects.toThrow('no');
            same(tasksOf(storage), tasksOf(reader()));
          }
          await storage.commit(batch);
          same(tasksOf(storage), tasksOf(reader()));
          if (i % 7 === probe % 7 || i === batches.length - 1) {
            const conversations = [...conversationsOf(batches), 9999];
            same(observe(storage, probe + i, conversations), observe(reader(), probe + i, conversations));
          }
        }
      }),
      { seed, numRuns: 6, endOnFailure: true },
    );
  },
  180_000,
);

/** The quick comparison is the stricter one; the other prints what differs. */
function same<T>(one: T, other: T): void {
  if (!isDeepStrictEqual(one, other)) expect(one).toStrictEqual(other);
}

/** What is kept at all, asked one by one, in many, and twice. */
function tasksOf(storage: SqliteStorage) {
  const ids = Array.from({ length: storage.lastSeq + 2 }, (_, i) => i);
  return {
    one: ids.map((id) => [storage.getTasks([id]), storage.getTaskHeaders([id, id]), storage.getConversations([id])]),
    few: [
      storage.getTasks(ids.slice(-9)),
      storage.getTaskHeaders(ids.slice(-9).toReversed()),
      storage.getConversations(ids.slice(-9)),
    ],
    live: storage.scanTaskHeaders({ live: true, limit: end }).items.map((task) => [task, scratchIn(storage, task.id)]),
  };
}

function scratchIn(storage: SqliteStorage, task: Id) {
  const { values, lists } = scratchOf(task);
  return [
    values.map((addr) => storage.getValue(addr)),
    lists.map((addr) => storage.readList(addr, { limit: end })),
    storage.scanValues({ scope: { scratch: task }, namespace: 'checkpoint', limit: end }).items,
  ];
}

test('whoever changes what was read of a task changes nothing of what is read next', async () => {
  const { storage } = writer(generous);
  const task = { id: 3, conversationId: 1, kind: 'work', status: 'pending', state: { deep: [1] }, after: [2] } as const;
  await storage.commit({
    kind: 'main',
    writes: [
      { type: 'createConversation', conversation: { id: 1 } },
      { type: 'task', task: { ...task, id: 2, after: [] }, role: 'start' },
      { type: 'task', task, role: 'start' },
      { type: 'createConversation', conversation: { id: 4, owner: 3 } },
    ],
  });
  const expected = { ...task, owns: [4] };
  const read = storage.getTasks([3]).get(3) as unknown as { state: { deep: number[] }; after: Id[]; owns: Id[] };
  expect(read).toEqual(expected);
  read.state.deep.push(2);
  read.after.push(9);
  read.owns.length = 0;
  expect(storage.getTasks([3]).get(3)).toEqual(expected);
  const { state, ...header } = expected;
  expect([storage.getTaskHeaders([3]).get(3), state]).toEqual([{ ...header, role: 'start' }, task.state]);
});

test('what another writer did is read once this one has been let go and opened again', async () => {
  const { session, storage } = writer(generous);
  await storage.commit({
    kind: 'main',
    writes: [
      { type: 'createConversation', conversation: { id: 1 } },
      { type: 'task', task: { id: 2, conversationId: 1, kind: 'work', status: 'pending', state: 1, after: [] }, role: 'start' },
    ],
  });
  await storage.close();
  await session.store.session('session').commit({ kind: 'main', writes: [{ type: 'settle', id: 2, status: 'done', state: 2 }] });
  expect(storage.getTasks([2]).get(2)).toMatchObject({ status: 'done', state: 2 });
  expect(storage.lastSeq).toBe(3);
});

test('who has written nothing sees what another writer does at once', async () => {
  const { storage, reader } = writer(generous);
  await storage.commit({
    kind: 'main',
    writes: [
      { type: 'createConversation', conversation: { id: 1 } },
      { type: 'task', task: { id: 2, conversationId: 1, kind: 'work', status: 'pending', state: 1, after: [] }, role: 'start' },
    ],
  });
  const other = reader();
  expect([other.getConversations([1]).size, other.getTasks([2]).get(2)?.status]).toEqual([1, 'pending']);
  await storage.commit({
    kind: 'main',
    writes: [
      { type: 'settle', id: 2, status: 'done', state: 2 },
      { type: 'deleteConversation', id: 1 },
    ],
  });
  expect([other.getConversations([1]).size, other.getTasks([2]).get(2)?.status]).toEqual([0, 'done']);
});

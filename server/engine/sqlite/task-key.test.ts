/** Numbers of tasks as rowids: no two tasks share one, and what has none is refused or absent, never another session's. */
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import { TempSession } from '../testing/session.ts';
import { newTaskKey, taskKey, taskKeys } from './task-key.ts';

const largest = 2 ** 32 - 1;
const sessions = fc.integer({ min: 1, max: 2 ** 21 - 1 });
const ids = fc.oneof(fc.integer({ min: 1, max: largest }), fc.constantFrom(1, 2, largest - 1, largest));

test('keys are safe integers in the order of sessions, then of ids', () => {
  fc.assert(
    fc.property(sessions, ids, sessions, ids, (s, i, t, j) => {
      const [one, other] = [newTaskKey(s, i), newTaskKey(t, j)];
      expect(Number.isSafeInteger(one)).toBe(true);
      expect(Math.sign(one - other)).toBe(Math.sign(s - t || i - j));
    }),
    { seed: 71, numRuns: 500 },
  );
});

test('a range of ids has the keys of those ids and of no others', () => {
  const bounds = fc.oneof(ids, fc.constantFrom(-5, 0, 2 ** 32, 2 ** 40, end, end + 1));
  fc.assert(
    fc.property(sessions, bounds, bounds, fc.integer({ min: -1, max: 1 }), ids, (session, low, high, beside, id) => {
      const [from, to] = taskKeys(session, { low, high });
      const key = newTaskKey(session, id);
      expect(from <= key && key <= to).toBe(low <= id && id <= high);
      if (beside !== 0 && session + beside > 0 && session + beside < 2 ** 21) {
        const other = newTaskKey(session + beside, id);
        expect(from <= other && other <= to).toBe(false);
      }
    }),
    { seed: 72, numRuns: 500 },
  );
});

test('what does not fit has no key', () => {
  for (const id of [0, -1, 2 ** 32, end]) expect(taskKey(1, id)).toBe(-1);
  expect(taskKey(2 ** 21, 1)).toBe(-1);
  expect(() => newTaskKey(2 ** 21, 1)).toThrow(expect.objectContaining({ code: 'sequence' }));
});

test('a session that has used up the numbers of tasks refuses another task and goes on with everything else', async () => {
  const session = new TempSession(onTestFinished);
  const [storage, other] = [session.store.session('full'), session.store.session('other')];
  const task = (id: number): MainWrite => ({
    type: 'task',
    task: { id, conversationId: 1, kind: 'work', status: 'pending', state: {}, after: [] },
    role: 'start',
  });
  await other.commit({ kind: 'main', writes: [{ type: 'createConversation', conversation: { id: 1 } }, task(2)] });
  await storage.commit({ kind: 'main', writes: [{ type: 'createConversation', conversation: { id: 1 } }] });
  session.db
    .prepare('INSERT INTO engine_commit_boundaries (session, first, last) VALUES (?, 2, ?)')
    .run(storage.session, largest - 1);
  const full = session.store.session('full');
  await full.commit({ kind: 'main', writes: [task(largest)] });
  await expect(full.commit({ kind: 'main', writes: [task(largest + 1)] })).rejects.toMatchObject({ code: 'sequence' });
  const entry = { id: largest + 1, conversationId: 1, kind: 'note', content: {} };
  await full.commit({ kind: 'main', writes: [{ type: 'entry', entry }] });
  expect(full.lastSeq).toBe(largest + 1);
  const all = { limit: end };
  for (const storageOf of [full, session.store.session('full')]) {
    expect([...storageOf.getTasks([2, largest, largest + 3, -1]).keys()]).toEqual([largest]);
    expect(storageOf.scanTaskHeaders(all).items.map(({ id }) => id)).toEqual([largest]);
    expect(storageOf.scanTaskHeaders({ ...all, conversationIds: [1], live: true }).items.map(({ id }) => id)).toEqual([largest]);
  }
  expect(other.scanTaskHeaders(all).items.map(({ id }) => id)).toEqual([2]);
});

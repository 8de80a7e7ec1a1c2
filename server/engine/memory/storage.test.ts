/** The memory backend by itself: answers from indexes (engine specification 7.4), and a second handle on the same session. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { bound, conversationList, sessionValue } from '../address.ts';
import type { MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import { MemoryStorage } from './storage.ts';

test('a query decodes the records that it returns and no others [7.4-13] [7.2-3] [7.2-9]', async () => {
  const storage = new MemoryStorage();
  const moves = bound(conversationList<number>('moves', { rewind: true }), 1);
  const writes: MainWrite[] = [{ type: 'createConversation', conversation: { id: 1 } }];
  for (let id = 2; id <= 1001; id++) writes.push({ type: 'list.append', addr: moves, value: id });
  for (let id = 1002; id <= 6001; id++) {
    const key = id % 1000 === 0 ? { key: 'k' } : {};
    writes.push({
      type: 'entry',
      entry: { id, conversationId: 1, kind: id % 500 === 0 ? 'rare' : 'note', content: { id }, ...key },
    });
  }
  for (let id = 6002; id <= 6101; id++)
    writes.push({
      type: 'task',
      role: id % 50 === 0 ? 'start' : 'terminal',
      task: { id, conversationId: 1, kind: 'work', status: 'x', state: { id }, after: [] },
    });
  await storage.commit({ kind: 'main', writes });

  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const decoded = (read: () => { readonly length: number }): readonly [number, number] => {
    parse.mockClear();
    const { length } = read();
    return [length, parse.mock.calls.length];
  };
  const entries = (query: object) => storage.readEntries({ conversationId: 1, limit: end, ...query }).items;
  expect(decoded(() => entries({ limit: 4, after: 3000 }))).toEqual([4, 5]);
  expect(decoded(() => entries({ limit: 4, before: end }))).toEqual([4, 5]);
  expect(decoded(() => entries({ kind: 'rare' }))).toEqual([10, 10]);
  expect(decoded(() => entries({ key: 'k', kind: 'rare' }))).toEqual([5, 5]);
  expect(decoded(() => storage.scanEntries({ conversationId: 1, limit: end }).items)).toEqual([5000, 0]);
  expect(decoded(() => storage.scanTasks({ live: true, limit: end }).items)).toEqual([2, 2]);
  expect(decoded(() => storage.scanTaskHeaders({ conversationIds: [1], limit: end }).items)).toEqual([100, 0]);
  expect(decoded(() => storage.readList(moves, { limit: 3, after: 500 }).items)).toEqual([3, 4]);
});

test('a session is opened again over its records, and the handle before admits nothing more', async () => {
  const first = new MemoryStorage();
  await first.commit({ kind: 'main', writes: [{ type: 'value.set', addr: sessionValue('v'), value: 1 }] });
  const second = first.reopen();
  await expect(first.commit({ kind: 'main', writes: [] })).rejects.toMatchObject({ code: 'closed' });
  expect([second.lastSeq, second.getValue(sessionValue('v'))?.value]).toEqual([1, 1]);
  expect(() => second.reopen({ version: '2' })).toThrow(expect.objectContaining({ code: 'storageVersion' }));
});

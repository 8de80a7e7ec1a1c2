/** Entries and their kinds: what is stored of them, and what is asked of code (engine specification 2, 2.1). */
import { expect, onTestFinished, test } from 'vitest';
import { conversationList, conversationValue } from './address.ts';
import { Engine } from './engine.ts';
import { entryKind } from './kinds.ts';
import { edit, entryKinds, note, reset, summary, taskKinds, work } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

async function started() {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  const root = await engine.root();
  return { session, engine, root, say: async (text: string) => root.commit((tx) => tx.entry(note, { text })) };
}

test('tasks and state are no part of what a model is given [2-1]', async () => {
  const { root, say } = await started();
  await root.commit((tx) => {
    tx.value(conversationValue<string>('note', { rewind: true })).set('a value');
    tx.list(conversationList<string>('note', { rewind: true })).append('an element');
    tx.task(work, { state: { step: 1, note: 'a task' } });
  });
  const one = await say('an entry');
  expect(root.contextEntries().map(({ entry, messages }) => [entry.id, messages])).toEqual([[one, ['an entry']]]);
});

test('whatever comes after an entry, it stays what and where it was [2.1-1] [2.1-2]', async () => {
  const { session, root, say } = await started();
  const first = await say('one');
  await root.value(conversationValue<number>('between', { rewind: true })).set(1);
  const second = await say('two');
  const before = root.entries({ limit: 99 }).items;
  await root.commit((tx) => tx.entry(edit, { target: first, replacement: 'edited' }));
  await root.commit((tx) => tx.entry(summary, { text: 'one', retainFrom: second }));
  await root.commit((tx) => tx.entry(reset, { why: 'new start' }));
  const fork = await root.fork(second);
  await fork.commit((tx) => tx.entry(edit, { target: first }));
  session.reopenFile();
  const after = (await session.engine()).entries(root.id, { limit: 99 }).items;
  expect(after.slice(0, 2)).toEqual(before);
  expect(second - first).toBe(2);
  const ids = after.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(new Set(ids).size).toBe(5);
});

test('storage keeps names of kinds and asks no kind: a head is a mark [2.1-4]', async () => {
  const { session, engine, root } = await started();
  const storage = session.store.session('session');
  const first = storage.lastSeq + 1;
  const stranger = { conversationId: root.id, kind: 'of nobody', content: { any: ['thing'] } };
  await storage.commit({
    kind: 'main',
    writes: [
      { type: 'entry', entry: { id: first, ...stranger } },
      { type: 'entry', entry: { id: first + 1, ...stranger, head: true } },
      { type: 'entry', entry: { id: first + 2, ...stranger } },
    ],
  });
  expect(storage.newestHead(root.id, first + 2)?.id).toBe(first + 1);
  expect(storage.scanEntries({ conversationId: root.id, kind: 'of nobody', limit: 9 }).items).toHaveLength(3);
  expect([...storage.kinds]).toContain('of nobody');
  expect(engine.getEntry(first)?.content).toEqual({ any: ['thing'] });
});

test('the mark of a head is stored, where its context begins is what its kind says [2.1-6]', async () => {
  const { session, engine, root, say } = await started();
  const [one] = [await say('one'), await say('two')];
  const head = await root.commit((tx) => tx.entry(summary, { text: 'nothing', retainFrom: one }));
  expect(engine.entryHeaders(root.id, { limit: 9 }).items.map((entry) => entry.head)).toEqual([undefined, undefined, true]);
  expect(engine.contextMessages(root.id)).toEqual(['summary: nothing', 'one', 'two']);
  const stricter = entryKind<object, string>('summary', { head: (entry) => entry.id, project: () => ['all of it'] });
  const other = await Engine.open<string>(session.store.session('session'), { entryKinds: [...entryKinds, stricter], taskKinds });
  expect(other.newestHead(root.id)?.id).toBe(head);
  expect(other.contextMessages(root.id)).toEqual(['all of it']);
});

test('a kind is recorded by the commit that first uses it, once, and known at open without its entries [2.1-23]', async () => {
  const { session, engine, root, say } = await started();
  const recorded = () => session.db.prepare('SELECT kind FROM engine_kinds ORDER BY kind').pluck().all();
  const failing = engine.commit((tx) => tx.entry(note, root.id, { text: 'x' }), {
    within: () => {
      expect(recorded()).toEqual(['note']);
      throw new Error('not written');
    },
  });
  await expect(failing).rejects.toThrow('not written');
  expect(recorded()).toEqual([]);
  for (const text of ['one', 'two', 'three']) await say(text);
  await root.commit((tx) => tx.entry(reset, { why: 'x' }));
  expect(recorded()).toEqual(['note', 'reset']);
  session.db.exec('DELETE FROM engine_entries');
  session.reopenFile();
  expect([...session.store.session('session').kinds].toSorted()).toEqual(['note', 'reset']);
});

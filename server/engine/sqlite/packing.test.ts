/** Rows become packs: which, how many at a time, and what is left (engine specification 7.5). */
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, Id, MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import { entryPack } from '../testing/packing.ts';
import { TempSession } from '../testing/session.ts';
import { migrateEngine } from './schema.ts';
import { SqliteStore } from './store.ts';

function opened() {
  const session = new TempSession(onTestFinished);
  const storage = session.store.session('session');
  const count = (sql: string): number => Number(session.db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get());
  const packs = (): readonly unknown[] => session.db.prepare('SELECT count FROM engine_packs ORDER BY first').pluck().all();
  const grow = async (entries: number, rest: (id: Id) => Partial<Entry> = () => ({})): Promise<readonly Entry[]> => {
    const first = storage.lastSeq + 1;
    const made = Array.from({ length: entries }, (_, i): Entry => {
      const id = first + i;
      return { id, conversationId: 1, kind: 'note', content: { text: `entry ${id}` }, ...rest(id) };
    });
    await storage.commit({ kind: 'main', writes: made.map((entry): MainWrite => ({ type: 'entry', entry })) });
    return made;
  };
  const create = async (): Promise<void> => {
    await storage.commit({ kind: 'main', writes: [{ type: 'createConversation', conversation: { id: storage.lastSeq + 1 } }] });
  };
  const pack = (most = end, fewest?: number) =>
    session.store.pack('session', { most, ...(fewest === undefined ? {} : { fewest }) });
  return { session, storage, count, packs, grow, create, pack };
}

test('rows go into packs of 128, and what is too little for one waits [7.5-13]', async () => {
  const { storage, count, packs, grow, create, pack } = opened();
  await create();
  const entries = await grow(128 * 3 + 5);
  expect(pack()).toEqual({ packed: 384, more: false });
  expect([packs(), count('engine_entries')]).toEqual([[128, 128, 128], 5]);
  expect(pack()).toEqual({ packed: 0, more: false });
  expect(storage.readEntries({ conversationId: 1, limit: end }).items).toEqual(entries);
});

test('a thread that grows by a few entries between packings leaves no crumbs [7.5-13]', async () => {
  const { storage, packs, grow, create, pack } = opened();
  await create();
  const entries: Entry[] = [];
  for (let n = 0; n < 30; n++) {
    entries.push(...(await grow(10)));
    pack();
    expect(
      packs()
        .slice(0, -1)
        .every((size) => size === 128),
    ).toBe(true);
  }
  expect(packs()).toEqual([128, 128, 44]);
  expect(storage.readEntries({ conversationId: 1, limit: end }).items).toEqual(entries);
});

test('one call packs about as many as it may, and says that there is more [7.5-13]', async () => {
  const { packs, grow, create, pack } = opened();
  await create();
  await grow(400);
  await create();
  await grow(400, () => ({ conversationId: 402 }));
  const calls = Array.from({ length: 9 }, () => pack(100));
  expect(calls.map(({ packed }) => packed)).toEqual([128, 128, 128, 144, 128, 128, 16, 0, 0]);
  expect(calls.map(({ more }) => more)).toEqual([true, true, true, true, true, true, false, false, false]);
  expect(packs()).toHaveLength(8);
});

test('one call reads a bounded number of bytes, and large entries stand in packs of few [7.5-13]', async () => {
  const { storage, packs, grow, create, pack } = opened();
  await create();
  const entries = await grow(90, (id) => ({ content: { text: `${id}`.repeat(id % 3 === 0 ? 200_000 : 10) } }));
  expect(pack().more).toBe(true);
  while (pack().more);
  expect(Math.max(...packs().map(Number))).toBeLessThan(6);
  expect(storage.readEntries({ conversationId: 1, limit: end }).items).toEqual(entries);
});

test('heads stay rows, within the range of a pack too [7.5-13]', async () => {
  const { session, storage, packs, grow, create, pack } = opened();
  await create();
  const entries = await grow(50, (id) => (id % 10 === 0 ? { head: true, kind: 'summary' } : {}));
  pack();
  expect(packs()).toEqual([45]);
  expect(session.db.prepare('SELECT id FROM engine_entries ORDER BY id').pluck().all()).toEqual([10, 20, 30, 40, 50]);
  expect(storage.readEntries({ conversationId: 1, limit: end }).items).toEqual(entries);
  expect([storage.newestHead(1, 49)?.id, storage.countEntries(1, 9, 21)]).toEqual([40, 13]);
});

test('rows between two packs are packed by themselves, and fill up a short one before them [7.5-13]', async () => {
  const { storage, packs, grow, create, pack } = opened();
  await create();
  const first = storage.lastSeq + 1;
  const all = Array.from({ length: 100 }, (_, i): Entry => ({ id: first + i, conversationId: 1, kind: 'note', content: i }));
  const writes = all.map((entry): MainWrite => ({ type: 'entry', entry }));
  await storage.commit({ kind: 'main', writes }, undefined, [entryPack(all.slice(10, 20)), entryPack(all.slice(60, 90))]);
  expect(pack()).toEqual({ packed: 60, more: false });
  // Ten before the first; forty that fill it up; ten that fill up the last.
  expect(packs()).toEqual([10, 50, 40]);
  await grow(94);
  pack();
  expect(packs()).toEqual([10, 50, 128]);
  expect(storage.countEntries(1)).toBe(194);
});

test('sessions that have something to pack are named until it is packed [7.5-13]', async () => {
  const { session, storage, grow, create, pack } = opened();
  await create();
  session.store.session('another');
  expect(session.store.packable(9)).toEqual([]);
  await grow(7);
  expect(session.store.packable(9)).toEqual([]);
  await grow(60);
  expect([session.store.packable(9), session.store.packable(0)]).toEqual([['session'], []]);
  expect(pack(1).more).toBe(true);
  while (pack(1).more);
  expect(session.store.packable(9)).toEqual([]);
  await grow(7);
  expect(session.store.packable(9)).toEqual([]);
  await grow(1);
  expect(session.store.packable(9)).toEqual(['session']);
  pack();
  // Many rows that are nowhere enough for a pack are looked at once.
  for (let n = 0; n < 5; n++) {
    await create();
    const id = storage.lastSeq;
    await grow(3, () => ({ conversationId: id }));
  }
  expect(session.store.packable(9)).toEqual(['session']);
  expect(pack()).toEqual({ packed: 0, more: false });
  expect(session.store.packable(9)).toEqual([]);
  expect(session.store.pack('nobody', { most: 9 })).toEqual({ packed: 0, more: false });
});

test('what runs within a packing lives and dies with it [7.5-13]', async () => {
  const { session, count, grow, create, pack } = opened();
  await create();
  await grow(134);
  session.db.exec('CREATE TABLE beside (n INTEGER)');
  const write = (): void => void session.db.prepare('INSERT INTO beside VALUES (1)').run();
  const failing = (): void => {
    write();
    throw new Error('no');
  };
  expect(() => session.store.pack('session', { most: 99, within: failing })).toThrow('no');
  expect([count('beside'), count('engine_packs'), count('engine_entries')]).toEqual([0, 0, 134]);
  session.store.pack('session', { most: 99, within: write });
  expect([count('beside'), count('engine_packs'), count('engine_entries')]).toEqual([1, 1, 6]);
  expect(pack()).toEqual({ packed: 0, more: false });
});

test('content with line breaks between its tokens, as another program may have written it, is one line in a pack', async () => {
  const { session, storage, grow, create, pack } = opened();
  await create();
  await grow(20);
  session.db.exec(`UPDATE engine_entries SET content = '{' || char(10) || '"text":' || char(13, 10) || '"a\\nb"}'`);
  pack();
  expect(storage.readEntries({ conversationId: 1, limit: 1 }).items[0]?.content).toEqual({ text: 'a\nb' });
});

test('a file from before there were packs is opened as it is, and its entries can be packed [7.5-13]', () => {
  const db = new Sqlite(':memory:');
  onTestFinished(() => void db.close());
  migrateEngine(db, 4);
  db.exec(`
    INSERT INTO engine_sessions (session, name) VALUES (1, 'session');
    INSERT INTO engine_session_metadata (session, key, value) VALUES (1, 'storage_version', '1');
    INSERT INTO engine_conversations (session, id) VALUES (1, 1);
    INSERT INTO engine_commit_boundaries (session, first, last) VALUES (1, 1, 100);
    INSERT INTO engine_kinds (session, kind) VALUES (1, 'note');
    WITH RECURSIVE ids (id) AS (VALUES (2) UNION ALL SELECT id + 1 FROM ids WHERE id < 100)
      INSERT INTO engine_entries (session, id, conversation, kind, content) SELECT 1, id, 1, 'note', '{"n":' || id || '}' FROM ids;
  `);
  const store = new SqliteStore(db);
  const read = () => store.session('session').readEntries({ conversationId: 1, limit: end });
  const before = read();
  expect(before.items.map(({ content }) => content)).toEqual(Array.from({ length: 99 }, (_, i) => ({ n: i + 2 })));
  expect(store.packable(9)).toEqual(['session']);
  expect(store.pack('session', { most: end })).toEqual({ packed: 99, more: false });
  expect(read()).toEqual(before);
});

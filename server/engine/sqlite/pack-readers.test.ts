/** Reading while the session's owner packs, and what reading costs (engine specification 7.2, 7.5). */
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, Id, MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import type { Storage } from '../storage.ts';
import { heard } from '../testing/heard.ts';
import { entryPack } from '../testing/packing.ts';
import { openFile, TempSession } from '../testing/session.ts';
import { SqliteStore } from './store.ts';

const entryOf = (id: Id, conversationId = 1): Entry => ({
  id,
  conversationId,
  kind: id % 10 === 0 ? 'tenth' : 'note',
  content: { text: `entry ${id}` },
  ...(id % 7 === 0 ? { key: `key ${id}` } : {}),
});
const conversation = (id: Id): MainWrite => ({ type: 'createConversation', conversation: { id } });
const write = (entry: Entry): MainWrite => ({ type: 'entry', entry });

/** A session of one conversation with that many entries. */
async function filled(count: number) {
  const session = new TempSession(onTestFinished);
  const storage = session.store.session('session');
  await storage.commit({ kind: 'main', writes: [conversation(1)] });
  const entries = Array.from({ length: count }, (_, i) => entryOf(i + 2));
  await storage.commit({ kind: 'main', writes: entries.map(write) });
  return { session, storage, entries };
}

const reads: Readonly<Record<string, (storage: Storage) => unknown>> = {
  'a page up': (storage) => storage.readEntries({ conversationId: 1, after: 60, limit: 70 }).items,
  'a page down': (storage) => storage.readEntries({ conversationId: 1, before: end, limit: 70 }).items,
  'headers of a kind': (storage) => storage.scanEntries({ conversationId: 1, kind: 'tenth', limit: end }).items,
  'entries of a key': (storage) => storage.readEntries({ conversationId: 1, key: 'key 140', limit: 9 }).items,
  'a count': (storage) => storage.countEntries(1, 20, 180),
  'entries by their ids': (storage) => [...storage.getEntries([2, 100, 66, 199, 201, 67])],
};

test.each(Object.entries(reads))(
  'while the owner packs in between, %s misses nothing and has nothing twice [7.5-9]',
  async (_name, read) => {
    const { session, storage } = await filled(200);
    const expected = read(storage);
    const file = openFile(session.file);
    onTestFinished(() => void file.close());
    let statements = 0;
    let at = Number.NaN;
    const listening = heard(file, () => {
      if (++statements === at) session.store.pack('session', { most: 40 });
    });
    const reader = new SqliteStore(listening).session('session');
    // Once before each statement of the read, until the read has no more of them: first when nothing is packed, then when some is.
    let packings = 0;
    for (at = 1; ; at++) {
      statements = 0;
      expect(read(reader)).toEqual(expected);
      if (statements < at) break;
      packings++;
    }
    expect(packings).toBeGreaterThan(3);
    expect(session.store.pack('session', { most: end })).toMatchObject({ more: false });
    expect(read(reader)).toEqual(expected);
  },
);

test('a session without packs is read by the statements that it was read by before there were packs [7.5-10]', async () => {
  const { session, storage } = await filled(20);
  const ran: string[] = [];
  const store = new SqliteStore(heard(session.db, (_rows, sql) => void ran.push(sql)));
  const own = store.session('session');
  await storage.close();
  await own.commit({ kind: 'main', writes: [write(entryOf(22))] });
  for (const read of Object.values(reads)) {
    ran.length = 0;
    read(own);
    expect(ran.filter((sql) => sql.includes('engine_pack') || sql.startsWith('BEGIN'))).toEqual([]);
  }
});

test('what a read of packs costs follows what it returns, not the history [7.2-4] [7.5-11]', async () => {
  const { session, storage } = await filled(1920);
  let [rows, statements] = [0, 0];
  const listening = heard(session.db, (count) => {
    statements++;
    rows += count;
  });
  const cost = (read: (from: Storage) => unknown): readonly [number, number] => {
    // Nothing is cached in a store of its own.
    const from = new SqliteStore(listening).session('session');
    from.getEntries([3]);
    [rows, statements] = [0, 0];
    expect(read(from)).toBeDefined();
    return [statements, rows];
  };
  while (session.store.pack('session', { most: 1000 }).more);
  const all: readonly ((from: Storage) => unknown)[] = [
    (from) => from.readEntries({ conversationId: 1, before: end, limit: 100 }),
    (from) => from.readEntries({ conversationId: 1, after: 1000, limit: 100 }),
    (from) => from.scanEntries({ conversationId: 1, from: 700, through: 700, limit: 1 }),
    (from) => from.scanEntries({ conversationId: 1, kind: 'tenth', before: end, limit: 1 }),
    (from) => from.scanEntries({ conversationId: 1, key: 'key 700', limit: 1 }),
    (from) => from.countEntries(1, 100, 1900),
    (from) => from.getEntries([1500]),
    (from) => from.newestHead(1, end) ?? 'none',
  ];
  const before = all.map(cost);
  await storage.commit({ kind: 'main', writes: Array.from({ length: 5760 }, (_, i) => write(entryOf(i + 1922))) });
  while (session.store.pack('session', { most: 1000 }).more);
  expect(session.db.prepare('SELECT count(*) FROM engine_packs').pluck().get()).toBe(60);
  expect(all.map(cost)).toEqual(before);
  for (const [ran, given] of before) expect([ran <= 12, given <= 12]).toEqual([true, true]);
});

test('entries are found by their ids among the packs of very many conversations that grow in turns [7.5-11]', async () => {
  const session = new TempSession(onTestFinished);
  const storage = session.store.session('session');
  const conversations = Array.from({ length: 60 }, (_, i) => i + 1);
  await storage.commit({ kind: 'main', writes: conversations.map(conversation) });
  const entries = Array.from({ length: 6000 }, (_, i) => entryOf(61 + i, 1 + (i % 60)));
  for (let at = 0; at < entries.length; at += 3000) {
    const part = entries.slice(at, at + 3000);
    const packs = [...Map.groupBy(part, ({ conversationId }) => conversationId).values()].map((own) => entryPack(own));
    await storage.commit({ kind: 'main', writes: part.map(write) }, undefined, packs);
  }
  expect(session.db.prepare('SELECT count(*) FROM engine_packs').pluck().get()).toBe(120);
  const wanted = entries.filter(({ id }) => id % 97 === 0).map(({ id }) => id);
  expect([...storage.getEntries([...wanted.toReversed(), 9_999_999])]).toEqual(
    wanted.toReversed().map((id) => [id, entries[id - 61]]),
  );
});

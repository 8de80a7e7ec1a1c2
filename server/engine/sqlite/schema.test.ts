/** Opening files of other ages (engine specification 6.5). */
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { TempSession } from '../testing/session.ts';
import { migrateEngine } from './schema.ts';
import { SqliteStore } from './store.ts';

test('tables are made once and lie beside those of others', () => {
  const session = new TempSession(onTestFinished);
  session.db.exec('CREATE TABLE entries (mine TEXT)');
  session.reopenFile();
  const names = session.db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  expect(names.filter((name) => !name.startsWith('engine_'))).toEqual(['entries']);
  expect(session.db.pragma('user_version', { simple: true })).toBe(0);
});

test('a file that is newer than the program is refused and left as it is', () => {
  const session = new TempSession(onTestFinished);
  session.db.exec('INSERT INTO engine_migrations (version) VALUES (999)');
  expect(() => migrateEngine(session.db)).toThrow(expect.objectContaining({ code: 'storageVersion' }));
});

test('a session of another storage version is refused, the others are not [6.5-5]', () => {
  const session = new TempSession(onTestFinished);
  session.store.session('old');
  session.store.session('new');
  session.db.prepare("UPDATE engine_session_metadata SET value = '0' WHERE session = ?").run(session.store.sessionNumber('old'));
  expect(() => session.store.find('old')).toThrow(expect.objectContaining({ code: 'storageVersion' }));
  expect(session.store.find('new')).toBeDefined();
});

test('a connection for reading only reads, and says so where it would have to make tables', () => {
  const session = new TempSession(onTestFinished);
  session.store.session('session');
  const reader = new Sqlite(session.file, { readonly: true });
  onTestFinished(() => void reader.close());
  expect(new SqliteStore(reader).find('session')?.lastSeq).toBe(0);
  const empty = new TempSession(onTestFinished);
  empty.db.exec('DROP TABLE engine_migrations');
  const other = new Sqlite(empty.file, { readonly: true });
  onTestFinished(() => void other.close());
  expect(() => new SqliteStore(other)).toThrow(expect.objectContaining({ code: 'storageVersion' }));
});

test.each([1, 2])('a file of version %i is brought up to date and keeps what it has', async (version) => {
  const db = new Sqlite(':memory:');
  onTestFinished(() => void db.close());
  migrateEngine(db, version);
  db.exec(`
    INSERT INTO engine_sessions (session, name, last_seq) VALUES (1, 'session', 7), (2, 'new', 0);
    INSERT INTO engine_session_metadata (session, key, value) VALUES (1, 'storage_version', '1'), (2, 'storage_version', '1');
    INSERT INTO engine_conversations (session, id) VALUES (1, 1);
    INSERT INTO engine_tasks (session, id, conversation, kind, status, role, background, after, state) VALUES
      (1, 2, 1, 'work', 'done', 'terminal', NULL, '[]', '{"step":1}'),
      (1, 3, 1, 'work', 'running', 'inflight', 1, '[]', '{"step":2}'),
      (1, 4, 1, 'work', 'pending', 'start', NULL, '[2]', '{"step":3}');
    INSERT INTO engine_commit_boundaries (session, first, last) VALUES (1, 1, 1), (1, 2, 7);
  `);
  const store = new SqliteStore(db);
  const storage = store.session('session');
  expect([storage.lastSeq, store.session('new').lastSeq, store.liveSessions()]).toEqual([7, 0, ['session']]);
  const live = (background?: boolean) =>
    storage
      .scanTasks({ conversationIds: [1], live: true, limit: 9, ...(background === undefined ? {} : { background }) })
      .items.map(({ id }) => id);
  expect([live(), live(false), live(true)]).toEqual([[3, 4], [4], [3]]);
  await storage.commit({ kind: 'main', writes: [{ type: 'settle', id: 3, status: 'done', state: {} }] });
  expect([storage.lastSeq, live(), storage.getTasks([2, 3]).get(3)?.status]).toEqual([8, [4], 'done']);
});

test('a file of version 3 is brought up to date: its tasks stand under their sessions and ids, and are indexed as they were', async () => {
  const db = new Sqlite(':memory:');
  onTestFinished(() => void db.close());
  migrateEngine(db, 3);
  db.exec(`
    INSERT INTO engine_sessions (session, name) VALUES (1, 'one'), (2, 'two');
    INSERT INTO engine_session_metadata (session, key, value) VALUES (1, 'storage_version', '1'), (2, 'storage_version', '1');
    INSERT INTO engine_conversations (session, id, owner) VALUES (1, 1, NULL), (1, 4, 3), (2, 1, NULL);
    INSERT INTO engine_tasks (session, id, conversation, kind, status, role, background, abort, after, state, live) VALUES
      (2, 2, 1, 'work', 'pending', 'start', NULL, NULL, '[]', '{"of":"two"}', 1),
      (1, 2, 1, 'work', 'done', 'terminal', NULL, NULL, '[]', '{"step":1}', NULL),
      (1, 5, 4, 'work', 'running', 'inflight', NULL, 1, '[]', '{"step":3}', 1),
      (1, 3, 1, 'work', 'running', 'inflight', 1, NULL, '[2]', '{"step":2}', 1);
    INSERT INTO engine_commit_boundaries (session, first, last) VALUES (1, 1, 5), (2, 1, 2);
  `);
  const store = new SqliteStore(db);
  const [one, two] = [store.session('one'), store.session('two')];
  const scan = (query: object) => one.scanTaskHeaders({ limit: 9, ...query }).items.map(({ id }) => id);
  expect(one.scanTasks({ limit: 9 }).items).toEqual([
    { id: 2, conversationId: 1, kind: 'work', status: 'done', state: { step: 1 }, after: [] },
    { id: 3, conversationId: 1, kind: 'work', status: 'running', state: { step: 2 }, after: [2], background: true, owns: [4] },
    { id: 5, conversationId: 4, kind: 'work', status: 'running', state: { step: 3 }, after: [], abort: true },
  ]);
  expect([scan({ live: true }), scan({ conversationIds: [1] }), scan({ conversationIds: [1], live: true })]).toEqual([
    [3, 5],
    [2, 3],
    [3],
  ]);
  expect(one.scanConversations({ ownedFrom: 1, limit: 9 }).items).toEqual([{ id: 4, owner: 3 }]);
  expect([...two.getTasks([2, 3]).values()].map(({ state }) => state)).toEqual([{ of: 'two' }]);
  expect(store.liveSessions()).toEqual(['one', 'two']);
  await one.commit({ kind: 'main', writes: [{ type: 'settle', id: 3, status: 'done', state: {} }] });
  expect([scan({ live: true }), two.getTasks([3]).size]).toEqual([[5], 0]);
});

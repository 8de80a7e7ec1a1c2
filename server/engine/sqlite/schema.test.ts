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

test('a file of an earlier version is brought up to date and keeps what it has', async () => {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  const root = await engine.root();
  session.db.exec('DROP INDEX engine_tasks_foreground; DELETE FROM engine_migrations WHERE version > 1');
  session.reopenFile();
  expect(session.db.prepare('SELECT max(version) FROM engine_migrations').pluck().get()).toBeGreaterThan(1);
  const again = await session.engine();
  expect([(await again.root()).id, (await again.root()).isBusy]).toEqual([root.id, false]);
});

/** A row in another program's database: never over one that is there, never through a link, whole or not at all. */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { putRow, removeRow } from './index-row.ts';

let folder = '';
let database = '';
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-index-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  database = path.join(folder, 'index.db');
  const db = new Sqlite(database);
  db.exec('CREATE TABLE sessions (id TEXT PRIMARY KEY, "odd ""name" TEXT NOT NULL)');
  db.close();
});

const key = () => ({ database, table: 'sessions', column: 'id', key: 'a' });
function rows(): unknown {
  const db = new Sqlite(database, { readonly: true });
  try {
    return db.prepare('SELECT * FROM sessions').all();
  } finally {
    db.close();
  }
}

test('it is put once, and taken away as often as wanted', () => {
  expect(putRow(folder, key(), { 'odd "name': "it's" })).toBeUndefined();
  expect(rows()).toEqual([{ id: 'a', 'odd "name': "it's" }]);
  expect(putRow(folder, key(), { 'odd "name': 'other' })).toMatch(/UNIQUE/u);
  expect(rows()).toEqual([{ id: 'a', 'odd "name': "it's" }]);
  removeRow(key());
  removeRow(key());
  expect(rows()).toEqual([]);
});

test('what is not there, is no database, lacks the table or leads out of the root is refused in words', () => {
  expect(putRow(folder, { ...key(), table: 'others' }, {})).toMatch(/no such table/u);
  expect(putRow(folder, key(), { missing: 1 })).toMatch(/missing/u);
  expect(putRow(path.join(folder, 'root'), key(), {})).toContain('gone');
  fs.mkdirSync(path.join(folder, 'root'));
  fs.symlinkSync(database, path.join(folder, 'root/index.db'));
  expect(putRow(path.join(folder, 'root'), { ...key(), database: path.join(folder, 'root/index.db') }, {})).toContain(
    'leads out',
  );
  expect(putRow(folder, { ...key(), database: path.join(folder, 'gone.db') }, {})).toContain('gone');
  expect(fs.existsSync(path.join(folder, 'gone.db'))).toBe(false);
  fs.writeFileSync(path.join(folder, 'junk.db'), 'junk '.repeat(1000));
  expect(putRow(folder, { ...key(), database: path.join(folder, 'junk.db') }, {})).toMatch(/not a database/u);
  expect(rows()).toEqual([]);
});

test('a database or table that is not there has no row to take away; one that cannot be read throws', () => {
  removeRow({ ...key(), database: path.join(folder, 'gone.db') });
  expect(fs.existsSync(path.join(folder, 'gone.db'))).toBe(false);
  removeRow({ ...key(), table: 'others' });
  fs.writeFileSync(path.join(folder, 'junk.db'), 'junk '.repeat(1000));
  expect(() => removeRow({ ...key(), database: path.join(folder, 'junk.db') })).toThrow(/not a database/u);
});

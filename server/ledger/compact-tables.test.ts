import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { KeysTable } from './keys-table.ts';
import { migrateLedger } from './schema.ts';
import { SourcesTable } from './sources-table.ts';

const at = (entry: number, conversation = 1) => ({ conversation, entry });

/** As version 2 had them. */
const rows = `
    INSERT INTO threads (number, id, session, harness) VALUES (4, 'a', 's-one', 'claude'), (9, 'b', 's-two', 'codex'), (11, 'c', 's-one', 'claude');
    INSERT INTO natives (number, harness, native_id, thread, session) VALUES (1, 'claude', 'n', 4, 's-one');
    INSERT INTO record_keys VALUES ('d5fdd635-ee1d-47f0-ad0c-6148d339cc27', 's-one', 1, 7), ('codex:00076594090f96817320755ecdb87b1c', 's-two', 2, 8),
      ('part#000000000003', 's-two', 2, 9), ('part#000000000010', 's-two', 2, 12), ('odd#12', 's-one', 1, 0);
    INSERT INTO aliases VALUES (1, 'call:x', 1, 7), (1, 'msg:y', 1, 6);
    INSERT INTO documents VALUES (500, 4, 's-one', 1, 7, 'user', 'claude', 1000, 5), (70000, 9, 's-two', 2, 8, 'assistant', 'codex', NULL, 6);
    INSERT INTO unindexed VALUES (3, 4, 's-one', 1, 6, 'user', 'claude', 900);
    INSERT INTO sources (path, harness, state) VALUES ('/home/user/x.jsonl', 'claude', '{"a":1}');
`;

test('keys, aliases and what is to be indexed come over from a ledger of version 2', () => {
  const db = new Sqlite(':memory:');
  migrateLedger(db, 2);
  db.exec(rows);
  migrateLedger(db);
  const keys = new KeysTable(db);
  expect(keys.get('d5fdd635-ee1d-47f0-ad0c-6148d339cc27')).toEqual({ session: 's-one', ...at(7) });
  expect(keys.get('codex:00076594090f96817320755ecdb87b1c')).toEqual({ session: 's-two', ...at(8, 2) });
  expect(keys.get('odd#12')).toEqual({ session: 's-one', ...at(0) });
  expect(keys.floor('part#000000000009', 'part#')).toEqual({ session: 's-two', ...at(9, 2) });
  expect(keys.get('part#000000000010')?.entry).toBe(12);
  expect(keys.getAlias(1, 'call:x')).toEqual(at(7));
  expect(keys.getAlias(1, 'msg:y')).toEqual(at(6));
  expect(db.prepare('SELECT entry FROM unindexed ORDER BY number').pluck().all()).toEqual([6, 7, 8]);
  expect(new SourcesTable(db).byPath('/home/user/x.jsonl')?.state).toBe('{"a":1}');
  expect(db.prepare('SELECT name FROM sqlite_schema WHERE name LIKE ?').all('former%')).toEqual([]);
  db.close();
});

test('a thousand former keys and aliases are all found', () => {
  const db = new Sqlite(':memory:');
  migrateLedger(db, 2);
  db.exec(rows);
  const key = db.prepare("INSERT INTO record_keys VALUES (?, 's-one', 1, ?)");
  const alias = db.prepare('INSERT INTO aliases VALUES (1, ?, 1, ?)');
  for (let n = 1; n <= 1000; n++) {
    key.run(`${n}-of-them`, n);
    alias.run(`call:${n}`, n);
  }
  migrateLedger(db);
  const keys = new KeysTable(db);
  for (let n = 1; n <= 1000; n++) {
    expect(keys.get(`${n}-of-them`)).toEqual({ session: 's-one', ...at(n) });
    expect(keys.getAlias(1, `call:${n}`)).toEqual(at(n));
  }
  db.close();
});

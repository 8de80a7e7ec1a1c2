import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeysTable } from './keys-table.ts';
import { migrateLedger } from './schema.ts';

/** The tables with three threads in two sessions. */
class Keys implements Disposable {
  readonly db: Sqlite.Database;
  readonly table: KeysTable;
  constructor(file = ':memory:') {
    this.db = new Sqlite(file);
    migrateLedger(this.db);
    const thread = this.db.prepare("INSERT INTO threads (id, session, harness) VALUES (?, ?, 'claude')");
    thread.run('a', 's-one');
    thread.run('b', 's-two');
    thread.run('c', 's-one');
    this.table = new KeysTable(this.db);
  }
  /** As another process finds them. */
  opened(): KeysTable {
    return new KeysTable(this.db);
  }
  [Symbol.dispose](): void {
    this.db.close();
  }
}

const at = (entry: number, conversation = 1) => ({ conversation, entry });
const place = (part: string, ordinal: number): string => `${part}#${String(ordinal).padStart(12, '0')}`;

test('a key is found with its session, by whoever opens the ledger, and never moves once it is placed', () => {
  using keys = new Keys();
  keys.table.putAll(
    's-one',
    new Map([
      ['k1', at(5)],
      ['k2', at(0)],
    ]),
  );
  keys.table.put('k3', { session: 's-two', ...at(7, 3) });
  keys.table.put('k1', { session: 's-two', ...at(9) });
  for (const table of [keys.table, keys.opened()]) {
    expect(table.get('k1')).toEqual({ session: 's-one', ...at(5) });
    expect(table.get('k2')).toEqual({ session: 's-one', ...at(0) });
    expect(table.get('k3')).toEqual({ session: 's-two', ...at(7, 3) });
    expect(table.get('k4')).toBeUndefined();
    expect(table.get('')).toBeUndefined();
  }
});

test('a session that a second thread joins has the keys that it had', () => {
  using keys = new Keys();
  keys.table.put('k', { session: 's-two', ...at(1) });
  keys.db.prepare("INSERT INTO threads (id, session, harness) VALUES ('d', 's-two', 'codex')").run();
  keys.table.put('l', { session: 's-two', ...at(2) });
  expect([keys.table.get('k')?.session, keys.table.get('l')?.session]).toEqual(['s-two', 's-two']);
  expect(() => keys.table.put('m', { session: 's-none', ...at(1) })).toThrow('s-none');
});

test('keys that a transaction took back are not found, and can be put again', () => {
  using keys = new Keys();
  const failing = keys.db.transaction(() => {
    keys.table.put('k', { session: 's-one', ...at(1) });
    keys.table.put(place('p', 1), { session: 's-one', ...at(1) });
    throw new Error('no room');
  });
  expect(() => failing()).toThrow('no room');
  expect([keys.table.get('k'), keys.table.get(place('p', 1))]).toEqual([undefined, undefined]);
  keys.table.put('k', { session: 's-two', ...at(2) });
  expect(keys.table.get('k')).toEqual({ session: 's-two', ...at(2) });
});

test('of the places in a part the one at or before another is found, and none of another part', () => {
  using keys = new Keys();
  const places = [place('p', 3), place('p', 8), place('p', 1_000_000_000), place('q', 5), place('p#q', 4)];
  keys.table.putAll('s-one', new Map(places.map((key, i) => [key, at(i + 1)])));
  const floor = (part: string, ordinal: number) => keys.table.floor(place(part, ordinal), `${part}#`)?.entry;
  expect([2, 3, 7, 8, 9, 999_999_999, 1_000_000_000, 999_999_999_999].map((n) => floor('p', n))).toEqual([
    undefined,
    1,
    1,
    2,
    2,
    2,
    3,
    3,
  ]);
  expect([floor('q', 4), floor('q', 5), floor('r', 5), floor('p#q', 9), floor('', 9)]).toEqual([
    undefined,
    4,
    undefined,
    5,
    undefined,
  ]);
  expect(keys.table.get(place('p', 8))?.entry).toBe(2);
  expect(keys.table.get(place('p', 9))).toBeUndefined();
  expect(keys.table.floor(place('p', 9), 'q#')).toBeUndefined();
  expect(keys.table.floor('other', 'oth')).toBeUndefined();
  keys.table.put('other', { session: 's-one', ...at(9) });
  expect(keys.table.floor('other', 'oth')?.entry).toBe(9);
});

test('what is put is what is found, whatever the names are', () => {
  const name = fc.oneof(
    fc.uuid(),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.tuple(fc.constantFrom('p', 'p#', ''), fc.integer({ min: 0, max: 999 })).map(([part, n]) => place(part, n)),
    fc.constantFrom('#000000000001', 'x#00000000000a', 'x#0000000000012', '#'),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), fc.array(name, { maxLength: 10 }), (put, others) => {
      using keys = new Keys();
      const first = new Map<string, number>();
      for (const [i, key] of put.entries()) if (!first.has(key)) first.set(key, i);
      keys.table.putAll(
        's-two',
        put.map((key, i) => [key, at(i)] as const),
      );
      for (const table of [keys.table, keys.opened()])
        for (const key of [...put, ...others]) expect(table.get(key)?.entry, key).toBe(first.get(key));
    }),
    { seed: 4, numRuns: 60 },
  );
});

test('an alias means what it was given last, within its native session only', () => {
  using keys = new Keys();
  keys.table.putAliases(
    1,
    new Map([
      ['call:x', at(2)],
      ['msg:y', at(3)],
    ]),
  );
  keys.table.putAlias(1, 'call:x', at(6, 2));
  keys.table.putAlias(2, 'call:x', at(9));
  expect(keys.table.getAlias(1, 'call:x')).toEqual(at(6, 2));
  expect(keys.table.getAlias(2, 'call:x')).toEqual(at(9));
  expect([keys.table.getAlias(2, 'msg:y'), keys.table.getAlias(3, 'call:x')]).toEqual([undefined, undefined]);
  keys.table.forgetAliases(1);
  expect([keys.table.getAlias(1, 'call:x'), keys.table.getAlias(2, 'call:x')?.entry]).toEqual([undefined, 9]);
});

test('the keys of a conversation that is withdrawn are forgotten, those of others are not', () => {
  using keys = new Keys();
  keys.table.putAll(
    's-one',
    new Map([
      ['a', at(1)],
      ['b', at(2, 2)],
      [place('p', 1), at(1)],
      [place('p', 2), at(2, 2)],
    ]),
  );
  keys.table.put('c', { session: 's-two', ...at(1) });
  keys.table.forget('s-one', 1);
  expect(['a', 'b', 'c', place('p', 1), place('p', 2)].map((key) => keys.table.get(key)?.entry)).toEqual([
    undefined,
    2,
    1,
    undefined,
    2,
  ]);
  keys.table.put('a', { session: 's-one', ...at(8) });
  expect(keys.table.get('a')?.entry).toBe(8);
});

test('who only reads finds what the owner puts later', () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-keys-')), 'ledger.db');
  using owner = new Keys(file);
  const reading = new Sqlite(file, { readonly: true });
  const reader = new KeysTable(reading);
  owner.table.put('k', { session: 's-one', ...at(4) });
  expect(reader.get('k')).toEqual({ session: 's-one', ...at(4) });
  reading.close();
});

test('who reads the ledger of an older version finds no key, and nothing fails', () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-keys-')), 'ledger.db');
  const former = new Sqlite(file);
  migrateLedger(former, 2);
  former.exec("INSERT INTO record_keys VALUES ('k', 's-one', 1, 1)");
  former.close();
  const reading = new Sqlite(file, { readonly: true });
  const reader = new KeysTable(reading);
  expect([reader.get('k'), reader.floor(place('p', 1), 'p#'), reader.getAlias(1, 'x')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  reading.close();
});

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, hashValue, placesIn } from './place-block.ts';
import type { Hash, HashedPlace } from './place-block.ts';
import { PlacedNames } from './placed-names.ts';
import type { PlacedNamesOptions } from './placed-names.ts';
import { migrateLedger } from './schema.ts';

function opened(file = ':memory:'): Sqlite.Database {
  const db = new Sqlite(file);
  migrateLedger(db);
  return db;
}

const transactIn = (db: Sqlite.Database) => (change: () => void) => db.transaction(change)();

/** Names spread over all hashes. */
function hash(n: number): Hash {
  return { high: Math.imul(n + 1, 0x9e3779b1), low: Math.imul(n ^ 0x5bd1, 0x85ebca6b) };
}
const at = (n: number, entry = n, owner = 1 + (n % 7)): HashedPlace => ({ ...hash(n), owner, conversation: 1 + (n % 3), entry });

function changes(db: Sqlite.Database): number {
  return db.prepare('SELECT total_changes()').pluck().get() as number;
}

type Step =
  | { readonly type: 'put'; readonly names: readonly number[] }
  | { readonly type: 'merge'; readonly undone: boolean }
  | { readonly type: 'forget'; readonly owner: number; readonly undone: boolean }
  | { readonly type: 'undone'; readonly names: readonly number[] }
  | { readonly type: 'open' };

const names = fc.array(fc.nat(60), { maxLength: 30 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('put' as const), names }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('merge' as const), undone: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('forget' as const), owner: fc.integer({ min: 1, max: 7 }), undone: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('undone' as const), names }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('open' as const) }) },
  ),
  { maxLength: 40, size: 'max' },
);

class Undone extends Error {}

/** As a disk that is full at the end of it. */
function undone(db: Sqlite.Database, change: () => void, caught = true): void {
  try {
    db.transaction(() => {
      change();
      throw new Undone();
    })();
  } catch (error) {
    if (!caught || !(error instanceof Undone)) throw error;
  }
}

test.each([true, false])(
  'names are where they were put, merged or not, undone or not, whoever opens them (moves: %s)',
  (moves) => {
    const options: PlacedNamesOptions = { name: moves ? 'alias' : 'key', moves, step: { names: 5, blocks: 2 } };
    fc.assert(
      fc.property(steps, (all) => {
        const db = opened();
        let table = new PlacedNames(db, options);
        const model = new Map<bigint, HashedPlace>();
        let entry = 0;
        for (const step of all) {
          if (step.type === 'open') table = new PlacedNames(db, options);
          else if (step.type === 'merge' && step.undone) {
            // Where there is something to merge.
            if (table.batches > 0) expect(() => table.mergeSome((change) => undone(db, change, false))).toThrow(Undone);
          } else if (step.type === 'merge') table.mergeSome(transactIn(db));
          else if (step.type === 'undone') undone(db, () => table.put(step.names.map((n) => at(n, 1_000_000))));
          else if (step.type === 'put') {
            const places = step.names.map((n) => at(n, ++entry));
            table.put(places);
            for (const place of places) if (moves || !model.has(hashValue(place))) model.set(hashValue(place), place);
          } else if (step.undone) undone(db, () => table.forget(({ owner }) => owner === step.owner));
          else {
            table.forget(({ owner }) => owner === step.owner);
            for (const [key, place] of model) if (place.owner === step.owner) model.delete(key);
          }
          for (let n = 0; n <= 60; n++) expect(table.get(hash(n))?.entry, `name ${n}`).toBe(model.get(hashValue(hash(n)))?.entry);
        }
        while (table.mergeSome(transactIn(db)));
        expect(table.batches).toBe(0);
        for (const one of [table, new PlacedNames(db, options)])
          for (let n = 0; n <= 60; n++) expect(one.get(hash(n))?.entry).toBe(model.get(hashValue(hash(n)))?.entry);
        db.close();
      }),
      { seed: 11, numRuns: 50 },
    );
  },
);

test('a commit writes one row, however many names the ledger has, and merging rewrites no block that gets none', () => {
  const db = opened();
  const table = new PlacedNames(db, { name: 'key', moves: false });
  const many = Array.from({ length: 40_000 }, (_, n) => at(n));
  const before = changes(db);
  for (let from = 0; from < many.length; from += 1000) table.put(many.slice(from, from + 1000));
  expect(changes(db) - before).toBe(40);
  while (table.mergeSome(transactIn(db)));
  const blocks = db.prepare('SELECT count(*) FROM key_blocks').pluck().get() as number;
  expect(blocks).toBeLessThan(40_000 / 150);

  const few = [50_001, 50_002, 50_003].map((n) => at(n));
  table.put(few);
  const merging = changes(db);
  while (table.mergeSome(transactIn(db)));
  // Of each at most one block goes, and two come; and the batch goes.
  expect(changes(db) - merging).toBeLessThanOrEqual(few.length * 3 + 1);
  for (const n of [0, 39_999, 50_001, 50_003]) expect(table.get(hash(n))?.entry).toBe(n);
  db.close();
});

test('memory is relieved at a bound, in steps, while names go on coming', () => {
  const db = opened();
  const table = new PlacedNames(db, { name: 'alias', moves: true });
  let fulls = 0;
  for (let from = 0; from < 200_000; from += 2000) {
    table.put(Array.from({ length: 2000 }, (_, n) => at(from + n)));
    if (!table.isFull) continue;
    fulls++;
    table.mergeSome(transactIn(db));
  }
  expect(fulls).toBeGreaterThan(8);
  const waiting = db.prepare('SELECT coalesce(sum(length(packed)), 0) FROM alias_batches').pluck().get() as number;
  expect(waiting).toBeLessThan(2 * 60_000 * 16);
  for (let n = 0; n < 200_000; n += 777) expect(table.get(hash(n))?.entry).toBe(n);
  db.close();
});

test('who only reads finds what is put and merged later', () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-names-')), 'ledger.db');
  const db = opened(file);
  db.pragma('journal_mode = WAL');
  const owner = new PlacedNames(db, { name: 'alias', moves: true });
  const reading = new Sqlite(file, { readonly: true });
  const reader = new PlacedNames(reading, { name: 'alias', moves: true });
  owner.put([at(1), at(2)]);
  expect(reader.get(hash(1))?.entry).toBe(1);
  while (owner.mergeSome(transactIn(db)));
  owner.put([at(2, 9), at(3)]);
  expect([1, 2, 3, 4].map((n) => reader.get(hash(n))?.entry)).toEqual([1, 9, 3, undefined]);
  reading.close();
  db.close();
});

test('rows of a ledger of version 5 become blocks, hashes at both ends of all among them', () => {
  const db = new Sqlite(':memory:');
  migrateLedger(db, 5);
  const put = db.prepare('INSERT INTO record_keys (hash, session, conversation, entry) VALUES (?, ?, ?, ?)');
  const ends = [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n];
  ends.forEach((value, entry) => put.run(value, 3, 2, entry));
  for (let n = 0; n < 45_000; n++) put.run(hashValue(hash(n)), 1, 1, n);
  migrateLedger(db);
  const table = new PlacedNames(db, { name: 'key', moves: false });
  ends.forEach((value, entry) => {
    const found = table.get(hashOf(value));
    expect(found).toMatchObject({ owner: 3, conversation: 2, entry });
  });
  for (let n = 0; n < 45_000; n++) if (table.get(hash(n))?.entry !== n) expect.fail(`name ${n} is lost`);
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name IN ('record_keys', 'aliases')").all()).toEqual([]);
  db.close();
});

/** Bytes as a disk may give them back: bits that changed, a part that is gone, nonsense. */
const damage = fc.oneof(
  fc.record({ type: fc.constant('bit' as const), at: fc.nat(4000), bit: fc.nat(7) }),
  fc.record({ type: fc.constant('cut' as const), at: fc.nat(4000) }),
  fc.record({ type: fc.constant('zeros' as const), at: fc.nat(4000), length: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ type: fc.constant('bytes' as const), bytes: fc.uint8Array({ maxLength: 300 }) }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damagedBytes(packed: Uint8Array, how: Damage): Uint8Array {
  if (how.type === 'bytes') return how.bytes;
  const bytes = Uint8Array.from(packed);
  const from = how.at % bytes.length;
  if (how.type === 'cut') return bytes.subarray(0, from);
  if (how.type === 'zeros') return bytes.fill(0, from, from + how.length);
  bytes[from] = (bytes[from] ?? 0) ^ (1 << how.bit);
  return bytes;
}

test.each(['blocks', 'batches'] as const)(
  'a damaged row of %s costs names that stood in it and no others, whatever is done with it',
  (rows) => {
    fc.assert(
      fc.property(damage, fc.nat(100), fc.boolean(), fc.boolean(), (how, nth, moves, forgets) => {
        const db = opened();
        const options: PlacedNamesOptions = { name: moves ? 'alias' : 'key', moves };
        const count = 800;
        const before = new PlacedNames(db, options);
        for (let from = 0; from < count; from += 200) before.put(Array.from({ length: 200 }, (_, n) => at(from + n)));
        if (rows === 'blocks') while (before.mergeSome(transactIn(db)));
        const place = `${options.name}_${rows}`;
        const numbers = db.prepare(`SELECT number FROM ${place} ORDER BY number`).pluck().all() as number[];
        const number = numbers[nth % numbers.length] ?? 0;
        const packed = db.prepare(`SELECT packed FROM ${place} WHERE number = ?`).pluck().get(number) as Buffer;
        const first =
          rows === 'blocks'
            ? (db.prepare(`SELECT first FROM ${place} WHERE number = ?`).pluck().safeIntegers().get(number) as bigint)
            : 0n;
        const held = new Set(placesIn(first, packed).places.map(hashValue));
        expect(held.size).toBeGreaterThan(50);
        db.prepare(`UPDATE ${place} SET packed = ? WHERE number = ?`).run(damagedBytes(packed, how), number);

        const table = new PlacedNames(db, options);
        table.put(Array.from({ length: 600 }, (_, n) => at(count + n)));
        if (forgets) table.forget(({ owner }) => owner === 3);
        while (table.mergeSome(transactIn(db)));
        const others = Array.from({ length: count + 600 }, (_, n) => n).filter((n) => !held.has(hashValue(hash(n))));
        const wanted = others.map((n) => (forgets && at(n).owner === 3 ? undefined : n));
        for (const one of [table, new PlacedNames(db, options)])
          expect(others.map((n) => one.get(hash(n))?.entry)).toEqual(wanted);
        // What is left is whole.
        expect(new PlacedNames(db, options).damaged()).toEqual({ rows: 0, owners: [] });
        db.close();
      }),
      { seed: 21, numRuns: 70 },
    );
  },
);

test('damage is counted with those who have names beside it, until merging takes it out', () => {
  const db = opened();
  const before = new PlacedNames(db, { name: 'key', moves: false });
  before.put(Array.from({ length: 1000 }, (_, n) => at(n)));
  while (before.mergeSome(transactIn(db)));
  const cut =
    'UPDATE key_blocks SET packed = substr(packed, 1, length(packed) - 20) WHERE number = (SELECT max(number) FROM key_blocks)';
  db.exec(cut);
  const table = new PlacedNames(db, { name: 'key', moves: false });
  expect(table.damaged()).toEqual({ rows: 1, owners: [1, 2, 3, 4, 5, 6, 7] });
  expect(table.lost).toBe(0);
  table.put(Array.from({ length: 1000 }, (_, n) => at(2000 + n)));
  while (table.mergeSome(transactIn(db)));
  expect(table.lost).toBe(1);
  expect(table.damaged()).toEqual({ rows: 0, owners: [] });
  table.put([at(3001), at(3002)]);
  db.exec("UPDATE key_batches SET packed = x'08'");
  const again = new PlacedNames(db, { name: 'key', moves: false });
  expect(again.damaged()).toEqual({ rows: 1, owners: [] });
  while (again.mergeSome(transactIn(db)));
  expect([again.lost, again.damaged().rows]).toEqual([1, 0]);
  db.close();
});

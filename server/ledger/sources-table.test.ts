import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrateLedger } from './schema.ts';
import { SourcesTable } from './sources-table.ts';

function table(): { readonly db: Sqlite.Database; readonly sources: SourcesTable } {
  const db = new Sqlite(':memory:');
  migrateLedger(db);
  return { db, sources: new SourcesTable(db) };
}

/** As a reader that knows what the last messages cost. */
function state(messages: number): string {
  return JSON.stringify({
    usage: Array.from({ length: messages }, (_, i) => ({ id: `msg_${i}`, input: 3, output: 54, cacheRead: 1788 })),
    title: 'é中😀',
  });
}

test('a state of any length is read as it was written, from each way to a row', () => {
  const { db, sources } = table();
  const path = '/home/user/x.jsonl';
  const number = sources.insert(path, 'claude');
  for (const messages of [0, 1, 20, 3000, 2]) {
    const row = sources.byNumber(number);
    if (row === undefined) throw new Error('the row is not there');
    const next = { ...row, state: state(messages), status: 'current' as const, generation: 2 };
    sources.update(next);
    for (const found of [sources.byNumber(number), sources.byPath(path), ...sources.below('/home/user/')])
      expect(found).toEqual(next);
  }
  db.close();
});

test('a state that the next batch of its file replaces is kept as it is, unless it is very long', () => {
  const { db, sources } = table();
  const row = sources.byNumber(sources.insert('/home/user/x.jsonl', 'claude'));
  if (row === undefined) throw new Error('the row is not there');
  const isPacked = (messages: number, status: 'reading' | 'current'): unknown => {
    sources.update({ ...row, state: state(messages), status });
    expect(sources.byNumber(row.number)?.state).toBe(state(messages));
    return db.prepare('SELECT packed IS NOT NULL FROM sources').pluck().get();
  };
  expect([isPacked(64, 'reading'), isPacked(64, 'current'), isPacked(64, 'reading'), isPacked(3000, 'reading')]).toEqual([
    0, 1, 0, 1,
  ]);
  db.close();
});

test('a state that repeats itself takes a fifth of its length or less', () => {
  const { db, sources } = table();
  const row = sources.byNumber(sources.insert('/home/user/x.jsonl', 'claude'));
  if (row === undefined) throw new Error('the row is not there');
  sources.update({ ...row, state: state(64), status: 'current' });
  const bytes = db.prepare('SELECT length(state) + length(packed) FROM sources').pluck().get() as number;
  expect(bytes).toBeLessThan(state(64).length / 5);
  db.close();
});

test('who reads the ledger of an older version finds its sources', () => {
  const db = new Sqlite(':memory:');
  migrateLedger(db, 2);
  db.exec("INSERT INTO sources (path, harness, state) VALUES ('/home/user/x.jsonl', 'claude', '[1]')");
  const row = new SourcesTable(db).byPath('/home/user/x.jsonl');
  expect([row?.state, row?.generation]).toEqual(['[1]', 0]);
  db.close();
});

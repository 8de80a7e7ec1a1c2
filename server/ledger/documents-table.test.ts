import { expect, test } from 'vitest';
import Sqlite from 'better-sqlite3';
import type { NewDocument } from './documents-table.ts';
import { DocumentsTable } from './documents-table.ts';
import { migrateLedger } from './schema.ts';
import { matchExpression, queryTerms } from './search-query.ts';

const day = 86_400_000;
const now = Date.parse('2026-03-10T12:00:00Z');

class Index implements Disposable {
  readonly db = new Sqlite(':memory:');
  readonly table: DocumentsTable;
  constructor() {
    migrateLedger(this.db);
    this.table = new DocumentsTable(this.db);
  }
  /** Entry numbers of what matches, newest first. */
  entries(words: string, filter: Parameters<DocumentsTable['match']>[1] = {}, limit = 2000): readonly number[] {
    return this.table.match(matchExpression(queryTerms(words), false), filter, limit).map(({ entry }) => entry);
  }
  [Symbol.dispose](): void {
    this.db.close();
  }
}

function document(entry: number, at: number | null, body = 'word', more: Partial<NewDocument['row']> = {}): NewDocument {
  const row: NewDocument['row'] = {
    thread: 1,
    conversation: 1,
    entry,
    kind: 'user',
    harness: 'claude',
    at,
    length: body.length,
    ...more,
  };
  return { row, body };
}

test('the newest candidates are the newest in time, in whatever order they were read', () => {
  using index = new Index();
  index.table.add([document(3, now - day), document(4, now - 3 * day)]);
  index.table.add([document(1, now), document(5, now - 9 * day), document(2, now - 3_600_001)]);
  index.table.add([document(6, null)]);
  expect(index.entries('word')).toEqual([1, 2, 3, 4, 5, 6]);
  expect(index.entries('word', {}, 2)).toEqual([1, 2]);
});

test('a span of time is exact to the millisecond and leaves out what is of no known time', () => {
  using index = new Index();
  index.table.add([
    document(1, now),
    document(2, now - 1),
    document(3, now - day),
    document(4, null),
    document(5, now + 400 * day),
  ]);
  expect(index.entries('word', { since: now })).toEqual([5, 1]);
  expect(index.entries('word', { since: now - day, until: now })).toEqual([2, 3]);
  expect(index.entries('word', { until: now - 1 })).toEqual([3]);
  expect(index.entries('word', { since: Number.NaN, until: Number.POSITIVE_INFINITY }).length).toBeLessThanOrEqual(5);
});

test('times that no clock gave are kept, and found', () => {
  using index = new Index();
  for (const [entry, at] of [-1, Number.MAX_SAFE_INTEGER, 1e17, 0].entries()) index.table.add([document(entry, at)]);
  expect(index.entries('word')).toHaveLength(4);
});

test('an hour with more entries than it has numbers takes those of the next, and no number twice', () => {
  using index = new Index();
  const hour = Math.floor(now / 3_600_000);
  // As if all but three of the hour's numbers were used, and the first of the next hour.
  const used = index.db.prepare("INSERT INTO documents (first, count, thread, conversation, packed) VALUES (?, ?, 9, 1, x'')");
  used.run(hour * 65_536, 65_533);
  used.run((hour + 1) * 65_536, 1);
  index.db.transaction(() => index.table.add(Array.from({ length: 8 }, (_, entry) => document(entry, now)))).immediate();
  index.table.add([document(8, now), document(9, now + 3_600_000)]);
  expect(index.entries('word').toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(index.entries('word', { since: now, until: now + 1 })).toHaveLength(9);
});

test('a filter finds what passes it however many others match', () => {
  using index = new Index();
  index.db
    .prepare("INSERT INTO threads (number, id, session, harness, cwd) VALUES (?, ?, 's', 'claude', ?)")
    .run(1, 'a', '/home/user/shop');
  index.db
    .prepare("INSERT INTO threads (number, id, session, harness, cwd) VALUES (?, ?, 's', 'codex', ?)")
    .run(2, 'b', '/home/user/site');
  index.table.add([document(1, now - 40 * day, 'word', { kind: 'tool_result', harness: 'codex', thread: 2 })]);
  index.table.add(Array.from({ length: 3000 }, (_, i) => document(10 + i, now)));
  expect(index.entries('word', { harness: 'codex' })).toEqual([1]);
  expect(index.entries('word', { kind: 'tool_result' })).toEqual([1]);
  expect(index.entries('word', { thread: 2 })).toEqual([1]);
  expect(index.entries('word', { cwds: ['/home/user/site'] })).toEqual([1]);
  expect(index.entries('word', { cwds: ['/home/user'] })).toEqual([]);
  expect(index.entries('word', { cwds: ['/home/user', '/home/user/site'] })).toEqual([1]);
  expect(index.entries('word', { harness: 'codex', kind: 'user' })).toEqual([]);
  expect(index.entries('word', { kind: '" OR *' })).toEqual([]);
  expect(index.entries('codex')).toEqual([]);
});

test('a folder of thousands of threads is one query', () => {
  using index = new Index();
  const insert = index.db.prepare(
    "INSERT INTO threads (number, id, session, harness, cwd) VALUES (?, ?, 's', 'claude', '/home/user/shop')",
  );
  for (let thread = 1; thread <= 3000; thread++) insert.run(thread, `t${thread}`);
  index.table.add([document(7, now, 'word', { thread: 2999 })]);
  expect(index.entries('word', { cwds: ['/home/user/shop'] })).toEqual([7]);
});

test('a conversation that is taken out is not found, and its words are no later one', () => {
  using index = new Index();
  index.table.add([document(1, now, 'old'), document(2, now, 'kept', { conversation: 2 })]);
  index.table.remove(1, 's', 1);
  index.table.add([document(3, now, 'new')]);
  expect(index.entries('old')).toEqual([]);
  expect(index.entries('new')).toEqual([3]);
  expect(index.entries('kept')).toEqual([2]);
});

test('what is taken out leaves room for older ones among as many as are wanted', () => {
  using index = new Index();
  index.table.add(Array.from({ length: 500 }, (_, entry) => document(entry, now, 'word', { conversation: 2 })));
  index.table.add(Array.from({ length: 30 }, (_, entry) => document(1000 + entry, now - day)));
  index.table.remove(1, 's', 2);
  expect(index.entries('word', {}, 7)).toEqual([1029, 1028, 1027, 1026, 1025, 1024, 1023]);
  expect(index.entries('word')).toHaveLength(30);
});

test('each is found with what was said of it, whatever stands beside it', () => {
  using index = new Index();
  const mixed = Array.from({ length: 400 }, (_, i) =>
    document(5 * i, i % 9 === 0 ? null : now - (i % 5) * 40_000, `word${i}`, {
      thread: 1 + (i % 3),
      conversation: 1 + (i % 2),
      kind: i % 4 === 0 ? 'tool_result' : 'assistant',
      length: i,
    }),
  );
  index.table.add(mixed.slice(0, 150));
  index.table.add(mixed.slice(150));
  for (const [i, { row }] of mixed.entries()) {
    const { harness: _, ...said } = row;
    const found = index.table.match(`"word${i}"`, {}, 5);
    expect(found.map(({ number: __, ...rest }) => rest)).toEqual([said]);
  }
});

test('in bulk work segments pile up, and otherwise they are kept few; what is found is the same', () => {
  using index = new Index();
  const count = index.db.prepare('SELECT count(DISTINCT segid) FROM search_idx').pluck();
  const changes = index.db.prepare('SELECT total_changes()').pluck();
  const pileUp = (isBulk: boolean): void => index.db.transaction(() => index.table.pileUp(isBulk))();
  const words = (n: number): string => Array.from({ length: 400 }, (_, i) => `word w${n}x${i}`).join(' ');
  const add = (from: number, to: number): void => {
    for (let n = from; n < to; n++) index.table.add([document(n, now + n, words(n))]);
  };
  pileUp(true);
  add(1, 41);
  expect(count.get()).toBe(40);
  expect(index.entries('word')).toHaveLength(40);
  pileUp(false);
  add(41, 81);
  expect(count.get()).toBeLessThan(20);
  expect(index.entries('word')).toHaveLength(80);
  expect(index.entries('w7x3')).toEqual([7]);
  const before = changes.get();
  pileUp(false);
  expect(changes.get()).toBe(before);
});

test('very many segments of bulk work are joined in its midst, in bounded steps; what is found is the same', () => {
  using index = new Index();
  const count = index.db.prepare('SELECT count(DISTINCT segid) FROM search_idx').pluck();
  const within = (change: () => void): void => index.db.transaction(change)();
  const add = (n: number): void => index.table.add([document(n, now + n, `word w${n} ${'x '.repeat(50)}`)]);
  within(() => index.table.pileUp(true));
  let steps = 0;
  for (let n = 1; n <= 700; n++) {
    add(n);
    if (n === 511) expect([index.table.arePiled, count.get()]).toEqual([false, 511]);
    if (!index.table.arePiled) continue;
    steps++;
    within(() => index.table.joinPiled(4));
  }
  expect(steps).toBeGreaterThan(2);
  expect([index.table.arePiled, Number(count.get()) < 250]).toEqual([false, true]);
  expect([index.entries('word').length, index.entries('w250'), index.entries('w699')]).toEqual([700, [250], [699]]);
  within(() => index.table.pileUp(false));
  expect(index.table.arePiled).toBe(false);
});

test('a text that comes as UTF-8 stands in the index as the same text does that comes as a string', () => {
  for (const body of [
    'plain words',
    'Überfluß größer naïve',
    'behind\0a zero',
    '東京 京都',
    '',
    ' \ue011 Customer',
    '\u{1f600} sign',
  ]) {
    const indexed = [body, new Uint8Array(Buffer.from(`before ${body} behind`)).subarray(7, -7)].map((form) => {
      using index = new Index();
      index.table.add([{ ...document(1, now), body: form }]);
      index.db.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'search', 'instance')");
      return index.db.prepare('SELECT term, doc, offset FROM temp.words').all();
    });
    expect(indexed[0]?.length).toBeGreaterThanOrEqual(3);
    expect(indexed[1]).toEqual(indexed[0]);
  }
});

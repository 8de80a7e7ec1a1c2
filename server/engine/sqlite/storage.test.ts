/** The SQLite backend by itself: pages, keys, scans, the transaction, and which index each read uses (engine specification 7). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, scratchValue, sessionList, sessionValue } from '../address.ts';
import type { Entry, Id, MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import { openFile, TempSession } from '../testing/session.ts';
import { SqliteStore } from './store.ts';
import { prepareTables } from './tables.ts';

function opened() {
  const session = new TempSession(onTestFinished);
  return { session, storage: session.store.session('session') };
}
const conversation = (id: Id): MainWrite => ({ type: 'createConversation', conversation: { id } });
const entry = (id: Id, rest: Partial<Entry> = {}): MainWrite => ({
  type: 'entry',
  entry: { id, conversationId: 1, kind: 'note', content: { n: id }, ...rest },
});

test('a record must carry the number of its place in the sequence [7.3-1]', async () => {
  const { storage } = opened();
  await storage.commit({ kind: 'main', writes: [conversation(1)] });
  await expect(storage.commit({ kind: 'main', writes: [entry(2), entry(4)] })).rejects.toMatchObject({ code: 'sequence' });
  expect([storage.lastSeq, storage.countEntries(1), [...storage.kinds]]).toEqual([1, 0, []]);
  await storage.commit({ kind: 'main', writes: [entry(2), entry(3, { kind: 'other' })] });
  expect([storage.lastSeq, [...storage.kinds]]).toEqual([3, ['note', 'other']]);
});

test('every commit leaves its boundary, an empty one leaves nothing [7.3-5] [7.5-1]', async () => {
  const { session, storage } = opened();
  expect(await storage.commit({ kind: 'main', writes: [conversation(1), entry(2)] })).toEqual({ first: 1, last: 2 });
  expect(await storage.commit({ kind: 'main', writes: [] })).toEqual({ first: 3, last: 2 });
  await storage.commit({ kind: 'main', writes: [entry(3)] });
  expect(session.db.prepare('SELECT first, last FROM engine_commit_boundaries ORDER BY first').all()).toEqual([
    { first: 1, last: 2 },
    { first: 3, last: 3 },
  ]);
});

test('a page tells of a next one exactly when there is one [7.2-2] [7.2-5] [7.2-15]', async () => {
  const { storage } = opened();
  await storage.commit({ kind: 'main', writes: [conversation(1), entry(2), entry(3), entry(4)] });
  const page = (query: object) => {
    const { items, next } = storage.scanEntries({ conversationId: 1, limit: 2, ...query });
    return [items.map((item) => item.id), next];
  };
  expect(page({})).toEqual([[2, 3], 3]);
  expect(page({ after: 3 })).toEqual([[4], undefined]);
  expect(page({ before: end })).toEqual([[4, 3], 3]);
  expect(page({ before: 3 })).toEqual([[2], undefined]);
  expect(page({ after: 2 })).toEqual([[3, 4], undefined]);
  expect(page({ limit: 0 })).toEqual([[], undefined]);
  expect(page({ limit: Infinity })).toEqual([[2, 3, 4], undefined]);
  expect(page({ from: 3, through: 3 })).toEqual([[3], undefined]);
  expect(page({ conversationId: 77 })).toEqual([[], undefined]);
  expect(() => page({ after: 1, before: 3 })).toThrow(expect.objectContaining({ code: 'cursor' }));
  expect(() => page({ limit: NaN })).toThrow(expect.objectContaining({ code: 'cursor' }));
});

test('a header is the entry without its content [2.1-3] [7.2-9] [7.2-11]', async () => {
  const { storage } = opened();
  await storage.commit({ kind: 'main', writes: [conversation(1), entry(2, { key: 'k', head: true, byTaskId: 9 })] });
  const header = { id: 2, conversationId: 1, kind: 'note', key: 'k', head: true, byTaskId: 9 };
  expect(storage.getEntryHeaders([2]).get(2)).toEqual(header);
  expect(storage.getEntries([2, 2, 5]).get(2)).toEqual({ ...header, content: { n: 2 } });
  expect(storage.getEntries([])).toEqual(new Map());
});

test('content and keys of any text come back as they went in [2.1-21]', async () => {
  const { storage } = opened();
  const ugly = {
    '': 'a\u0000b\u001b[31m',
    __proto__x: '\ud800 lone',
    quote: '"\\\'; DROP TABLE engine_entries; --',
    deep: [[null, 1e300, -0.5]],
  };
  await storage.commit({ kind: 'main', writes: [conversation(1), entry(2, { content: ugly, key: "k'\u0000\n" })] });
  expect(storage.readEntries({ conversationId: 1, limit: 9, key: "k'\u0000\n" }).items).toEqual([
    { id: 2, conversationId: 1, kind: 'note', key: "k'\u0000\n", content: ugly },
  ]);
});

test('no key, an empty key and any other are three addresses', async () => {
  const { storage } = opened();
  const keys = [undefined, '', ':'];
  await storage.commit({
    kind: 'main',
    writes: keys.map((key, value) => ({ type: 'value.set', addr: sessionValue('n', key), value })),
  });
  expect(keys.map((key) => storage.getValue(sessionValue('n', key))?.value)).toEqual([0, 1, 2]);
  expect(storage.scanValues({ scope: { session: true }, namespace: 'n', limit: 9 }).items.map((item) => item.key)).toEqual([
    '',
    ':',
  ]);
});

test('rewindable and sticky state of one name are two addresses [4.1-2]', async () => {
  const { storage } = opened();
  const [sticky, rewindable] = [false, true].map((rewind) => bound(conversationValue<number>('n', { rewind }), 1));
  const [stickyList, rewindableList] = [false, true].map((rewind) => bound(conversationList<number>('n', { rewind }), 1));
  if (sticky === undefined || rewindable === undefined || stickyList === undefined || rewindableList === undefined)
    throw new Error('no address');
  await storage.commit({
    kind: 'main',
    writes: [
      conversation(1),
      { type: 'value.set', addr: sticky, value: 1 },
      { type: 'list.append', addr: stickyList, value: 1 },
      { type: 'list.append', addr: rewindableList, value: 2 },
      { type: 'list.clear', addr: rewindableList },
    ],
  });
  expect([storage.getValue(sticky)?.value, storage.getValue(rewindable)]).toEqual([1, undefined]);
  expect([storage.readList(stickyList, { limit: 9 }).items, storage.readList(rewindableList, { limit: 9 }).items]).toEqual([
    [{ id: 3, value: 1 }],
    [],
  ]);
});

const at = (conversationId: Id, key: string) => bound(conversationValue<string>('n', { rewind: true, key }), conversationId);

test('keys of a namespace come in order, page by page, without deleted ones and with inherited ones [7.2-10]', async () => {
  const { storage } = opened();
  const set = (conversationId: Id, key: string): MainWrite => ({
    type: 'value.set',
    addr: at(conversationId, key),
    value: `${conversationId}${key}`,
  });
  await storage.commit({
    kind: 'main',
    writes: [conversation(1), set(1, 'b'), set(1, 'a'), set(1, 'é'), entry(5), set(1, 'late')],
  });
  await storage.commit({
    kind: 'main',
    writes: [
      { type: 'createConversation', conversation: { id: 7, parent: { conversationId: 1, at: 5 } } },
      set(7, 'c'),
      { type: 'value.delete', addr: at(7, 'b') },
      set(7, 'é'),
    ],
  });
  const scan = (after?: string) =>
    storage.scanValues({
      scope: { conversation: 7 },
      namespace: 'n',
      rewind: true,
      limit: 2,
      ...(after === undefined ? {} : { after }),
    }).items;
  expect(scan().map(({ key, version }) => [key, version.value])).toEqual([
    ['a', '1a'],
    ['c', '7c'],
  ]);
  expect(scan('c').map(({ key, version }) => [key, version.value])).toEqual([['é', '7é']]);
  expect(storage.scanValues({ scope: { conversation: 7 }, namespace: 'n', limit: 9 }).items).toEqual([]);
});

test('a sticky list forgets what was removed and cleared [4.2-2] [4.2-6]', async () => {
  const { session, storage } = opened();
  const list = sessionList<string>('l');
  const append = (value: string): MainWrite => ({ type: 'list.append', addr: list, value });
  await storage.commit({
    kind: 'main',
    writes: [append('a'), append('b'), append('c'), { type: 'list.remove', addr: list, element: 2 }],
  });
  expect(storage.readList(list, { limit: 1 })).toEqual({ items: [{ id: 1, value: 'a' }], next: 1, readAt: 4 });
  expect(storage.readList(list, { limit: 9, after: 1 }).items).toEqual([{ id: 3, value: 'c' }]);
  await storage.commit({ kind: 'main', writes: [{ type: 'list.clear', addr: list }] });
  expect(storage.readList(list, { limit: 9 }).items).toEqual([]);
  expect(session.db.prepare('SELECT count(*) FROM engine_list_elements').pluck().get()).toBe(0);
});

test('a list is read past any number of removed elements', async () => {
  const { storage } = opened();
  const list = bound(conversationList<number>('l', { rewind: true }), 1);
  const writes: MainWrite[] = [conversation(1)];
  for (let i = 2; i <= 41; i++) writes.push({ type: 'list.append', addr: list, value: i });
  for (let i = 2; i <= 39; i++) writes.push({ type: 'list.remove', addr: list, element: i });
  await storage.commit({ kind: 'main', writes });
  expect(storage.readList(list, { limit: 1 })).toMatchObject({ items: [{ id: 40 }], next: 40 });
  expect(storage.readList(list, { limit: 5, before: end }).items.map((element) => element.id)).toEqual([41, 40]);
});

test('scratch is no state of a main commit [10.2-3]', async () => {
  const { storage } = opened();
  const write = { type: 'value.set', addr: bound(scratchValue('v'), 1), value: 1 } as const;
  await expect(storage.commit({ kind: 'main', writes: [conversation(1), write] })).rejects.toMatchObject({ code: 'scope' });
  await expect(storage.commit({ kind: 'scratch', task: 1, writes: [write] })).rejects.toMatchObject({ code: 'taskIsTerminal' });
  expect(storage.lastSeq).toBe(0);
});

test('a full disk loses the batch and nothing else [7.3-6]', async () => {
  const { session, storage } = opened();
  await storage.commit({ kind: 'main', writes: [conversation(1)] });
  session.db.pragma(`max_page_count = ${Number(session.db.pragma('page_count', { simple: true })) + 2}`);
  const big = { text: 'x'.repeat(100_000) };
  await expect(storage.commit({ kind: 'main', writes: [entry(2, { content: big })] })).rejects.toMatchObject({
    code: 'SQLITE_FULL',
  });
  expect([storage.lastSeq, storage.countEntries(1), session.db.inTransaction]).toEqual([1, 0, false]);
  session.db.pragma('max_page_count = 100000');
  await storage.commit({ kind: 'main', writes: [entry(2, { content: big })] });
  expect(storage.countEntries(1)).toBe(1);
});

test('a commit that the database refuses at its end is undone whole [7.3-6]', async () => {
  const { session, storage } = opened();
  session.db.pragma('foreign_keys = ON');
  session.db.exec(
    'CREATE TABLE mine (entry INTEGER REFERENCES mine_parent (id) DEFERRABLE INITIALLY DEFERRED); CREATE TABLE mine_parent (id INTEGER PRIMARY KEY)',
  );
  const within = () => void session.db.prepare('INSERT INTO mine VALUES (5)').run();
  await expect(storage.commit({ kind: 'main', writes: [conversation(1)] }, within)).rejects.toMatchObject({
    code: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  });
  expect([storage.lastSeq, session.db.inTransaction, session.db.prepare('SELECT count(*) FROM mine').pluck().get()]).toEqual([
    0,
    false,
    0,
  ]);
});

test('a commit inside another transaction is refused: it could not promise to be durable', async () => {
  const { session, storage } = opened();
  session.db.exec('BEGIN');
  await expect(storage.commit({ kind: 'main', writes: [conversation(1)] })).rejects.toThrow(/inside another transaction/);
  session.db.exec('ROLLBACK');
});

test('another connection sees each commit when it is made', async () => {
  const { session, storage } = opened();
  const reader = new TempSession(onTestFinished);
  await storage.commit({ kind: 'main', writes: [conversation(1)] });
  const db = openFile(session.file);
  onTestFinished(() => void db.close());
  const other = new SqliteStore(db).find('session');
  await storage.commit({ kind: 'main', writes: [entry(2)] });
  expect([other?.lastSeq, other?.countEntries(1)]).toEqual([2, 1]);
  expect(reader.store.find('session')).toBeUndefined();
});

test('no statement of the store scans a table of history, and no transcript read sorts [7.5-3]', () => {
  const { session } = opened();
  const statements: string[] = [];
  const listening = new Proxy(session.db, {
    get: (db, property) => {
      if (property === 'prepare') {
        return (sql: string) => {
          statements.push(sql);
          return db.prepare(sql);
        };
      }
      const member: unknown = Reflect.get(db, property, db);
      return typeof member === 'function' ? (member.bind(db) as unknown) : member;
    },
  });
  prepareTables(listening);
  const reads = statements.filter((sql) => sql.startsWith('SELECT'));
  expect(reads.length).toBeGreaterThan(30);
  for (const sql of reads) {
    const steps = session.db
      .prepare<[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\?|:[a-z]+/g, '1')}`)
      .all();
    const plan = steps.map((step) => step.detail).join('; ');
    // What may be walked through: the ids that were asked for, and the partial index that holds live tasks only.
    expect(plan, sql).not.toMatch(/SCAN (?!wanted|t\b|engine_tasks USING INDEX engine_tasks_live)/);
    if (sql.includes('FROM engine_entries')) expect(plan, sql).not.toContain('TEMP B-TREE');
    if (sql.includes('count(*)')) expect(plan, sql).toContain('COVERING INDEX');
  }
});

/** What a commit, an open and a point read cost in rows, however long the session is (engine specification 7.5). */
import type { Database, Statement } from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, scratchList, scratchValue } from '../address.ts';
import { end } from '../storage.ts';
import { note, reset, work } from '../testing/kinds.ts';
import { TempSession } from '../testing/session.ts';
import { SqliteStore } from './store.ts';

const plan = conversationValue<{ readonly text: string; readonly n: number }>('plan', { rewind: true });

async function started() {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  return { session, engine, root: await engine.root() };
}

test('values are stored whole, current and historical: each read is one row [7.5-4]', async () => {
  const { session, root } = await started();
  const text = 'x'.repeat(2000);
  for (let n = 1; n <= 4; n++) await root.value(plan).set({ text, n });
  const rows = session.db.prepare('SELECT value FROM engine_value_versions ORDER BY seq').pluck().all() as string[];
  expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual([1, 2, 3, 4].map((n) => ({ text, n })));
});

test('scratch goes in the transaction of the settlement and comes back with it [7.5-5]', async () => {
  const { session, engine, root } = await started();
  const rows = () => session.db.prepare('SELECT count(*) FROM engine_scratch').pluck().get();
  const status = () => session.db.prepare('SELECT status FROM engine_tasks').pluck().get();
  const task = await root.commit((tx) => tx.task(work, { state: { step: 1 } }));
  await engine.scratch(task, (sc) => {
    sc.list(scratchList<number>('frames')).append(1);
    sc.value(scratchValue<number>('seen')).set(1);
  });
  const seen: unknown[] = [];
  const look = () => void seen.push([status(), rows()]);
  const failing = root.commit((tx) => tx.settle(task, 'done'), {
    within: () => {
      look();
      throw new Error('not written');
    },
  });
  await expect(failing).rejects.toThrow('not written');
  look();
  await root.commit((tx) => tx.settle(task, 'done'), { within: look });
  look();
  expect(seen).toEqual([
    ['done', 0],
    ['pending', 2],
    ['done', 0],
    ['done', 0],
  ]);
});

test('a commit writes as many rows after ten thousand entries as after ten [7.5-6]', async () => {
  const { session, root } = await started();
  const changes = () => Number(session.db.prepare('SELECT total_changes()').pluck().get());
  const turn = async (n: number) => {
    const before = changes();
    await root.commit((tx) => {
      tx.value(plan).set({ text: 'x', n });
      tx.entry(note, { text: String(n) });
      tx.settle(tx.task(work, { state: { step: n } }), 'done');
    });
    return changes() - before;
  };
  await turn(1);
  const early = await turn(2);
  await root.commit((tx) => {
    for (let i = 0; i < 10_000; i++) tx.entry(note, { text: String(i) });
  });
  for (let n = 3; n < 100; n++) await turn(n);
  expect([early > 0, await turn(100)]).toEqual([true, early]);
});

test('opening reads live tasks and no history: entries and settled tasks that nobody could read do not matter [7.5-7]', async () => {
  const { session, root } = await started();
  const [live, settled] = await root.commit((tx) => {
    for (let i = 0; i < 50; i++) tx.entry(note, { text: String(i) });
    return [tx.task(work, { state: { step: 1 } }), tx.task(work, { state: { step: 2 } })] as const;
  });
  await root.commit((tx) => tx.settle(settled, 'done'));
  session.db.exec("UPDATE engine_entries SET content = 'not JSON'");
  session.db.prepare("UPDATE engine_tasks SET state = 'not JSON' WHERE key % 4294967296 = ?").run(settled);
  session.reopenFile();
  const engine = await session.engine();
  expect(engine.inspect().start.map(({ id }) => id)).toEqual([live]);
  expect(() => engine.getTask(settled)).toThrow(SyntaxError);
});

/** Counts the rows that statements return. */
function counted(db: Database): { readonly db: Database; rows: number; statements: number } {
  const count = (rows: number) => {
    counter.statements++;
    counter.rows += rows;
  };
  const listen = (statement: Statement): Statement =>
    new Proxy(statement, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const result: unknown = member.apply(target, args);
          if (property === 'get') count(result === undefined ? 0 : 1);
          if (property === 'all') count((result as readonly unknown[]).length);
          return result === target ? listen(target) : result;
        };
      },
    });
  const counter = {
    rows: 0,
    statements: 0,
    db: new Proxy(db, {
      get: (target, property) => {
        if (property === 'prepare') return (sql: string) => listen(target.prepare(sql));
        const member: unknown = Reflect.get(target, property, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    }),
  };
  return counter;
}

test('what a read costs follows the depth of forks, not anybody’s history [4.4-4] [7.2-4]', async () => {
  const { session, engine, root } = await started();
  const moves = conversationList<number>('moves', { rewind: true });
  const counter = counted(session.db);
  const storage = new SqliteStore(counter.db).session('session');
  const cost = (read: () => unknown) => {
    Object.assign(counter, { rows: 0, statements: 0 });
    expect(read()).toBeDefined();
    return [counter.statements, counter.rows];
  };
  await root.commit((tx) => {
    tx.value(plan).set({ text: 'of the root', n: 1 });
    for (const n of [1, 2, 3]) tx.list(moves).append(n);
    for (const text of ['one', 'two', 'three']) tx.entry(note, { text });
    tx.entry(reset, { why: 'new start' });
  });
  const chain = [root];
  for (let depth = 1; depth <= 8; depth++) {
    const above = chain.at(-1) ?? root;
    const at = await above.commit((tx) => tx.entry(note, { text: 'here' }));
    chain.push(await above.fork(at));
  }
  const costs = () =>
    chain.map(({ id }) => [
      cost(() => storage.getValue(bound(plan, id))),
      cost(() => storage.readList(bound(moves, id), { limit: 1 })),
      cost(() => storage.newestHead(id, end)),
      cost(() => storage.scanEntries({ conversationId: id, before: end, limit: 1 })),
    ]);
  const before = costs();
  await engine.commit((tx) => {
    const other = tx.createConversation();
    for (let n = 0; n < 2000; n++) {
      for (const conversation of [other, root.id]) {
        tx.value(bound(plan, conversation)).set({ text: 'later', n });
        tx.list(bound(moves, conversation)).append(n);
      }
    }
    for (const conversation of [other, root.id]) for (let n = 0; n < 2000; n++) tx.entry(reset, conversation, { why: String(n) });
  });
  expect(costs()).toEqual(before);
  const rows = before.map((kinds) => kinds.reduce((sum, [, read = 0]) => sum + read, 0));
  const growth = rows.slice(2).map((row, i) => row - (rows[i + 1] ?? 0));
  expect(Math.max(...growth)).toBeLessThanOrEqual(8);
});

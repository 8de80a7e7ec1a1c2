/** Numbers and visibility: what a commit hands out, when, and who sees what of it meanwhile (engine specification 3, 7.2). */
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { conversationValue, scratchList, sessionValue } from './address.ts';
import type { CommitBatch, Id } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import { SqliteStore } from './sqlite/store.ts';
import { edit, note, reset, silent, summary, work } from './testing/kinds.ts';
import { openFile, TempSession } from './testing/session.ts';

async function started() {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  const root = await engine.root();
  return { session, engine, root, say: async (text: string) => root.commit((tx) => tx.entry(note, { text })) };
}

/** Storage whose commits wait until the gate is open. */
function gated(storage: Storage, gate: Promise<void>): Storage {
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === 'commit')
        return async (batch: CommitBatch, within?: () => void) => {
          await gate;
          return target.commit(batch, within);
        };
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

test('a commit hands out its result when the batch is durable and told, not before [3.1-3] [9.2-4]', async () => {
  const { session, root } = await started();
  const gate = Promise.withResolvers<void>();
  const engine = await session.engine(gated(session.store.session('session'), gate.promise));
  const watch = await engine.watch(root.id, { tail: 9 });
  const told: Id[] = [];
  watch.start((event) => event.type === 'entry' && told.push(event.entry.id));
  let isResolved = false;
  const minted: Id[] = [];
  const committed = engine
    .commit((tx) => {
      minted.push(tx.entry(note, root.id, { text: 'x' }));
      return { of: 'the closure', id: minted[0] };
    })
    .then((result) => {
      isResolved = true;
      return result;
    });
  await new Promise(setImmediate);
  expect([minted.length, isResolved, told]).toEqual([1, false, []]);
  gate.resolve();
  const { id, of } = await committed;
  const other = openFile(session.file);
  onTestFinished(() => void other.close());
  expect(new SqliteStore(other).session('session').getEntries([id ?? 0]).size).toBe(1);
  expect([of, told]).toEqual(['the closure', minted]);
});

test('numbers run on through main and scratch commits, failures and restarts [3.1-1] [3.1-4] [3.1-5]', async () => {
  const step = fc.record({ what: fc.constantFrom('main', 'scratch', 'fail', 'reopen'), size: fc.integer({ min: 0, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const { session, engine: first, root } = await started();
      let engine = first;
      const task = await root.commit((tx) => tx.task(work, { state: { step: 1 } }));
      let last = engine.lastSeq;
      for (const { what, size } of steps) {
        const range = Array.from({ length: size }, (_, i) => last + 1 + i);
        if (what === 'main') {
          const ids = await engine.commit((tx) => range.map((n) => tx.entry(note, root.id, { text: String(n) })));
          expect(ids).toEqual(range);
          last += size;
        }
        if (what === 'scratch') {
          const ids = await engine.scratch(task, (sc) => range.map((n) => sc.list(scratchList<number>('frames')).append(n)));
          expect(ids).toEqual(range);
          last += size;
        }
        if (what === 'fail') {
          const failing = engine.commit((tx) => {
            for (const n of range) tx.entry(note, root.id, { text: String(n) });
            tx.entry(note, 999_999, { text: 'nowhere' });
          });
          await expect(failing).rejects.toMatchObject({ code: 'unknownConversation' });
        }
        if (what === 'reopen') {
          session.reopenFile();
          engine = await session.engine();
        }
        expect(engine.lastSeq).toBe(last);
        expect(Number.isSafeInteger(last) && last > 0).toBe(true);
      }
    }),
    { seed: 31, numRuns: 12 },
  );
});

test('nobody sees half a commit: not another connection, not a reader here, not a watcher [3.3-4]', async () => {
  const { session, engine, root } = await started();
  const name = sessionValue<number>('n');
  const db = openFile(session.file);
  onTestFinished(() => void db.close());
  const other = new SqliteStore(db).session('session');
  const watch = await engine.watch(root.id, { tail: 100, values: [name] });
  const seen: (readonly number[])[] = [];
  watch.start(() => seen.push([watch.view.entries.length, watch.view.values[Object.keys(watch.view.values)[0] ?? ''] as number]));
  const inside: unknown[] = [];
  for (let n = 1; n <= 5; n++)
    await engine.commit(
      (tx) => {
        for (let i = 0; i < 3; i++) tx.entry(note, root.id, { text: String(i) });
        tx.value(name).set(n * 3);
      },
      { within: () => inside.push([other.countEntries(root.id), other.getValue(name)?.value ?? 0]) },
    );
  expect(inside).toEqual([0, 3, 6, 9, 12].map((n) => [n, n]));
  expect(seen.length).toBe(20);
  for (const [entries, value] of seen) expect(entries).toBe(value);
});

test('reads in a row see one committed state while commits come and go around them [7.2-14]', async () => {
  const { engine, root } = await started();
  const count = sessionValue<number>('count');
  const commits = Array.from({ length: 30 }, async (_, i) =>
    engine.commit((tx) => {
      tx.entry(note, root.id, { text: String(i) });
      tx.value(count).set((tx.value(count).get() ?? 0) + 1);
    }),
  );
  const states = new Set<number>();
  const look = () => {
    const value = engine.readValue(count) ?? 0;
    expect([engine.countEntries(root.id), engine.entries(root.id, { limit: 99 }).items.length]).toEqual([value, value]);
    states.add(value);
  };
  look();
  await Promise.all(commits.map(async (one) => one.then(look)));
  expect(states.size).toBeGreaterThan(10);
});

test('a fork at the start has no transcript and no rewindable state, then or later [3.2-6]', async () => {
  const { engine, root, say } = await started();
  const plan = conversationValue<boolean>('plan', { rewind: true });
  await root.value(plan).set(true);
  await say('one');
  const fork = await root.fork('start');
  await root.value(plan).set(false);
  await say('two');
  expect([fork.value(plan).get(), fork.entries({ limit: 9 }).items, fork.contextIds()]).toEqual([undefined, [], []]);
  expect([engine.countEntries(fork.id), root.value(plan).get()]).toEqual([0, false]);
});

test('a fork at any entry begins with the transcript through it [3.2-7]', async () => {
  const { root, say } = await started();
  const one = await say('one');
  const two = await say('two');
  await root.commit((tx) => tx.entry(silent, { text: 'aside' }));
  await root.commit((tx) => tx.entry(edit, { target: one }));
  await root.commit((tx) => tx.entry(summary, { text: 's', retainFrom: two }));
  await root.commit((tx) => tx.entry(reset, { why: 'r' }));
  const all = root.entries({ limit: 99 }).items;
  for (const [i, { id }] of all.entries())
    expect((await root.fork(id)).entries({ limit: 99 }).items).toEqual(all.slice(0, i + 1));
});

test('filters apply before limits [7.2-3]', async () => {
  const { engine, root } = await started();
  const [wanted, task, fork] = await engine.commit((tx) => {
    for (let i = 0; i < 40; i++) {
      tx.entry(note, root.id, { text: String(i) }, 'other');
      tx.task(work, { conversationId: root.id, state: { step: i }, background: true });
      tx.createConversation();
    }
    return [
      tx.entry(silent, root.id, { text: 'wanted' }, 'key'),
      tx.task(work, { conversationId: root.id, state: { step: 99 } }),
      tx.createConversation({ parent: { conversationId: root.id, at: 0 } }),
    ];
  });
  await engine.commit((tx) => tx.patch(task ?? 0, { status: 'running' }));
  const limit = 1;
  expect(engine.entries(root.id, { limit, kind: 'silent' }).items.map(({ id }) => id)).toEqual([wanted]);
  expect(engine.entries(root.id, { limit, key: 'key' }).items.map(({ id }) => id)).toEqual([wanted]);
  expect(engine.entries(root.id, { limit, from: wanted ?? 0 }).items.map(({ id }) => id)).toEqual([wanted]);
  expect(engine.tasks({ limit, role: 'inflight' }).items.map(({ id }) => id)).toEqual([task]);
  expect(engine.tasks({ limit, background: false }).items.map(({ id }) => id)).toEqual([task]);
  expect(engine.tasks({ limit, background: false, before: end }).items.map(({ id }) => id)).toEqual([task]);
  expect(engine.conversations({ limit, parent: root.id }).items.map(({ id }) => id)).toEqual([fork]);
});

test('tasks that are long done keep their ids through a compaction and a restart [10.2-17]', async () => {
  const { session, root, say } = await started();
  const old = await root.commit((tx) => tx.task(work, { state: { step: 1 } }));
  const entry = await root.commit((tx) => {
    tx.settle<{ step: number }>(old, 'done', { step: 2 });
    return tx.entry(note, { text: 'its result' });
  });
  const retained = await say('kept');
  await root.commit((tx) => tx.entry(summary, { text: 'all before', retainFrom: retained }));
  session.reopenFile();
  const again = await session.engine();
  expect(again.getTask(work, old)).toMatchObject({ id: old, status: 'done', state: { step: 2 } });
  expect(again.getEntry(note, entry)?.content.text).toBe('its result');
  expect(again.contextIds(root.id)).not.toContain(entry);
});

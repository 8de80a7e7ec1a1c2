/** Commits on the line: numbering, atomicity, validation, and what happens when persistence fails (engine specification 3, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationValue, scratchList, scratchValue, sessionValue } from './address.ts';
import { Engine } from './engine.ts';
import { Rejected, UncertainPersistence } from './errors.ts';
import { entryKind } from './kinds.ts';
import type { CommitBatch, Id } from './records.ts';
import type { Storage } from './storage.ts';
import { edit, entryKinds, note, record, reset, silent, summary, taskKinds, work } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';
import type { Tx } from './tx.ts';

const say = (tx: Tx, conversation: Id, text = 'text') => tx.entry(note, conversation, { text });

/** Storage whose commit does something else around the real one. */
function withCommit(
  storage: Storage,
  commit: (real: () => ReturnType<Storage['commit']>) => ReturnType<Storage['commit']>,
): Storage {
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === 'commit')
        return async (batch: CommitBatch, within?: () => void) => commit(async () => target.commit(batch, within));
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

async function started() {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  return { session, engine, root: (await engine.root()).id };
}

test('ids are final inside the closure and number every write of the batch [3.1-1] [3.1-2] [3.2-5]', async () => {
  const { engine, root } = await started();
  const first = engine.lastSeq + 1;
  const ids = await engine.commit((tx) => {
    tx.value(sessionValue<string>('name')).set('shop');
    const entry = say(tx, root);
    const task = tx.task(work, { conversationId: root, state: { step: entry } });
    return { entry, task };
  });
  expect(ids).toEqual({ entry: first + 1, task: first + 2 });
  expect(engine.lastSeq).toBe(first + 2);
  expect(engine.getTask(work, ids.task)?.state).toEqual({ step: ids.entry });
});

test('a plan that throws writes nothing and consumes no ids [3.1-4] [9.2-3]', async () => {
  const { engine, root } = await started();
  const before = engine.lastSeq;
  const failing = engine.commit((tx) => {
    say(tx, root);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(engine.lastSeq).toBe(before);
  expect(await engine.commit((tx) => say(tx, root))).toBe(before + 1);
});

test('what runs within a commit lives and dies with it', async () => {
  const { session, engine, root } = await started();
  session.db.exec('CREATE TABLE mine (entry INTEGER NOT NULL)');
  const rows = () => session.db.prepare('SELECT entry FROM mine').pluck().all();
  const entry = await engine.commit((tx) => say(tx, root), {
    within: (id) => void session.db.prepare('INSERT INTO mine VALUES (?)').run(id),
  });
  expect(rows()).toEqual([entry]);
  const within = () => {
    session.db.prepare('INSERT INTO mine VALUES (0)').run();
    throw new Error('not mine');
  };
  await expect(engine.commit((tx) => say(tx, root), { within })).rejects.toThrow('not mine');
  expect(rows()).toEqual([entry]);
  expect(engine.lastSeq).toBe(entry);
  await engine.commit(() => undefined, { within: () => void session.db.prepare('INSERT INTO mine VALUES (7)').run() });
  expect(rows()).toEqual([entry, 7]);
  expect(engine.lastSeq).toBe(entry);
});

test('commits run one at a time in the order of their calls [9.2-1]', async () => {
  const { engine, root } = await started();
  const ids = await Promise.all(Array.from({ length: 20 }, async (_, i) => engine.commit((tx) => say(tx, root, String(i)))));
  expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => (ids[0] ?? 0) + i));
});

test('rewindable conversation state after an entry is refused, session and sticky state are not [3.2-3] [3.2-4]', async () => {
  const { engine, root } = await started();
  const before = engine.lastSeq;
  const late = engine.commit((tx) => {
    say(tx, root);
    tx.value(bound(conversationValue<number>('plan', { rewind: true }), root)).set(1);
  });
  await expect(late).rejects.toMatchObject({ code: 'stateAfterEntry' });
  expect(engine.lastSeq).toBe(before);
  await engine.commit((tx) => {
    const entry = say(tx, root);
    tx.value(bound(conversationValue<Id>('seen', { rewind: false }), root)).set(entry);
    tx.value(sessionValue<Id>('newest')).set(entry);
  });
  expect(engine.readValue(sessionValue<Id>('newest'))).toBe(before + 1);
});

test('a commit is unusable when its closure has returned [9.2-5]', async () => {
  const { engine, root } = await started();
  const leaked = await engine.commit((tx) => tx);
  expect(() => say(leaked, root)).toThrow(expect.objectContaining({ code: 'finished' }));
});

test('a closure that returns a promise after all writes nothing [9.2-6]', async () => {
  const { engine, root } = await started();
  const before = engine.lastSeq;
  const plan: (tx: Tx) => unknown = async (tx) => say(tx, root);
  await expect(engine.commit(plan)).rejects.toMatchObject({ code: 'notSynchronous' });
  // @ts-expect-error: by type, the closure is synchronous
  await expect(engine.commit(async (tx) => say(tx, root))).rejects.toMatchObject({ code: 'notSynchronous' });
  expect(engine.lastSeq).toBe(before);
});

test('reads inside a closure see committed state, not the commit [9.2-2]', async () => {
  const { engine, root } = await started();
  const name = sessionValue<string>('name');
  await engine.commit((tx) => tx.value(name).set('old'));
  const seen = await engine.commit((tx) => {
    tx.value(name).set('new');
    return [tx.value(name).get() ?? null, tx.getEntry(say(tx, root)) ?? null];
  });
  expect(seen).toEqual(['old', null]);
});

test.each<[string, (tx: Tx, root: Id) => unknown, string]>([
  ['an entry in no conversation', (tx) => say(tx, 999), 'unknownConversation'],
  ['an entry of a kind that is not registered', (tx, root) => tx.entry(entryKind<object>('stranger'), root, {}), 'unknownKind'],
  [
    'a task of a kind that is not registered',
    (tx, root) => tx.task({ ...work, kind: 'stranger' }, { conversationId: root, state: { step: 1 } }),
    'unknownKind',
  ],
  [
    'a task that waits for one that does not exist',
    (tx, root) => tx.task(work, { conversationId: root, state: { step: 1 }, after: [999] }),
    'unknownTask',
  ],
  ['a change of a task that does not exist', (tx) => tx.patch(999, { abort: true }), 'unknownTask'],
  ['an edit of an entry that does not exist', (tx, root) => tx.entry(edit, root, { target: 999 }), 'notVisible'],
  ['an edit of itself', (tx, root) => tx.entry(edit, root, { target: tx.entry(note, root, { text: 'x' }) + 1 }), 'notVisible'],
  ['a head that retains what is not there', (tx, root) => tx.entry(summary, root, { text: 's', retainFrom: 999 }), 'notVisible'],
  [
    'state of a conversation that is not there',
    (tx) => tx.value(bound(conversationValue<number>('v', { rewind: false }), 999)).set(1),
    'unknownConversation',
  ],
  [
    'session state that would rewind',
    (tx) => tx.value({ scope: { session: true }, namespace: 'v', rewind: true }).set(1),
    'scope',
  ],
  ['scratch in a main commit', (tx, root) => (say(tx, root), tx.value(bound(scratchValue<number>('v'), 1)).set(1)), 'scope'],
  ['an owner that does not exist', (tx) => tx.createConversation({ owner: 999 }), 'ownership'],
  ['deletion of what is not there', (tx) => tx.deleteConversation(999), 'unknownConversation'],
])(
  '%s is refused and nothing of its commit is written [2.3-2] [3.3-1] [4.6-4] [5.2-2] [5.4-3] [7.3-3] [7.3-4]',
  async (_name, plan, code) => {
    const { engine, root } = await started();
    const before = engine.lastSeq;
    await expect(
      engine.commit((tx) => {
        say(tx, root);
        plan(tx, root);
      }),
    ).rejects.toMatchObject({ code });
    expect(engine.lastSeq).toBe(before);
    expect(engine.countEntries(root)).toBe(0);
    expect(engine.getEntry(before + 1)).toBeUndefined();
  },
);

test('a head never moves the context back [2.1-8]', async () => {
  const { engine, root } = await started();
  const [one, two] = await engine.commit((tx) => [say(tx, root, 'one'), say(tx, root, 'two')] as const);
  await engine.commit((tx) => tx.entry(summary, root, { text: 'one', retainFrom: two }));
  await expect(engine.commit((tx) => tx.entry(summary, root, { text: 'back', retainFrom: one }))).rejects.toMatchObject({
    code: 'headMovesBack',
  });
  await engine.commit((tx) => tx.entry(summary, root, { text: 'the same place', retainFrom: two }));
  await engine.commit((tx) => tx.entry(reset, root, { why: 'new start' }));
  await expect(
    engine.commit((tx) => tx.entry(summary, root, { text: 'before the reset', retainFrom: two })),
  ).rejects.toMatchObject({ code: 'headMovesBack' });
  const twice = engine.commit((tx) => {
    tx.entry(reset, root, { why: 'again' });
    tx.entry(summary, root, { text: 'behind the first of the same commit', retainFrom: two });
  });
  await expect(twice).rejects.toMatchObject({ code: 'headMovesBack' });
});

test('a head counts for a later one of the same commit, in a fork made there too [2.1-9] [7.3-2]', async () => {
  const { engine, root } = await started();
  const one = await engine.commit((tx) => say(tx, root, 'one'));
  const same = engine.commit((tx) => {
    tx.entry(reset, root, { why: 'new start' });
    tx.entry(summary, root, { text: 'back', retainFrom: one });
  });
  await expect(same).rejects.toMatchObject({ code: 'headMovesBack' });
  const inFork = engine.commit((tx) => {
    const at = tx.entry(reset, root, { why: 'new start' });
    const fork = tx.createConversation({ parent: { conversationId: root, at } });
    tx.entry(summary, fork, { text: 'back', retainFrom: one });
  });
  await expect(inFork).rejects.toMatchObject({ code: 'headMovesBack' });
  await engine.commit((tx) => {
    const fork = tx.createConversation({ parent: { conversationId: root, at: one } });
    tx.entry(reset, root, { why: 'of the source, after the fork' });
    tx.entry(summary, fork, { text: 'one', retainFrom: one });
  });
});

test('a fork made in a commit does not see what its source has behind the cutoff [7.3-2] [7.3-4]', async () => {
  const { engine, root } = await started();
  const [one, two] = await engine.commit((tx) => [say(tx, root, 'one'), say(tx, root, 'two')] as const);
  const stored = engine.commit((tx) =>
    tx.entry(edit, tx.createConversation({ parent: { conversationId: root, at: one } }), { target: two }),
  );
  await expect(stored).rejects.toMatchObject({ code: 'notVisible' });
  const pending = engine.commit((tx) => {
    const [three, four] = [say(tx, root, 'three'), say(tx, root, 'four')];
    const fork = tx.createConversation({ parent: { conversationId: root, at: three } });
    const deeper = tx.createConversation({ parent: { conversationId: fork, at: three } });
    tx.entry(edit, deeper, { target: four });
  });
  await expect(pending).rejects.toMatchObject({ code: 'notVisible' });
});

test('a typed read of another kind is a read of nothing [2.1-19] [2.1-20]', async () => {
  const { engine, root } = await started();
  const [id, other] = await engine.commit((tx) => [say(tx, root), tx.entry(silent, root, { text: 's' })] as const);
  expect(engine.getEntry(note, id)?.content.text).toBe('text');
  expect(engine.getEntry(silent, id)).toBeUndefined();
  expect([...engine.getEntries(note, [id, other, 999]).keys()]).toEqual([id]);
  expect([...engine.getEntries([id, other, 999]).keys()]).toEqual([id, other]);
});

test('a session with entries or live work of unknown kinds does not open [2.1-22]', async () => {
  const { session, engine, root } = await started();
  await engine.commit((tx) => {
    say(tx, root);
    return tx.task(work, { conversationId: root, state: { step: 1 } });
  });
  const storage = session.store.session('session');
  await expect(Engine.open(storage, { entryKinds: [silent], taskKinds })).rejects.toMatchObject({ code: 'unknownKind' });
  await expect(Engine.open(storage, { entryKinds, taskKinds: [record] })).rejects.toMatchObject({ code: 'unknownKind' });
  expect((await session.engine()).inspect().start.map((task) => task.kind)).toEqual(['work']);
});

test('opening creates nothing, the root is created once', async () => {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  expect(engine.lastSeq).toBe(0);
  const root = await engine.root();
  expect((await engine.root()).id).toBe(root.id);
  expect((await (await session.engine()).root()).id).toBe(root.id);
  expect(engine.lastSeq).toBe(1);
});

test('while persistence is paused readers see the old complete state [10.2-1]', async () => {
  const session = new TempSession(onTestFinished);
  const gate = Promise.withResolvers<void>();
  const storage = withCommit(session.store.session('session'), async (real) => {
    await gate.promise;
    return real();
  });
  const engine = await session.engine(storage);
  const rooted = engine.root();
  await Promise.resolve();
  expect([engine.lastSeq, engine.conversations().items]).toEqual([0, []]);
  gate.resolve();
  expect(engine.conversation((await rooted).id)).toBeDefined();
});

test('after uncertain persistence the handle takes nothing more, and the file opened again has the batch [3.3-2]', async () => {
  const { session, engine, root } = await started();
  const storage = withCommit(session.store.session('session'), async (real) => {
    await real();
    throw new UncertainPersistence(new Error('the disk went away'));
  });
  const doubtful = await session.engine(storage);
  const watch = await doubtful.watch(root, { tail: 1 });
  watch.start(() => undefined);
  const first = doubtful.commit((tx) => say(tx, root, 'perhaps'));
  const second = doubtful.commit((tx) => say(tx, root, 'behind it'));
  await expect(first).rejects.toBeInstanceOf(UncertainPersistence);
  await expect(second).rejects.toBeInstanceOf(UncertainPersistence);
  await expect(doubtful.commit(() => 1)).rejects.toBeInstanceOf(UncertainPersistence);
  await expect(doubtful.watch()).rejects.toBeInstanceOf(UncertainPersistence);
  expect(watch.view.faulted).toBe(true);
  expect(engine.entries(root, { limit: 9 }).items.map((entry) => (note.is(entry) ? entry.content.text : ''))).toEqual([
    'perhaps',
  ]);
});

test('a failure that left no doubt keeps the handle [3.1-4]', async () => {
  const session = new TempSession(onTestFinished);
  let isFull = true;
  const storage = withCommit(session.store.session('session'), async (real) => {
    if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    return real();
  });
  const engine = await session.engine(storage);
  await expect(engine.root()).rejects.toThrow('full');
  isFull = false;
  expect((await engine.root()).id).toBe(1);
});

test('a closed engine has finished what it admitted and admits nothing more [6.4-3]', async () => {
  const { session, engine, root } = await started();
  const admitted = engine.commit((tx) => say(tx, root));
  const closing = engine.close();
  await expect(engine.commit(() => 1)).rejects.toMatchObject({ code: 'closed' });
  await closing;
  expect((await session.engine()).getEntry(await admitted)).toBeDefined();
});

test('sessions of one file do not see each other [7.5-2]', async () => {
  const { session, engine, root } = await started();
  const other = await session.engine(session.store.session('other'));
  await engine.commit((tx) => {
    say(tx, root, 'mine');
    tx.value(sessionValue<string>('name')).set('mine');
  });
  expect([other.lastSeq, other.conversations().items, other.readValue(sessionValue('name'))]).toEqual([0, [], undefined]);
  expect(session.store.find('none')).toBeUndefined();
  expect(session.store.find('other')?.session).toBe(session.store.sessionNumber('other'));
});

test('a scratch commit writes one live task and nothing else [4.6-3] [4.6-5]', async () => {
  const { engine, root } = await started();
  const task = await engine.commit((tx) => tx.task(work, { conversationId: root, state: { step: 1 } }));
  const frames = bound(scratchList<string>('frames'), task);
  await engine.scratch(task, (scratch) => {
    scratch.list(frames).append('one');
    scratch.value(bound(scratchValue<number>('checkpoint'), task)).set(1);
  });
  expect(engine.readList(frames).items.map((element) => element.value)).toEqual(['one']);
  const before = engine.lastSeq;
  for (const addr of [
    sessionValue<number>('v'),
    bound(scratchValue<number>('v'), task + 1),
    bound(conversationValue<number>('v', { rewind: false }), root),
  ])
    await expect(engine.scratch(task, (scratch) => scratch.value(addr).set(1))).rejects.toMatchObject({ code: 'scope' });
  expect(engine.lastSeq).toBe(before);

  await engine.commit((tx) => {
    say(tx, root, 'the result');
    tx.settle<{ step: number }>(task, 'done', { step: 2 });
  });
  expect(engine.readList(frames).items).toEqual([]);
  expect(engine.readValue(bound(scratchValue('checkpoint'), task))).toBeUndefined();
  await expect(engine.scratch(task, (scratch) => scratch.list(frames).append('late'))).rejects.toMatchObject({
    code: 'taskIsTerminal',
  });
});

test('rejections are errors that say what was wrong', async () => {
  const { engine } = await started();
  await expect(engine.commit((tx) => say(tx, 999))).rejects.toBeInstanceOf(Rejected);
  await expect(engine.commit((tx) => say(tx, 999))).rejects.toThrow('there is no conversation 999');
});

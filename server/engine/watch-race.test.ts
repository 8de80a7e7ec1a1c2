/** Watching while things happen: registration, listeners and ends against commits (engine specification 9.4, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from './engine.ts';
import { UncertainPersistence } from './errors.ts';
import type { Id } from './records.ts';
import type { Storage } from './storage.ts';
import { Gate } from './testing/gate.ts';
import { entryKinds, note, taskKinds, work } from './testing/kinds.ts';
import { pieces, Puppet } from './testing/puppet.ts';
import { TempSession } from './testing/session.ts';
import { Barrier, withCommit } from './testing/storages.ts';
import type { ConversationEvent, ConversationView } from './view.ts';
import { Watch } from './watch.ts';
import type { WatchHandle } from './watch.ts';

async function opened(around: (storage: Storage) => Storage = (storage) => storage) {
  const session = new TempSession(onTestFinished);
  const reported: unknown[] = [];
  const puppet = new Puppet();
  const engine = await Engine.open(around(session.store.session('session')), {
    entryKinds,
    taskKinds: [...taskKinds, puppet.kind],
    report: (error) => reported.push(error),
  });
  const root = await engine.root();
  const say = async (text: string) => root.commit((tx) => tx.entry(note, { text }));
  return { engine, root, say, reported, puppet };
}
type Watched = WatchHandle<ConversationView, ConversationEvent>;

function streamed(watch: Watched): Id[] {
  const ids: Id[] = [];
  watch.start((event) => event.type === 'entry' && ids.push(event.entry.id));
  return ids;
}

test.each([
  ['before it is written', 'before'],
  ['when it is durable and not yet told', 'after'],
])(
  'a watch asked for while a commit is held up %s has it in its base, and the next one in its stream [9.4-6] [10.2-16]',
  async (_name, stage) => {
    const gate = new Gate();
    let isHeld = false;
    const { root, say } = await opened((storage) =>
      withCommit(storage, async (_batch, commit) => {
        const held = isHeld;
        isHeld = false;
        if (held && stage === 'before') await gate.pass();
        const written = await commit();
        if (held && stage === 'after') await gate.pass();
        return written;
      }),
    );
    isHeld = true;
    const first = say('held up');
    await gate.reached;
    const watching = root.watch({ tail: 9 });
    const second = say('next');
    gate.open();
    const watch = await watching;
    expect(watch.view.entries.map(({ id }) => id)).toEqual([await first]);
    const ids = streamed(watch);
    await second;
    await Promise.resolve();
    expect(ids).toEqual([await second]);
  },
);

test('a commit that was asked for behind the watch comes in its stream, however long it is held up [9.4-6] [10.2-16]', async () => {
  const session = new TempSession(onTestFinished);
  const barrier = new Barrier(session.store.session('session'));
  const engine = await session.engine(barrier.storage);
  const root = await engine.root();
  const gate = barrier.hold();
  const watching = root.watch({ tail: 9 });
  const said = root.commit((tx) => tx.entry(note, { text: 'behind' }));
  await gate.reached;
  const watch = await watching;
  const ids = streamed(watch);
  await Promise.resolve();
  expect([watch.view.entries, ids]).toEqual([[], []]);
  gate.open();
  expect(ids).toEqual([await said]);
});

test('output that a scratch commit carries is in the base or in the stream, never in neither or both [10.2-16] [9.4-6]', async () => {
  const session = new TempSession(onTestFinished);
  const barrier = new Barrier(session.store.session('session'));
  const puppet = new Puppet();
  const engine = await Engine.open(barrier.storage, { entryKinds, taskKinds: [puppet.kind] });
  const root = await engine.root();
  const task = await root.commit((tx) => tx.task(puppet.kind, { state: {} }));
  void engine.drive();
  const context = await puppet.running(task);
  const early = await root.watch({ tail: 0 });
  early.start(() => undefined);
  const gate = barrier.hold(({ kind }) => kind === 'scratch');
  const held = puppet.stream(task, 'held');
  await gate.reached;
  const watching = root.watch({ tail: 0 });
  const next = puppet.stream(task, ' next');
  gate.open();
  const late = await watching;
  late.start(() => undefined);
  await Promise.all([held, next]);
  await context.scratch((scratch) => scratch.list(pieces).append(''));
  expect(early.view.previews).toEqual({ [task]: { text: 'held next', lines: [] } });
  expect(late.view.previews).toEqual(early.view.previews);
});

test('a terminal task and its successor are never apart, in either order of the writes [9.4-7]', async () => {
  const { engine, root } = await opened();
  const watch = await root.watch({ tail: 0 });
  let task = await root.commit((tx) => tx.task(work, { state: { step: 0 } }));
  const live: number[] = [];
  watch.start(() => live.push(watch.view.tasks.length));
  for (let step = 1; step < 5; step++)
    task = await engine.commit((tx) => {
      if (step % 2 === 0) tx.settle(task, 'done');
      const next = tx.task(work, { conversationId: root.id, state: { step } });
      if (step % 2 === 1) tx.settle(task, 'failed');
      return next;
    });
  expect(live).toHaveLength(9);
  expect(new Set(live)).toEqual(new Set([1]));
});

test('a listener that leaves, or makes others leave, in the middle of a commit hears nothing more, nor do they [9.4-23]', async () => {
  const { root, say } = await opened();
  const [one, two, three] = [await root.watch({ tail: 9 }), await root.watch({ tail: 9 }), await root.watch({ tail: 9 })];
  const heard: string[] = [];
  one.start((event) => {
    heard.push(`one ${event.type}`);
    one.unsubscribe();
    two.unsubscribe();
  });
  two.start((event) => heard.push(`two ${event.type}`));
  three.start((event) => heard.push(`three ${event.type}`));
  await root.commit((tx) => {
    tx.entry(note, { text: 'first' });
    tx.entry(note, { text: 'second' });
  });
  await say('third');
  expect(heard).toEqual(['one entry', 'three entry', 'three entry', 'three entry']);
  expect(two.view.entries).toEqual([]);
});

test('a listener may start commits: they are told after what it is being told, also to itself [9.4-7] [9.4-21]', async () => {
  const { root, say } = await opened();
  const watch = await root.watch({ tail: 9 });
  const heard: string[] = [];
  const started: Promise<unknown>[] = [];
  watch.start((event) => {
    if (event.type !== 'entry' || !note.is(event.entry)) return;
    const { text } = event.entry.content;
    if (text.length < 3) started.push(say(`${text}+`));
    heard.push(text);
  });
  await Promise.all([say('a'), say('b')]);
  while (started.length > 0) await started.shift();
  expect(heard).toEqual(['a', 'b', 'a+', 'b+', 'a++', 'b++']);
});

test('a listener that throws is reported each time, and the rest of the commit still comes to it and to others [9.4-21]', async () => {
  const { root, reported } = await opened();
  const [bad, good] = [await root.watch({ tail: 9 }), await root.watch({ tail: 9 })];
  const heard: string[] = [];
  bad.start((event) => {
    heard.push(`bad ${event.type}`);
    throw new Error(event.type);
  });
  good.startCommits((events) => heard.push(`good ${events.length}`));
  await root.commit((tx) => {
    tx.entry(note, { text: 'first' });
    tx.task(work, { state: { step: 1 } });
  });
  expect(heard).toEqual(['bad entry', 'bad task_start', 'good 2']);
  expect(reported).toMatchObject([{ message: 'entry' }, { message: 'task_start' }]);
  expect(bad.view).toEqual(good.view);
});

test('a buffer counts what waits, not what was delivered: a watcher that keeps up never lags [9.4-10]', async () => {
  const { root, say } = await opened();
  const watch = await root.watch({ tail: 1, buffer: 2 });
  const types = new Set<string>();
  watch.start((event) => types.add(event.type));
  for (let i = 0; i < 20; i++) await say(String(i));
  expect([...types]).toEqual(['entry']);
});

test('one fault however much is lost, and a snapshot taken by the listener on that fault is whole [9.4-9] [9.4-10]', async () => {
  const { root, say } = await opened();
  const watch = await root.watch({ tail: 99, buffer: 2 });
  for (let i = 0; i < 8; i++) await say(`lost ${i}`);
  const snapshots: Promise<ConversationView>[] = [];
  const types: string[] = [];
  watch.start((event) => {
    types.push(event.type);
    if (event.type === 'fault') snapshots.push(watch.resnapshot());
  });
  await say('lost too');
  expect(await Promise.all(snapshots)).toMatchObject([{ faulted: false, entries: { length: 9 } }]);
  await say('seen');
  expect(types).toEqual(['fault', 'entry']);
  expect(watch.view.entries).toHaveLength(10);
});

test('a snapshot that waits for the line when commits wait too has those before it and not those behind [9.4-9]', async () => {
  const { root, say } = await opened();
  const watch = await root.watch({ tail: 99 });
  const ids = streamed(watch);
  const before = [say('one'), say('two')];
  const snapshot = watch.resnapshot();
  const after = [say('three'), say('four')];
  const view = await snapshot;
  const [one, two] = await Promise.all(before);
  const [three, four] = await Promise.all(after);
  expect(view.entries.map(({ id }) => id)).toEqual([one, two]);
  expect(watch.view.entries.map(({ id }) => id)).toEqual([one, two, three, four]);
  expect(ids.slice(-2)).toEqual([three, four]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the close is the last event of every watch, also of one that fell behind [9.4-22]', async () => {
  const { engine, root, say } = await opened();
  const behind = await root.watch({ tail: 1, buffer: 1 });
  await say('one');
  await say('two');
  const [view, all, raw] = [await root.watch({ tail: 1 }), await engine.watch(), await root.watch({ raw: true })];
  const heard: string[] = [];
  behind.start((event) => heard.push(`behind ${event.type}`));
  view.start((event) => heard.push(`view ${event.type}`));
  all.start((event) => heard.push(`all ${event.type}`));
  raw.start((event) => heard.push(`raw ${event.type}`));
  const last = say('three');
  await engine.close();
  await last;
  expect(heard.filter((one) => one.startsWith('behind'))).toEqual(['behind fault', 'behind closed']);
  expect(heard.filter((one) => one.startsWith('view'))).toEqual(['view entry', 'view closed']);
  expect(heard.filter((one) => one.startsWith('all'))).toEqual(['all closed']);
  expect(heard.filter((one) => one.startsWith('raw'))).toEqual(['raw commit', 'raw closed']);
  expect([view.view.closed, all.view.closed, raw.view.closed]).toEqual([true, true, true]);
  await expect(view.resnapshot()).rejects.toMatchObject({ code: 'closed' });
  await expect(root.watch({ tail: 1 })).rejects.toMatchObject({ code: 'closed' });
});

test('uncertain persistence is the last event: the batch is told to nobody, and nothing comes after it [9.4-22]', async () => {
  let fails = false;
  const { engine, root, say } = await opened((storage) =>
    withCommit(storage, async (_batch, commit) => {
      if (!fails) return commit();
      throw new UncertainPersistence(new Error('the disk is gone'));
    }),
  );
  const kept = await say('kept');
  const watch = await root.watch({ tail: 9 });
  const heard: string[] = [];
  watch.start((event) => heard.push(event.type));
  fails = true;
  const lost = [say('lost'), say('behind it')];
  const results = await Promise.allSettled(lost);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(heard).toEqual(['fault']);
  expect(watch.view).toMatchObject({ faulted: true, closed: false, readAt: kept, entries: [{ id: kept }] });
  await expect(watch.resnapshot()).rejects.toBeInstanceOf(UncertainPersistence);
  await engine.close();
  await Promise.resolve();
  expect(heard).toEqual(['fault']);
});

test('events that do not fit the view cost the watcher its place, told as any other loss, and nobody else anything [9.4-10]', async () => {
  const reported: unknown[] = [];
  const watch: Watch<number, { readonly seq: Id; readonly add: number }> = new Watch<
    number,
    { readonly seq: Id; readonly add: number }
  >(0, {
    apply: (view, events) =>
      events.reduce((sum, { add }) => {
        if (add === 13) throw new Error('it does not fit');
        return sum + add;
      }, view),
    capture: async () => watch.reset(100),
    lagging: (seq) => ({ seq, add: -1 }),
    buffer: 9,
    unsubscribe: () => undefined,
    report: (error) => reported.push(error),
  });
  const heard: number[] = [];
  watch.start(({ add }) => heard.push(add));
  watch.push([{ seq: 1, add: 1 }]);
  watch.push([
    { seq: 2, add: 2 },
    { seq: 3, add: 13 },
  ]);
  watch.push([{ seq: 4, add: 4 }]);
  await Promise.resolve();
  expect([heard, watch.view]).toEqual([[1, -1], 0]);
  expect(reported).toMatchObject([{ message: 'it does not fit' }]);
  expect(await watch.resnapshot()).toBe(100);
  watch.push([{ seq: 5, add: 5 }]);
  await Promise.resolve();
  expect([heard, watch.view]).toEqual([[1, -1, 5], 105]);
});

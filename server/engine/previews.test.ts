/** Previews: what a task puts out while it runs, as operations, folded alike by everybody who watches (engine specification 5.2, 9.4). */
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from './engine.ts';
import type { TaskKind } from './kinds.ts';
import type { Id } from './records.ts';
import { applyEvent } from './reducer.ts';
import { entryKinds } from './testing/kinds.ts';
import { pieces, Puppet } from './testing/puppet.ts';
import { TempSession } from './testing/session.ts';
import type { ConversationEvent, ConversationView } from './view.ts';
import type { WatchHandle } from './watch.ts';

async function started() {
  const puppet = new Puppet();
  const session = new TempSession(onTestFinished);
  const reported: unknown[] = [];
  const open = async ({ kind } = puppet) =>
    Engine.open(session.store.session('s'), {
      entryKinds,
      taskKinds: [kind],
      report: (error) => reported.push(error),
    });
  const engine = await open();
  const root = await engine.root();
  const create = async () => root.commit((tx) => tx.task(puppet.kind, { state: {} }));
  const run = async () => {
    const task = await create();
    void engine.drive().catch(() => undefined);
    await puppet.running(task);
    return task;
  };
  return { puppet, session, reported, open, engine, root, create, run };
}

function outputs(watch: WatchHandle<ConversationView, ConversationEvent>, task: Id): unknown[][] {
  const told: unknown[][] = [];
  watch.start((event) => {
    if (event.type === 'task_output' && event.task === task) told.push([...event.ops]);
  });
  return told;
}

test('a streamed token is one append, told with its scratch commit; nothing mutated, nothing told [9.4-11] [5.2-12]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  await puppet.stream(task, 'Once');
  const watch = await root.watch({ tail: 0 });
  expect(watch.view.previews).toEqual({ [task]: { text: 'Once', lines: [] } });
  const told = outputs(watch, task);
  await puppet.stream(task, ' upon');
  await puppet.stream(task, ' a time');
  const context = await puppet.running(task);
  await context.scratch((scratch) => scratch.list(pieces).append(''));
  expect(told).toEqual([[['a', ['text'], ' upon']], [['a', ['text'], ' a time']]]);
  expect(watch.view.previews).toEqual({ [task]: { text: 'Once upon a time', lines: [] } });
});

test('what is mutated between scratch commits comes with the next one, an empty one too, and never with a main commit [5.2-12]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0 });
  const told = outputs(watch, task);
  const context = await puppet.running(task);
  context.preview.state.lines.push('one');
  context.preview.state.lines.push('two');
  context.preview.state.text += 'x';
  await context.commit((tx) => tx.patch(task, { state: { attempt: 1 } }));
  expect(told).toEqual([]);
  await context.scratch(() => undefined);
  expect(told).toHaveLength(1);
  expect(watch.view.previews[task]).toEqual({ text: 'x', lines: ['one', 'two'] });
});

test('who attaches in the middle starts from what those who watch already have then, and all go on alike [9.4-20] [9.4-5]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const first = await root.watch({ tail: 0 });
  const told = outputs(first, task);
  const context = await puppet.running(task);
  await puppet.stream(task, 'one');
  // Not committed: the second one's base has it, and the first one is told before.
  context.preview.state.text += ' two';
  const second = await root.watch({ tail: 0 });
  expect(second.view.previews).toEqual({ [task]: { text: 'one two', lines: [] } });
  await Promise.resolve();
  expect(told).toEqual([[['a', ['text'], 'one']], [['a', ['text'], ' two']]]);
  second.start(() => undefined);
  context.preview.state.details = { deep: { list: [1] } };
  await puppet.stream(task, ' three');
  (context.preview.state.details as { deep: { list: number[] } }).deep.list.push(2);
  await puppet.stream(task, ' four');
  const third = await root.watch({ tail: 0 });
  const expected = { [task]: { text: 'one two three four', lines: [], details: { deep: { list: [1, 2] } } } };
  expect([first.view.previews, second.view.previews, third.view.previews]).toEqual([expected, expected, expected]);
  second.unsubscribe();
  await puppet.stream(task, '!');
  expect(second.view.previews).toEqual(expected);
  expect(third.view.previews).toEqual(expected);
  expect(first.view.previews[task]).toMatchObject({ text: 'one two three four!' });
});

test('a view keeps the preview that it had: later output changes no earlier view', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0 });
  const views = [watch.view];
  watch.start(() => views.push(watch.view));
  for (const piece of ['a', 'b', 'c']) await puppet.stream(task, piece);
  expect(views.map(({ previews }) => (previews[task] as { text: string }).text)).toEqual(['', 'a', 'ab', 'abc']);
});

test('a preview is built once from durable scratch, by whoever comes first after a reopen [5.2-13] [9.4-15]', async () => {
  const { puppet, session, engine, open, run } = await started();
  const task = await run();
  await puppet.stream(task, 'durable');
  (await puppet.running(task)).preview.state.text += ' and not';
  await engine.close();
  session.reopenFile();
  const again = new Puppet();
  const reopened = await open(again);
  const root = await reopened.root();
  const watch = await root.watch({ tail: 0 });
  expect(watch.view.previews).toEqual({ [task]: { text: 'durable', lines: [] } });
  void reopened.drive();
  await again.running(task);
  await again.stream(task, '!');
  const other = await root.watch({ tail: 0 });
  expect(other.view.previews).toEqual({ [task]: { text: 'durable!', lines: [] } });
  expect(again.inits).toBe(1);
  await again.settle(task);
});

test('a task that begins while somebody watches has its whole preview told next to its start [9.4-15]', async () => {
  const { root, create } = await started();
  const watch = await root.watch({ tail: 0 });
  const types: unknown[] = [];
  watch.startCommits((events) => types.push(events.map((event) => (event.type === 'task_output' ? event.ops : event.type))));
  const task = await create();
  expect(types).toEqual([['task_start', [['r', { text: '', lines: [] }]]]]);
  expect(watch.view.previews).toEqual((await root.watch({ tail: 0 })).view.previews);
  expect(watch.view.previews).toEqual({ [task]: { text: '', lines: [] } });
});

test("a preview goes with its task, and what an execution mutates after it settled is nobody's [9.4-5]", async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0 });
  const told = outputs(watch, task);
  await puppet.stream(task, 'all');
  const context = await puppet.running(task);
  context.preview.state.text += ' of it';
  await puppet.settle(task);
  expect(watch.view).toMatchObject({ tasks: [], previews: {} });
  context.preview.state.text += ' late';
  await expect(context.scratch((scratch) => scratch.list(pieces).append('late'))).rejects.toThrow();
  expect(told).toHaveLength(1);
  expect(watch.view.previews).toEqual({});
  expect((await root.watch({ tail: 0 })).view.previews).toEqual({});
});

test('a retried task keeps its preview, which its kind begins anew as it likes [5.2-12]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0 });
  const told = outputs(watch, task);
  await puppet.stream(task, 'first');
  await puppet.putOff(task, 'retry_wait', { attempt: 2 });
  const context = await puppet.running(task);
  context.preview.state = { text: 'second', lines: [] };
  await context.scratch((scratch) => scratch.list(pieces).clear());
  expect(told.at(-1)).toEqual([['r', { text: 'second', lines: [] }]]);
  expect(watch.view.previews[task]).toEqual({ text: 'second', lines: [] });
});

test('a snapshot taken by the listener in the middle of a stream folds nothing twice [9.4-9]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0 });
  const snapshots: Promise<ConversationView>[] = [];
  watch.start((event) => {
    if (event.type === 'task_output' && snapshots.length < 4) snapshots.push(watch.resnapshot());
  });
  const streaming = Array.from({ length: 12 }, async (_, i) => puppet.stream(task, `${i},`));
  await Promise.all(streaming);
  for (const view of await Promise.all(snapshots)) expect(view.previews[task]).toBeDefined();
  await puppet.stream(task, 'end');
  expect((watch.view.previews[task] as { text: string }).text).toBe('0,1,2,3,4,5,6,7,8,9,10,11,end');
  expect(snapshots.length).toBeGreaterThan(0);
});

test('a watcher that lagged behind output goes on from a snapshot [9.4-10]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0, buffer: 2 });
  for (const piece of ['a', 'b', 'c', 'd']) await puppet.stream(task, piece);
  const types: string[] = [];
  watch.start((event) => types.push(event.type));
  await puppet.stream(task, 'e');
  expect(types).toEqual(['fault']);
  expect((await watch.resnapshot()).previews[task]).toMatchObject({ text: 'abcde' });
  await puppet.stream(task, 'f');
  expect(types).toEqual(['fault', 'task_output']);
  expect(watch.view.previews[task]).toMatchObject({ text: 'abcdef' });
});

test('while nobody watches nothing is recorded and nothing is copied; who comes then gets it whole [5.2-12]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const context = await puppet.running(task);
  let reads = 0;
  const probe = Object.defineProperty({}, 'read', { enumerable: true, get: () => ++reads });
  context.preview.state.details = { probe };
  const watch = await root.watch({ tail: 0 });
  expect(reads).toBeGreaterThan(0);
  watch.unsubscribe();
  expect(context.preview.flush()).toMatchObject([['r', { text: '' }]]);
  await puppet.stream(task, 'x');
  reads = 0;
  for (let i = 0; i < 50; i++) {
    context.preview.state.lines.push(`line ${i}`);
    await puppet.stream(task, '.');
  }
  expect(reads).toBe(0);
  expect(context.preview.flush()).toHaveLength(1);
  const fresh = await root.watch({ tail: 0 });
  expect(fresh.view.previews[task]).toMatchObject({ text: `x${'.'.repeat(50)}` });
});

test('a kind that cannot build its preview costs the preview, not the watch, and is reported [9.4-18]', async () => {
  const failure = new Error('no preview');
  const kind: TaskKind<null> = {
    kind: 'broken',
    initialStatus: 'pending',
    roles: { pending: 'start', done: 'terminal' },
    preview: {
      init: () => {
        throw failure;
      },
    },
    execute: async (task, context) => context.commit((tx) => tx.settle(task, 'done')),
    recover: async () => undefined,
    abort: async () => undefined,
  };
  const reported: unknown[] = [];
  const session = new TempSession(onTestFinished);
  const engine = await Engine.open(session.store.session('s'), {
    entryKinds,
    taskKinds: [kind],
    report: (error) => reported.push(error),
  });
  const root = await engine.root();
  const all = await engine.watch();
  const reports: unknown[] = [];
  all.start((event) => event.type === 'report' && reports.push(event));
  const task = await root.commit((tx) => tx.task(kind, { state: null }));
  const watch = await root.watch({ tail: 0 });
  expect(watch.view).toMatchObject({ tasks: [{ id: task }], previews: {}, faulted: false });
  expect(reported).toEqual([failure]);
  expect(reports).toMatchObject([{ task, kind: 'broken', error: { name: 'Error', message: 'no preview' } }]);
  expect(await root.drive()).toBe('idle');
  expect(watch.view.tasks).toHaveLength(1);
});

test('output folds as JSON in another process too [9.4-13]', async () => {
  const { puppet, root, run } = await started();
  const task = await run();
  const watch = await root.watch({ tail: 0 });
  let view = JSON.parse(JSON.stringify(watch.view)) as ConversationView;
  watch.start((event) => (view = applyEvent(view, JSON.parse(JSON.stringify(event)) as ConversationEvent)));
  const context = await puppet.running(task);
  for (let i = 0; i < 6; i++) {
    context.preview.state.lines.splice(i % 2, i % 3, `line ${i}`);
    if (i === 3) context.preview.state.details = { i };
    if (i === 4) delete context.preview.state.details;
    await puppet.stream(task, `${i}`);
  }
  expect(view).toEqual(watch.view);
  await puppet.settle(task);
  expect(view).toEqual(watch.view);
  expect(view.previews).toEqual({});
});

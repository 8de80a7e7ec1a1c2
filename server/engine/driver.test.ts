/** Which call a task gets, when, and with what; time; the next process (engine specification 5.2 to 5.4, 6.1). */
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from './testing/clock.ts';
import { Gate, until } from './testing/gate.ts';
import { note } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts, settleAs } from './testing/scripted.ts';
import type { ScriptState } from './testing/scripted.ts';
import { Barrier, Counting, writes } from './testing/storages.ts';

test('without a drive nothing runs; driven, a task is executed once [6.1-2] [6.4-1]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('step');
  const { engine, root, ...opened } = await Opened.open(onTestFinished, [kind]);
  const before = engine.lastSeq;
  const id = await root.commit((tx) => tx.task(kind, { state: { name: 'a' } }));
  await root.commit((tx) => tx.patch(id, { state: { note: 'again' } }));
  await Promise.resolve();
  expect([scripts.log, engine.running, engine.getTask(id)?.status]).toEqual([[], [], 'waiting']);
  expect(engine.lastSeq).toBe(before + 2);
  expect(await root.drive()).toBe('idle');
  expect([scripts.log, engine.getTask(id)?.status, opened.reports]).toEqual([['execute a'], 'done', []]);
});

test('the call follows from the role and the mark: execute, recover or abort [6.1-1] [6.1-11] [6.3-4]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('step');
  const first = await Opened.open(onTestFinished, [kind]);
  const [fresh, inflight, marked, markedInflight] = await first.root.commit((tx) => {
    const ids = ['fresh', 'inflight', 'marked', 'both'].map((name) => tx.task(kind, { state: { name } }));
    tx.patch(ids[1] ?? 0, { status: 'running' });
    tx.patch(ids[2] ?? 0, { abort: true });
    tx.patch(ids[3] ?? 0, { status: 'running', abort: true });
    return ids;
  });
  const { engine, root } = await first.again([kind]);
  expect(engine.inspect().inflight.map(({ id }) => id)).toEqual([inflight, markedInflight]);
  await root.drive();
  expect(scripts.log.toSorted()).toEqual(['abort both', 'abort marked', 'execute fresh', 'recover inflight']);
  const tasks = [fresh, inflight, marked, markedInflight].map((id) => engine.getTask(id ?? 0));
  expect(tasks.map((task) => [task?.status, task?.abort])).toEqual([
    ['done', undefined],
    ['done', undefined],
    ['aborted', true],
    ['aborted', true],
  ]);
});

test('tasks that wait in a row run one after the other; independent ones run at the same time [5.5-2] [5.3-4] [5.4-1]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const blocked = scripts.kind('blocked', { execute: running(async () => gate.pass()) });
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [blocked, quick]);
  const held = await opened.task(blocked, 'held');
  await opened.task(quick, 'behind', { after: [held] });
  const a = await opened.task(quick, 'a');
  const b = await opened.task(quick, 'b', { after: [a] });
  const c = await opened.task(quick, 'c', { after: [a, b] });
  const drive = opened.root.drive();
  await gate.reached;
  await until(() => opened.status(c) === 'done' && opened.engine.running.length <= 1);
  expect(scripts.log).toEqual(['execute held', 'execute a', 'execute b', 'execute c']);
  expect(opened.engine.running).toEqual([held]);
  gate.open();
  await drive;
  expect(scripts.log.at(-1)).toBe('execute behind');
});

test('a dependency that failed or was aborted counts as one that is done [5.4-2]', async () => {
  const scripts = new Scripts();
  const failing = scripts.kind('failing', { execute: settleAs('failed') });
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [failing, quick]);
  const failed = await opened.task(failing, 'failed');
  const aborted = await opened.task(quick, 'aborted');
  const after = await opened.task(quick, 'after', { after: [failed, aborted] });
  await opened.engine.abortTask(aborted);
  await opened.root.drive();
  expect([failed, aborted, after].map((id) => opened.status(id))).toEqual(['failed', 'aborted', 'done']);
});

test('a marked task does not wait for what it was to wait for [6.1-1]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const blocked = scripts.kind('blocked', { execute: running(async () => gate.pass()) });
  const opened = await Opened.open(onTestFinished, [blocked]);
  const held = await opened.task(blocked, 'held');
  const waiting = await opened.task(blocked, 'waiting', { after: [held] });
  const drive = opened.root.drive();
  await gate.reached;
  await opened.engine.abortTask(waiting);
  await until(() => opened.status(waiting) === 'aborted');
  expect(opened.status(held)).toBe('running');
  gate.open();
  await drive;
  expect(scripts.log).toEqual(['execute held', 'abort waiting']);
});

test('dependencies are of the same ownership tree, exist already and can form no cycle [5.4-3] [5.4-4] [5.4-5]', async () => {
  const kind = new Scripts().kind('step');
  const { engine, root } = await Opened.open(onTestFinished, [kind]);
  const state: ScriptState = { name: 'x' };
  const before = engine.lastSeq;
  const foreign = await engine.commit((tx) => tx.task(kind, { conversationId: tx.createConversation(), state }));
  const rejects = async (after: (next: number) => readonly number[], code: string) =>
    expect(root.commit((tx) => tx.task(kind, { state, after: after(engine.lastSeq + 1) }))).rejects.toMatchObject({ code });
  await rejects(() => [foreign], 'foreignDependency');
  await rejects(() => [before + 99], 'unknownTask');
  await rejects((next) => [next], 'unknownTask');
  await rejects((next) => [next + 1], 'unknownTask');
  // Two that would wait for each other: the first one names what is not there yet. No other write has dependencies.
  const circle = root.commit((tx) => {
    const next = engine.lastSeq + 1;
    tx.task(kind, { state, after: [next + 1] });
    tx.task(kind, { state, after: [next] });
  });
  await expect(circle).rejects.toMatchObject({ code: 'unknownTask' });
  expect(engine.lastSeq).toBe(foreign);
});

test('a task that returns in a start status by way of others is called again and again [5.3-5]', async () => {
  const scripts = new Scripts();
  const clock = new FakeClock();
  const job = scripts.kind('job', {
    execute: async (task, context) => {
      const runs = Number(task.state.note ?? 0);
      if (runs > 0) await context.sleep(context.now() + 60_000);
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await context.commit((tx) =>
        runs === 3 ? tx.settle(task.id, 'done') : tx.patch(task.id, { status: 'waiting', state: { note: String(runs + 1) } }),
      );
    },
  });
  const opened = await Opened.open(onTestFinished, [job], { clock });
  const id = await opened.task(job, 'job', { background: true });
  const drive = opened.engine.drive();
  for (let i = 0; i < 3; i++) {
    await clock.waited();
    expect(scripts.log).toHaveLength(i + 2);
    clock.advance(60_000);
  }
  expect(await drive).toBe('idle');
  expect([scripts.log.length, opened.status(id), opened.reports]).toEqual([4, 'done', []]);
});

test('a call has a signal, conversation, scratch and commits of its own; its entries carry the task [5.2-9] [5.2-10]', async () => {
  const scripts = new Scripts();
  const signals: AbortSignal[] = [];
  const kind = scripts.kind('step', {
    execute: async (task, context) => {
      signals.push(context.signal);
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await context.commit((tx) => {
        tx.entry(note, { text: task.state.name });
        if (signals.length === 1) tx.patch(task.id, { status: 'waiting' });
        else tx.settle(task.id, 'done');
      });
    },
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  await opened.root.drive();
  expect(new Set(signals).size).toBe(2);
  expect(opened.root.entries({ limit: 9 }).items.map((entry) => [entry.conversationId, entry.byTaskId])).toEqual([
    [opened.root.id, id],
    [opened.root.id, id],
  ]);
});

test('what a call leaves running cannot write beside the next call: its commits land first, later ones are refused [6.1-9]', async () => {
  const scripts = new Scripts();
  const order: string[] = [];
  const late = new Gate();
  const lost: Promise<unknown>[] = [];
  const kind = scripts.kind('careless', {
    execute: async (task, context) => {
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      if (order.length > 0) return settleAs('done')(task, context);
      lost.push(context.commit((tx) => tx.patch(task.id, { status: 'waiting' })).then(() => order.push('left behind')));
      lost.push(
        late
          .pass()
          .then(async () => context.commit((tx) => tx.settle(task.id, 'failed')))
          .catch((error: unknown) => order.push((error as { readonly code: string }).code)),
      );
    },
  });
  let barrier: Barrier | undefined;
  const opened = await Opened.open(onTestFinished, [kind], {
    around: (storage) => (barrier = new Barrier(storage)).storage,
  });
  const id = await opened.task(kind, 'a');
  const held = barrier?.hold(writes((write) => write.type === 'patch' && write.status === 'waiting'));
  const drive = opened.root.drive();
  await held?.reached;
  for (let i = 0; i < 50; i++) await Promise.resolve();
  expect([opened.engine.running, scripts.log, opened.reports]).toEqual([[id], ['execute a'], []]);
  held?.open();
  expect(await drive).toBe('idle');
  late.open();
  await Promise.all(lost);
  expect([order, opened.status(id), opened.reports]).toEqual([['left behind', 'finished'], 'done', []]);
});

test('between passes the driver reads nothing [6.1-3]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const kind = scripts.kind('blocked', { execute: running(async () => gate.pass()) });
  let counting: Counting | undefined;
  const opened = await Opened.open(onTestFinished, [kind], {
    around: (storage) => {
      counting = new Counting(storage);
      return counting.storage;
    },
  });
  await opened.task(kind, 'a');
  const drive = opened.root.drive();
  await gate.reached;
  counting?.reset();
  await opened.root.commit((tx) => tx.entry(note, { text: 'no task' }));
  const after = new Map(counting?.calls);
  for (let i = 0; i < 20; i++) await Promise.resolve();
  expect([counting?.calls, [...after.keys()].filter((key) => /task/iu.test(key))]).toEqual([after, []]);
  gate.open();
  await drive;
});

/** Kinds with faults: what is reported, what is still called, and what a drive says (engine specification 5.3, 6.1). */
import { expect, onTestFinished, test } from 'vitest';
import { TaskPoisoned } from './errors.ts';
import { Gate, until } from './testing/gate.ts';
import { work } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts } from './testing/scripted.ts';

const broken = async (): Promise<never> => Promise.reject(new Error('broken'));
const nothing = async (): Promise<void> => undefined;

test('a call that fails is reported once, with its task and kind, and not made again in this process but in the next [6.1-6] [6.1-7]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('failing', { execute: running(broken) });
  const opened = await Opened.open(onTestFinished, [kind]);
  const watch = await opened.engine.watch();
  const told: unknown[] = [];
  watch.start((event) => told.push(event));
  const id = await opened.task(kind, 'a');
  const rejected = { name: 'TaskPoisoned', tasks: [id], message: expect.stringContaining('broken') };
  await expect(opened.root.drive()).rejects.toMatchObject(rejected);
  await opened.root.commit((tx) => tx.patch(id, { state: { note: 'touched' } }));
  await expect(opened.root.drive()).rejects.toMatchObject(rejected);
  await expect(opened.engine.drive()).rejects.toMatchObject(rejected);
  expect([scripts.log, opened.messages]).toEqual([['execute a'], ['broken']]);
  expect(told).toEqual([
    expect.objectContaining({ type: 'report', task: id, kind: 'failing', error: { name: 'Error', message: 'broken' } }),
  ]);
  const next = new Scripts();
  const second = await opened.again([next.kind('failing')]);
  expect(await second.root.drive()).toBe('idle');
  expect([next.log, second.status(id)]).toEqual([['recover a'], 'done']);
});

test('a call that returns with its task as it was is reported and not made again [5.3-2] [6.1-8]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('idle', { execute: nothing, recover: nothing });
  const opened = await Opened.open(onTestFinished, [kind]);
  const [fresh, inflight] = await opened.root.commit((tx) => {
    const ids = [tx.task(kind, { state: { name: 'fresh' } }), tx.task(kind, { state: { name: 'inflight' } })];
    tx.patch(ids[1] ?? 0, { status: 'running' });
    return ids;
  });
  await expect(opened.root.drive()).rejects.toMatchObject({ tasks: [fresh, inflight] });
  expect(scripts.log.toSorted()).toEqual(['execute fresh', 'recover inflight']);
  expect(opened.messages.toSorted()).toEqual([
    `idle.execute returned and task ${fresh} is still waiting`,
    `idle.recover returned and task ${inflight} is still running`,
  ]);
});

test('writing state, or the status that a task has already, does not count as a change [5.3-2]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('busy', {
    execute: async (task, context) => context.commit((tx) => tx.patch(task.id, { status: 'waiting', state: { note: 'x' } })),
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  await opened.task(kind, 'a');
  await expect(opened.root.drive()).rejects.toBeInstanceOf(TaskPoisoned);
  expect([scripts.log, opened.reports.length]).toEqual([['execute a'], 1]);
});

test('a task that was given up can be ended: its abort still runs [6.1-13] [6.3-1]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('failing', { execute: broken });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  await expect(opened.root.drive()).rejects.toBeInstanceOf(TaskPoisoned);
  await opened.engine.abortTask(id);
  expect(await opened.root.drive()).toBe('idle');
  expect([scripts.log, opened.status(id), opened.messages]).toEqual([['execute a', 'abort a'], 'aborted', ['broken']]);
});

test('an abort that fails, or leaves its task live, is reported and not called again [6.3-8]', async () => {
  const scripts = new Scripts();
  const kinds = [scripts.kind('throws', { abort: broken }), scripts.kind('leaves', { abort: nothing })] as const;
  const opened = await Opened.open(onTestFinished, kinds);
  const ids = [await opened.task(kinds[0], 'a'), await opened.task(kinds[1], 'b')];
  await opened.root.abort();
  await expect(opened.root.drive()).rejects.toMatchObject({ tasks: ids });
  await opened.root.abort();
  await expect(opened.root.drive()).rejects.toMatchObject({ tasks: ids });
  expect(scripts.log.toSorted()).toEqual(['abort a', 'abort b']);
  expect(opened.messages.toSorted()).toEqual(['broken', `leaves.abort returned and task ${ids[1]} is still waiting`]);
});

test('a failure after the settlement is reported and gives nothing up [6.1-6]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('late', {
    execute: async (task, context) => {
      await context.commit((tx) => tx.settle(task.id, 'done'));
      throw new Error('too late');
    },
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  expect(await opened.root.drive()).toBe('idle');
  await until(() => opened.engine.running.length === 0);
  expect([scripts.log, opened.status(id), opened.messages]).toEqual([['execute a'], 'done', ['too late']]);
});

test('a drive rejects when what is left waits for what was given up, be that in the background or elsewhere in the tree [6.1-12]', async () => {
  const scripts = new Scripts();
  const failing = scripts.kind('failing', { execute: broken });
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [failing, quick]);
  const { child, ...ids } = await opened.root.commit((tx) => {
    const owner = tx.task(quick, { state: { name: 'owner' } });
    tx.settle(owner, 'done');
    const conversation = tx.createConversation({ owner });
    const given = tx.in(conversation).task(failing, { state: { name: 'given up' }, background: true });
    const middle = tx.task(quick, { state: { name: 'middle' }, after: [given], background: true });
    const last = tx.task(quick, { state: { name: 'last' }, after: [middle] });
    return { child: conversation, given, middle, last };
  });
  await expect(opened.root.drive()).rejects.toMatchObject({
    tasks: [ids.given, ids.middle, ids.last],
    cause: expect.objectContaining({ message: 'broken' }),
  });
  // The child has no foreground work at all.
  expect(await opened.engine.conversation(child)?.drive()).toBe('idle');
  await opened.engine.abortTask(ids.given);
  expect(await opened.root.drive()).toBe('idle');
  expect(opened.status(ids.last)).toBe('done');
});

test('drives with other work go on, and reject only once nothing of theirs is left to do [6.1-12]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const failing = scripts.kind('failing', { execute: broken });
  const blocked = scripts.kind('blocked', { execute: running(async () => gate.pass()) });
  const opened = await Opened.open(onTestFinished, [failing, blocked]);
  const other = await opened.root.fork('start');
  const inOther = await other.commit((tx) => tx.task(blocked, { state: { name: 'other' } }));
  const given = await opened.task(failing, 'given up');
  const held = await opened.task(blocked, 'held');
  const drives = [opened.root.drive(), other.drive(), opened.engine.drive()] as const;
  let ended = 0;
  for (const drive of drives) drive.finally(() => ended++).catch(() => undefined);
  await gate.reached;
  await until(() => opened.reports.length > 0);
  expect(ended).toBe(0);
  gate.open();
  const poisoned = { name: 'TaskPoisoned', tasks: [given] };
  await expect(drives[0]).rejects.toMatchObject(poisoned);
  expect(await drives[1]).toBe('idle');
  await expect(drives[2]).rejects.toMatchObject(poisoned);
  expect([held, inOther].map((id) => opened.status(id))).toEqual(['done', 'done']);
});

test('live work that is done elsewhere is no work of this process: a drive says so instead of waiting [6.1-12]', async () => {
  const opened = await Opened.open(onTestFinished, [work]);
  const id = await opened.root.commit((tx) => tx.task(work, { state: { step: 1 } }));
  await expect(opened.root.drive()).rejects.toMatchObject({ tasks: [id], cause: { code: 'unknownKind' } });
  await opened.root.commit((tx) => tx.settle(id, 'done'));
  expect(await opened.root.drive()).toBe('idle');
});

test('many tasks of a faulty kind are each given up, and a message names some of them [6.1-12]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('failing', { execute: broken });
  const opened = await Opened.open(onTestFinished, [kind]);
  const ids = await opened.root.commit((tx) =>
    Array.from({ length: 300 }, (_, i) => tx.task(kind, { state: { name: String(i) } })),
  );
  const error: unknown = await opened.root.drive().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ tasks: ids });
  expect(error instanceof Error && error.message.length).toBeLessThan(300);
  expect(opened.reports).toHaveLength(300);
});

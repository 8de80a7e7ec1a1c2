/** What a drive serves and when it is over (engine specification 6.2). */
import { expect, onTestFinished, test } from 'vitest';
import { UncertainPersistence } from './errors.ts';
import { Gate, until } from './testing/gate.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts, start } from './testing/scripted.ts';
import { Breakable, withCommit, writes } from './testing/storages.ts';

/** A kind that waits at the gate of its task's name. */
function gated(scripts: Scripts, names: readonly string[]) {
  const gates = new Map(names.map((name) => [name, new Gate()]));
  const kind = scripts.kind('gated', {
    execute: running(async (task, context) => gates.get(task.state.name)?.pass(context.signal)),
  });
  return { kind, gate: (name: string) => gates.get(name) ?? new Gate() };
}

test('background work does not keep the drive of its conversation, is served after it, and keeps that of the session [5.6-1] [6.1-4] [6.2-3]', async () => {
  const scripts = new Scripts();
  const { kind, gate } = gated(scripts, ['job']);
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [kind, quick]);
  const job = await opened.task(kind, 'job', { background: true });
  const after = await opened.task(quick, 'after the job', { background: true, after: [job] });
  await opened.task(quick, 'foreground');
  expect(await opened.root.drive()).toBe('idle');
  await gate('job').reached;
  expect([opened.status(job), opened.status(after)]).toEqual(['running', 'waiting']);
  let over = false;
  const session = opened.engine.drive().then((outcome) => {
    over = true;
    return outcome;
  });
  await opened.task(quick, 'more');
  await opened.root.drive();
  expect(over).toBe(false);
  gate('job').open();
  expect(await session).toBe('idle');
  expect([opened.status(job), opened.status(after)]).toEqual(['done', 'done']);
});

test('owned conversations are driven with their parent, also when their owner has settled; forks are not [6.2-1] [6.2-2]', async () => {
  const scripts = new Scripts();
  const { kind, gate } = gated(scripts, ['child', 'grandchild']);
  const opened = await Opened.open(onTestFinished, [kind]);
  const { engine, root } = opened;
  const fork = await root.fork('start');
  const inFork = await fork.commit((tx) => tx.task(kind, { state: { name: 'fork' } }));
  const ids = await root.commit((tx) => {
    const owner = tx.task(kind, { state: { name: 'spawn' } });
    const child = tx.createConversation({ owner });
    const inner = tx.in(child).task(kind, { state: { name: 'child' } });
    const grandchild = tx.createConversation({ owner: inner });
    tx.settle(owner, 'done');
    return { child, inner, innermost: tx.in(grandchild).task(kind, { state: { name: 'grandchild' } }) };
  });
  expect(await root.drive()).toBe('idle');
  await Promise.all([gate('child').reached, gate('grandchild').reached]);
  gate('child').open();
  expect(await engine.conversation(ids.child)?.drive()).toBe('idle');
  // Nobody drives it by name and its owner is done: its parent's tree still does.
  expect(opened.status(ids.innermost)).toBe('running');
  gate('grandchild').open();
  await until(() => opened.status(ids.innermost) === 'done');
  expect([scripts.log.includes('execute fork'), opened.status(inFork)]).toEqual([false, 'waiting']);
  expect([await fork.drive(), opened.status(inFork)]).toEqual(['idle', 'done']);
});

test('a conversation that comes to be owned while its owner runs is served, and an execution may drive it and wait [6.2-5] [5.3-7]', async () => {
  const scripts = new Scripts();
  const quick = scripts.kind('quick');
  const answers: string[] = [];
  const tool = scripts.kind('tool', {
    execute: async (task, context) => {
      const child = await context.commit((tx) => {
        tx.patch(task.id, { status: 'running' });
        const id = tx.createConversation({ owner: task.id });
        tx.in(id).task(quick, { state: { name: 'in the child' } });
        return id;
      });
      answers.push((await context.conversation(child)?.drive()) ?? '');
      await context.commit((tx) => tx.settle(task.id, 'done'));
    },
  });
  const opened = await Opened.open(onTestFinished, [tool, quick]);
  const id = await opened.task(tool, 'tool');
  expect(await opened.root.drive()).toBe('idle');
  expect([scripts.log, answers]).toEqual([['execute tool', 'execute in the child'], ['idle']]);
  expect(opened.engine.getTask(id)?.owns).toHaveLength(1);
});

test('overlapping drives run one execution a task; one that is given up affects neither the others nor the work [10.2-11] [10.2-12] [9.1-8]', async () => {
  const scripts = new Scripts();
  const { kind, gate } = gated(scripts, ['a', 'b']);
  const opened = await Opened.open(onTestFinished, [kind]);
  await opened.task(kind, 'a');
  await opened.task(kind, 'b');
  const impatient = new AbortController();
  const drives = [opened.root.drive(), opened.engine.drive(), opened.root.drive({ signal: impatient.signal })];
  await Promise.all([gate('a').reached, gate('b').reached]);
  impatient.abort();
  await expect(drives[2]).rejects.toMatchObject({ name: 'AbortError' });
  await expect(opened.root.drive({ signal: impatient.signal })).rejects.toMatchObject({ name: 'AbortError' });
  drives.push(opened.root.drive());
  gate('a').open();
  gate('b').open();
  expect(await Promise.all([drives[0], drives[1], drives[3]])).toEqual(['idle', 'idle', 'idle']);
  expect(scripts.log).toEqual(['execute a', 'execute b']);
  expect(opened.reports).toEqual([]);
});

test('a drive of what is idle returns at once, and work that comes later is still served [6.1-4]', async () => {
  const scripts = new Scripts();
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [quick]);
  expect(await opened.root.drive()).toBe('idle');
  const id = await opened.task(quick, 'later');
  await until(() => opened.status(id) === 'done');
  expect(scripts.log).toEqual(['execute later']);
});

test('an idle gap between a task and its successor is not seen by a drive [6.2-2]', async () => {
  const scripts = new Scripts();
  const chain = scripts.kind('chain', {
    execute: async (task, context) => {
      const left = Number(task.state.name);
      await context.commit((tx) => {
        if (left > 1) tx.task(chain, { state: { name: String(left - 1) } });
        tx.settle(task.id, 'done');
      });
    },
  });
  const opened = await Opened.open(onTestFinished, [chain]);
  await opened.task(chain, '50');
  expect(await opened.root.drive()).toBe('idle');
  expect([scripts.log.length, opened.engine.liveTasks()]).toEqual([50, []]);
});

test('a drive that the close overtakes resolves as closed, and so does one that begins after it [6.2-4]', async () => {
  const scripts = new Scripts();
  const { kind, gate } = gated(scripts, ['a']);
  const opened = await Opened.open(onTestFinished, [kind]);
  await opened.task(kind, 'a');
  const drives = [opened.root.drive(), opened.engine.drive()];
  await gate('a').reached;
  await opened.engine.close();
  expect(await Promise.all([...drives, opened.root.drive()])).toEqual(['closed', 'closed', 'closed']);
});

test('uncertain persistence ends all drives with it, cancels what runs, and calls nothing any more [3.3-2] [3.3-5]', async () => {
  const scripts = new Scripts();
  const { kind } = gated(scripts, ['a']);
  const ends: string[] = [];
  const quick = scripts.kind('quick', {
    execute: async (task, context) => {
      const fails = context.commit((tx) => tx.settle(task.id, 'done'));
      await fails.catch((error: unknown) => ends.push((error as Error).name));
      await fails;
    },
  });
  const isLost = writes((write) => write.type === 'settle');
  const around = { around: (storage: Parameters<typeof withCommit>[0]) => withCommit(storage, lose(isLost)) };
  const opened = await Opened.open(onTestFinished, [kind, quick], around);
  await opened.task(kind, 'a');
  const held = await opened.task(quick, 'lost');
  await opened.task(quick, 'behind', { after: [held] });
  const drives = [opened.root.drive(), opened.engine.drive()];
  const outcomes = await Promise.allSettled(drives);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as Error).name)).toEqual([
    'UncertainPersistence',
    'UncertainPersistence',
  ]);
  await expect(opened.root.drive()).rejects.toBeInstanceOf(UncertainPersistence);
  await expect(opened.task(quick, 'more')).rejects.toBeInstanceOf(UncertainPersistence);
  await opened.engine.close();
  expect([scripts.running, ends, opened.reports]).toEqual([[], ['UncertainPersistence'], []]);
  expect(scripts.log).toEqual(['execute a', 'execute lost']);
  // The batch was durable: the next process goes on behind it.
  const next = new Scripts();
  const second = await opened.again([next.kind('gated'), next.kind('quick', { execute: start })]);
  await second.root.drive();
  expect(next.log.toSorted()).toEqual(['execute behind', 'recover a']);
});

function lose(isLost: ReturnType<typeof writes>): Parameters<typeof withCommit>[1] {
  return async (batch, commit) => {
    const done = await commit();
    if (isLost(batch)) throw new UncertainPersistence(new Error('no reply'));
    return done;
  };
}

test('when the driver cannot read what is committed, whoever waits is told and nothing is called any more [3.3-5]', async () => {
  const scripts = new Scripts();
  const { kind, gate } = gated(scripts, ['a']);
  let breakable: Breakable | undefined;
  const opened = await Opened.open(onTestFinished, [kind], {
    around: (storage) => (breakable = new Breakable(storage)).storage,
  });
  await opened.task(kind, 'a');
  const drives = [opened.root.drive(), opened.engine.drive()];
  await gate('a').reached;
  const failure = new Error('the disk is gone');
  await opened.root.commit((tx) => void tx.task(kind, { state: { name: 'b' } }), {
    within: () => {
      if (breakable !== undefined) breakable.failure = failure;
    },
  });
  for (const outcome of await Promise.allSettled(drives)) expect(outcome).toMatchObject({ status: 'rejected', reason: failure });
  await expect(opened.root.drive()).rejects.toBe(failure);
  await opened.engine.close();
  expect([scripts.log, scripts.running, opened.reports]).toEqual([['execute a'], [], [failure]]);
});

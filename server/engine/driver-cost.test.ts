/** What driving reads: as much as is new, whatever is live or finished beside it (engine specification 6.1, 7.2). */
import { expect, onTestFinished, test } from 'vitest';
import type { TaskKind } from './kinds.ts';
import type { Id } from './records.ts';
import { FakeClock } from './testing/clock.ts';
import { Gate, until } from './testing/gate.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts } from './testing/scripted.ts';
import type { ScriptState } from './testing/scripted.ts';
import { Counting } from './testing/storages.ts';

interface Load {
  /** Live background tasks of the root: half of them wait for a task that does not end, half sleep. */
  readonly background: number;
  /** Conversations that a settled task owns, each with a settled task. */
  readonly finished: number;
}

/** An engine with the load, driven already. */
async function loaded({ background, finished }: Load) {
  const scripts = new Scripts();
  const [gate, clock] = [new Gate(), new FakeClock()];
  const blocked = scripts.kind('blocked', { execute: running(async (_, { signal }) => gate.pass(signal)) });
  const sleeper = scripts.kind('sleeper', { execute: running(async (_, context) => context.sleep(context.now() + 1)) });
  const quick = scripts.kind('quick');
  let counting: Counting | undefined;
  const opened = await Opened.open(onTestFinished, [blocked, sleeper, quick], {
    clock,
    around: (storage) => (counting = new Counting(storage)).storage,
  });
  const { root } = opened;
  await root.commit((tx) => {
    const blocker = tx.task(blocked, { state: { name: 'blocker' }, background: true });
    for (let i = 0; i < background / 2; i++) {
      tx.task(quick, { state: { name: 'waiting' }, background: true, after: [blocker] });
      tx.task(sleeper, { state: { name: 'sleeping' }, background: true });
    }
    const owner = tx.task(quick, { state: { name: 'owner' } });
    for (let i = 0; i < finished; i++) {
      const child = tx.in(tx.createConversation({ owner }));
      child.settle(child.task(quick, { state: { name: 'finished' } }), 'done');
    }
    tx.settle(owner, 'done');
  });
  if (counting === undefined) throw new Error('reads are counted');
  counting.reset();
  await root.drive();
  const attached = { reads: counting.reads, records: counting.records };
  await until(() => clock.waiting.length >= Math.floor(background / 2));
  return { opened, counting, attached, quick, scripts };
}

/** Reads and records of a turn: a chain of three tasks, one after the other, and the drive that waits for it. */
async function turn({ opened, counting, quick }: Awaited<ReturnType<typeof loaded>>) {
  const calls = opened.engine.running.length;
  counting.reset();
  await opened.root.commit((tx) => {
    let after: Id[] = [];
    for (let i = 0; i < 3; i++) after = [tx.task(quick, { state: { name: 'turn' }, after })];
  });
  await opened.root.drive();
  await until(() => opened.engine.running.length <= calls);
  return { reads: Object.fromEntries(counting.calls), records: counting.records };
}

test(
  'a turn reads the same beside 5,000 live background tasks and 5,000 finished children as beside ten [7.2-1] [10.3-14]',
  { timeout: 120_000 },
  async () => {
    const small = await loaded({ background: 10, finished: 10 });
    const large = await loaded({ background: 5000, finished: 5000 });
    const few = await turn(small);
    expect(await turn(large)).toEqual(few);
    expect(few.records).toBeLessThan(40);
    expect(large.scripts.log.filter((line) => line === 'execute waiting')).toEqual([]);
  },
);

test(
  'attaching reads what is live once, the dependencies of all of it in one batch, and nothing that is finished [7.2-1] [5.1-3]',
  { timeout: 120_000 },
  async () => {
    const beside = async (load: Load) => (await loaded(load)).attached;
    const [none, finished, live] = [
      await beside({ background: 10, finished: 0 }),
      await beside({ background: 10, finished: 3000 }),
      await beside({ background: 1010, finished: 0 }),
    ];
    expect(finished).toEqual(none);
    // A thousand more: their headers, their states to run those that start, and the headers of their dependencies; no more queries.
    expect(live.records - none.records).toBeLessThanOrEqual(3 * 1000);
  },
);

test('an attached scope inside another one costs no look at what is live [6.2-1]', { timeout: 120_000 }, async () => {
  const large = await loaded({ background: 1000, finished: 1 });
  const [child] = large.opened.engine.conversations({ ownedFrom: large.opened.root.id, limit: 1 }).items;
  const handle = large.opened.engine.conversation(child?.id ?? 0);
  large.counting.reset();
  expect(await handle?.drive()).toBe('idle');
  expect(large.counting.records).toBeLessThan(5);
});

test(
  'a thousand drives that wait cost a settlement nothing unless they wait for its task [6.1-3]',
  { timeout: 120_000 },
  async () => {
    const scripts = new Scripts();
    const gate = new Gate();
    const blocked = scripts.kind('blocked', { execute: running(async (_, { signal }) => gate.pass(signal)) });
    const quick = scripts.kind('quick');
    const reads = async (drives: number): Promise<number> => {
      let counting: Counting | undefined;
      const opened = await Opened.open(onTestFinished, [blocked, quick], {
        around: (storage) => (counting = new Counting(storage)).storage,
      });
      await opened.task(blocked, 'held');
      const waiting = Array.from({ length: drives }, async () => opened.root.drive());
      const fork = await opened.root.fork('start');
      await fork.drive();
      await gate.reached;
      counting?.reset();
      await fork.commit((tx) => tx.task(quick, { state: { name: 'other' } }));
      await fork.drive();
      const count = counting?.reads ?? 0;
      await opened.engine.close();
      await Promise.all(waiting);
      return count;
    };
    expect(await reads(1000)).toBe(await reads(1));
  },
);

test('a join of a thousand tasks reads its dependencies once [7.2-1]', { timeout: 120_000 }, async () => {
  const scripts = new Scripts();
  const quick = scripts.kind('quick');
  let counting: Counting | undefined;
  const opened = await Opened.open(onTestFinished, [quick], {
    around: (storage) => (counting = new Counting(storage)).storage,
  });
  await opened.root.commit((tx) => {
    const after = Array.from({ length: 1000 }, () => tx.task(quick, { state: { name: 'tool' } }));
    tx.task(quick, { state: { name: 'join' }, after });
  });
  counting?.reset();
  await opened.root.drive();
  expect(scripts.log.at(-1)).toBe('execute join');
  // The commits of a thousand tasks read their own tasks; the join adds its thousand dependencies, once.
  expect(counting?.records).toBeLessThan(12_000);
});

test('a drive looks for what is live when it begins and when nothing it knows of is left, however long the chain of successors [6.1-3]', async () => {
  const scans = async (length: number): Promise<number | undefined> => {
    const scripts = new Scripts();
    let left = length;
    const step: TaskKind<ScriptState> = scripts.kind('step', {
      execute: async (task, context) =>
        context.commit((tx) => {
          if (--left > 0) tx.task(step, { state: { name: 'next' } });
          tx.settle(task, 'done');
        }),
    });
    let counting: Counting | undefined;
    const opened = await Opened.open(onTestFinished, [step], {
      around: (storage) => (counting = new Counting(storage)).storage,
    });
    await opened.task(step, 'first');
    counting?.reset();
    expect(await opened.root.drive()).toBe('idle');
    expect(left).toBe(0);
    return counting?.calls.get('scanTaskHeaders');
  };
  expect(await scans(50)).toBe(await scans(2));
});

/** Cancellation: the mark, what it reaches, and the cleanup behind it (engine specification 5.6, 6.3). */
import { expect, onTestFinished, test } from 'vitest';
import { inbox } from './inbox.ts';
import type { InboxMode } from './inbox.ts';
import type { Id } from './records.ts';
import { FakeClock } from './testing/clock.ts';
import { Gate, until } from './testing/gate.ts';
import { note } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts, settleAs } from './testing/scripted.ts';

test('aborting a task marks it durably, once; a terminal or unknown one is rejected [6.3-1] [6.3-4]', async () => {
  const kind = new Scripts().kind('step');
  const opened = await Opened.open(onTestFinished, [kind]);
  const { engine, root } = opened;
  const id = await opened.task(kind, 'a');
  await engine.abortTask(id);
  const marked = engine.lastSeq;
  await engine.abortTask(id);
  expect([engine.getTask(id)?.abort, engine.lastSeq]).toEqual([true, marked]);
  const { engine: next, root: again } = await opened.again([kind]);
  expect(next.getTask(id)).toMatchObject({ status: 'waiting', abort: true });
  await again.drive();
  expect(next.getTask(id)).toMatchObject({ status: 'aborted', abort: true });
  await expect(next.abortTask(id)).rejects.toMatchObject({ code: 'taskIsTerminal' });
  await expect(next.abortTask(id + 100)).rejects.toMatchObject({ code: 'unknownTask' });
  expect(root.id).toBe(again.id);
});

test('the mark reaches a running call by its signal; the call is joined, then its kind aborts it [5.2-9] [6.1-5] [6.1-9]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const order: string[] = [];
  const kind = scripts.kind('step', {
    execute: running(async (_, context) => {
      try {
        await gate.pass(context.signal);
      } finally {
        await Promise.resolve();
        order.push(`effect over, ${scripts.log.length} calls`);
      }
    }),
    abort: async (task, context) => {
      order.push(`abort of ${task.status}, ${scripts.running.length} running, signal ${context.signal.aborted}`);
      await settleAs('aborted')(task, context);
    },
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  const drive = opened.root.drive();
  await gate.reached;
  await opened.root.abort();
  expect(await drive).toBe('idle');
  expect(order).toEqual(['effect over, 1 calls', 'abort of running, 1 running, signal false']);
  expect([opened.status(id), opened.reports]).toEqual(['aborted', []]);
});

test('a call that settles by itself on the signal is not aborted again [6.1-10] [6.3-5]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const kind = scripts.kind('stream', {
    execute: async (task, context) => {
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await gate.pass(context.signal).catch(() => undefined);
      await context.commit((tx) => tx.settle(task.id, context.signal.aborted ? 'aborted' : 'done', { note: 'in-band' }));
    },
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  const drive = opened.root.drive();
  await gate.reached;
  await opened.engine.abortTask(id);
  await drive;
  expect(opened.engine.getTask(id)).toMatchObject({ status: 'aborted', abort: true, state: { note: 'in-band' } });
  expect(scripts.log).toEqual(['execute a']);
});

test('a call that ignores its signal delays its own cleanup and nobody else comes for the task [6.3-7]', async () => {
  const scripts = new Scripts();
  const [deaf, other] = [new Gate(), new Gate()];
  const kind = scripts.kind('deaf', { execute: running(async (task) => (task.state.name === 'deaf' ? deaf : other).pass()) });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'deaf');
  const drive = opened.root.drive();
  await deaf.reached;
  await opened.root.abort();
  const second = await opened.task(kind, 'other');
  await other.reached;
  await opened.engine.abortTask(second);
  await opened.root.commit((tx) => tx.patch(id, { state: { note: 'touched' } }));
  for (let i = 0; i < 50; i++) await Promise.resolve();
  expect([scripts.log, opened.status(id)]).toEqual([['execute deaf', 'execute other'], 'running']);
  other.open();
  deaf.open();
  await drive;
  // Both went on to their end before they were told: their outcome stands.
  expect([opened.status(id), opened.status(second), scripts.log.length]).toEqual(['done', 'done', 2]);
});

test('a marked task is woken from its sleep, and its abort may sleep itself [5.2-14]', async () => {
  const scripts = new Scripts();
  const clock = new FakeClock();
  const kind = scripts.kind('sleeper', {
    execute: running(async (_, context) => context.sleep(context.now() + 1000)),
    abort: async (task, context) => {
      await context.sleep(context.now() + 10);
      // Its mark is not news to the abort: neither a second one nor another look at everything that is live cancels it.
      await context.commit((tx) => tx.patch(task.id, { state: { note: 'cleaning' }, abort: true }));
      void context.engine.drive();
      await context.sleep(context.now() + 10);
      await settleAs('aborted')(task, context);
    },
  });
  const opened = await Opened.open(onTestFinished, [kind], { clock });
  const id = await opened.task(kind, 'a');
  const drive = opened.root.drive();
  await clock.waited();
  await opened.root.abort();
  await until(() => clock.waiting[0] === clock.now() + 10);
  clock.advance(10);
  await clock.waited();
  clock.advance(10);
  await drive;
  expect([opened.status(id), scripts.log, opened.reports]).toEqual(['aborted', ['execute a', 'abort a'], []]);
});

/** root: front (owns child), detached (settled, owns far), job (background, owns under); each child has a foreground and a background task. */
async function tree() {
  const kind = new Scripts().kind('step');
  const opened = await Opened.open(onTestFinished, [kind]);
  const ids = await opened.root.commit((tx) => {
    const named = (name: string) => ({ state: { name } });
    const family = (owner: Id) => {
      const child = tx.createConversation({ owner });
      return {
        child,
        front: tx.in(child).task(kind, named('front')),
        back: tx.in(child).task(kind, { ...named('back'), background: true }),
      };
    };
    const front = tx.task(kind, named('front'));
    const job = tx.task(kind, { ...named('job'), background: true });
    const spawn = tx.task(kind, named('spawn'));
    const [inner, under, far] = [family(front), family(job), family(spawn)];
    const deepest = family(inner.front);
    tx.settle(spawn, 'done');
    return { front, job, inner, under, far, deepest };
  });
  const marked = () =>
    opened.engine
      .liveTasks()
      .filter(({ abort }) => abort === true)
      .map(({ id }) => id);
  return { opened, ids, marked };
}

test('aborting a conversation marks its foreground set, in one commit, and leaves background work and detached children alone [5.6-2] [5.6-3] [6.3-2] [6.3-9]', async () => {
  const { opened, ids, marked } = await tree();
  await opened.engine.abortTask(ids.front);
  const before = opened.engine.lastSeq;
  await opened.root.abort();
  expect(marked()).toEqual([ids.front, ids.inner.front, ids.deepest.front]);
  // The one that had its mark was not written again.
  expect(opened.engine.lastSeq).toBe(before + 2);
  await opened.root.abort();
  expect(opened.engine.lastSeq).toBe(before + 2);
  await opened.engine.conversation(ids.far.child)?.abort();
  await opened.engine.abortTask(ids.job);
  expect(marked()).toEqual([ids.front, ids.job, ids.inner.front, ids.far.front, ids.deepest.front]);
});

test('that commit cancels queued steer and followUp input of the conversation and keeps write and nextRun [6.3-3]', async () => {
  const { opened, ids } = await tree();
  const modes: readonly InboxMode[] = ['write', 'steer', 'followUp', 'nextRun'];
  const child = opened.engine.conversation(ids.inner.child);
  for (const mode of modes)
    for (const conversation of [opened.root, child]) await conversation?.list(inbox).append({ mode, message: mode });
  await opened.root.abort();
  const left = (of: typeof child) =>
    of
      ?.list(inbox)
      .read()
      .items.map(({ value }) => value.mode);
  expect([left(opened.root), left(child)]).toEqual([['write', 'nextRun'], modes]);
});

test('a marked task settles with its outcome and writes entries, but creates neither task nor conversation [6.3-5] [6.3-6]', async () => {
  const scripts = new Scripts();
  const codes: string[] = [];
  const creations: ReadonlyMap<string, Parameters<Opened['root']['commit']>[0]> = new Map([
    ['task', (tx) => tx.task(kind, { state: { name: 'successor' } })],
    ['conversation', (tx) => tx.createConversation()],
    ['fork', (tx) => tx.createConversation({ parent: { conversationId: tx.conversationId, at: 0 } })],
  ]);
  const kind = scripts.kind('buggy', {
    abort: async (task, context) => {
      for (const plan of creations.values())
        await context.commit(plan).catch((error: unknown) => codes.push((error as { readonly code: string }).code));
      const before = context.engine.lastSeq;
      await context
        .conversation()
        ?.fork('start')
        .catch((error: unknown) => codes.push((error as { readonly code: string }).code));
      expect(context.engine.lastSeq).toBe(before);
      await context.commit((tx) => {
        tx.entry(note, { text: 'cut short' });
        tx.settle(task.id, 'aborted', { note: 'kept' });
      });
    },
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const told: unknown[] = [];
  const watch = await opened.engine.watch();
  watch.start((event) => event.type === 'report' && told.push([event.task, event.kind, event.error.name]));
  const id = await opened.task(kind, 'a');
  await opened.engine.abortTask(id);
  expect(await opened.root.drive()).toBe('idle');
  expect(codes).toEqual(['markedTask', 'markedTask', 'markedTask', 'markedTask']);
  // The kind swallowed them; they are reported as its faults all the same.
  expect(opened.reports.map((error) => (error as { readonly code: string }).code)).toEqual(codes);
  expect(told).toEqual(codes.map(() => [id, 'buggy', 'Rejected']));
  expect(opened.engine.getTask(id)).toMatchObject({ status: 'aborted', state: { note: 'kept' } });
  expect(opened.root.entries({ limit: 9 }).items).toMatchObject([{ byTaskId: id }]);
});

test('a rejection of that kind which the call passes on is reported once [6.3-6]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('buggy', {
    execute: async (task, context) => {
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await context.engine.abortTask(task.id);
      await context.commit((tx) => {
        tx.task(kind, { state: { name: 'successor' } });
        tx.settle(task.id, 'done');
      });
    },
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  expect(await opened.root.drive()).toBe('idle');
  expect([scripts.log, opened.status(id)]).toEqual([['execute a', 'abort a'], 'aborted']);
  expect(opened.reports).toMatchObject([{ code: 'markedTask' }]);
});

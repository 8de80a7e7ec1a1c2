/** The end of a session in this process, and of a conversation (engine specification 6.4). */
import { expect, onTestFinished, test } from 'vitest';
import { inbox } from './inbox.ts';
import type { InboxMode } from './inbox.ts';
import { FakeClock } from './testing/clock.ts';
import { Gate, until } from './testing/gate.ts';
import { note } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts } from './testing/scripted.ts';
import { Barrier } from './testing/storages.ts';
import type { Storage } from './storage.ts';

test('closing cancels calls that run or sleep, waits for one that ignores its signal, and writes no outcome [6.4-4] [6.4-5] [5.2-14]', async () => {
  const scripts = new Scripts();
  const clock = new FakeClock();
  const [deaf, listening] = [new Gate(), new Gate()];
  const deafKind = scripts.kind('deaf', { execute: running(async () => deaf.pass()) });
  const listeningKind = scripts.kind('listening', { execute: running(async (_, { signal }) => listening.pass(signal)) });
  const sleeping = scripts.kind('sleeping', { execute: running(async (_, context) => context.sleep(context.now() + 1)) });
  const kinds = [deafKind, listeningKind, sleeping];
  const opened = await Opened.open(onTestFinished, kinds, { clock });
  for (const kind of kinds) await opened.task(kind, kind.kind);
  const drive = opened.root.drive();
  await Promise.all([deaf.reached, listening.reached, clock.waited()]);
  const before = opened.engine.lastSeq;
  let closed = false;
  const closing = opened.engine.close().then(() => (closed = true));
  expect(await drive).toBe('closed');
  await until(() => scripts.running.length <= 1);
  for (let i = 0; i < 50; i++) await Promise.resolve();
  expect([closed, scripts.running]).toEqual([false, ['deaf']]);
  deaf.open();
  await closing;
  await opened.engine.close();
  expect([scripts.running, opened.reports, clock.waiting]).toEqual([[], [], []]);
  const next = new Scripts();
  const second = await opened.again(kinds.map(({ kind }) => next.kind(kind)));
  expect([second.engine.lastSeq, second.engine.inspect().inflight.map(({ abort }) => abort)]).toEqual([
    before,
    [undefined, undefined, undefined],
  ]);
  await second.root.drive();
  expect(next.log.toSorted()).toEqual(['recover deaf', 'recover listening', 'recover sleeping']);
});

test('a commit that was admitted before the close lands, one after it is rejected; for a running call that is no fault [6.4-3]', async () => {
  const scripts = new Scripts();
  const gate = new Gate();
  const codes: string[] = [];
  const kind = scripts.kind('late', {
    execute: running(async (task, context) => {
      await gate.pass();
      const late = context.commit((tx) => tx.settle(task.id, 'done'));
      await late.catch((error: unknown) => codes.push((error as { readonly code: string }).code));
      await late;
    }),
  });
  const { barrier, around } = barriers();
  const opened = await Opened.open(onTestFinished, [kind], { around });
  const id = await opened.task(kind, 'a');
  void opened.root.drive();
  await gate.reached;
  const held = barrier().hold();
  const admitted = [opened.task(kind, 'b'), opened.task(kind, 'c')];
  await held.reached;
  const closing = opened.engine.close();
  const late = opened.task(kind, 'd');
  await expect(late).rejects.toMatchObject({ code: 'closed' });
  gate.open();
  held.open();
  await Promise.all([...admitted, closing]);
  expect([codes, opened.reports]).toEqual([['closed'], []]);
  const second = await opened.again([kind]);
  expect(second.engine.liveTasks().map(({ state, status }) => [(state as { name: string }).name, status])).toEqual([
    ['a', 'running'],
    ['b', 'waiting'],
    ['c', 'waiting'],
  ]);
  expect(second.status(id)).toBe('running');
});

test('a call that was about to start when the session closed does not start [6.4-5]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('step');
  const opened = await Opened.open(onTestFinished, [kind]);
  await opened.task(kind, 'a');
  const drive = opened.root.drive();
  for (let i = 0; i < 100 && opened.engine.running.length === 0; i++) await Promise.resolve();
  await opened.engine.close();
  expect([await drive, scripts.log]).toEqual(['closed', []]);
  const second = await opened.again([kind]);
  expect(await second.root.drive()).toBe('idle');
});

test('shutting down marks all live work, empties all inboxes, settles what is cancelled, then closes [6.4-6]', async () => {
  const scripts = new Scripts();
  const gates = new Map(['front', 'job', 'child'].map((name) => [name, new Gate()]));
  const kind = scripts.kind('step', {
    execute: running(async (task, { signal }) => gates.get(task.state.name)?.pass(signal)),
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  const { engine, root } = opened;
  const front = await opened.task(kind, 'front');
  const behind = await opened.task(kind, 'behind', { after: [front] });
  const job = await opened.task(kind, 'job', { background: true });
  const { child, inChild } = await root.commit((tx) => {
    const conversation = tx.createConversation({ owner: job });
    return { child: conversation, inChild: tx.in(conversation).task(kind, { state: { name: 'child' } }) };
  });
  const fork = await root.fork('start');
  const inFork = await fork.commit((tx) => tx.task(kind, { state: { name: 'never driven' } }));
  for (const mode of ['write', 'steer', 'followUp', 'nextRun'] satisfies InboxMode[])
    for (const conversation of [root, engine.conversation(child), fork])
      await conversation?.list(inbox).append({ mode, message: mode });
  const drive = root.drive();
  await Promise.all([...gates.values()].map(async (gate) => gate.reached));
  await engine.shutdown();
  expect(['idle', 'closed']).toContain(await drive);
  expect(opened.reports).toEqual([]);
  const second = await opened.again([kind]);
  const tasks = [front, behind, job, inChild, inFork].map((id) => second.engine.getTask(id));
  expect(tasks.map((task) => [task?.status, task?.abort])).toEqual(tasks.map(() => ['aborted', true]));
  expect([root.id, child, fork.id].map((id) => second.engine.conversation(id)?.list(inbox).read().items)).toEqual([[], [], []]);
});

test('a session that shuts down takes no new work from anybody, and lets what is cancelled write its outcome [6.4-6]', async () => {
  const scripts = new Scripts();
  const cleaning = new Gate();
  const codes: string[] = [];
  const refused = async (work: Promise<unknown>) =>
    work.catch((error: unknown) => codes.push((error as { readonly code: string }).code));
  const kind = scripts.kind('step', {
    abort: async (task, context) => {
      await cleaning.pass();
      await refused(context.conversation()?.list(inbox).append({ mode: 'steer', message: 'x' }) ?? Promise.resolve());
      await context.commit((tx) => {
        tx.entry(note, { text: 'cut short' });
        tx.settle(task.id, 'aborted');
      });
    },
  });
  const { barrier, around } = barriers();
  const opened = await Opened.open(onTestFinished, [kind], { around });
  const first = await opened.task(kind, 'a');
  // Admitted before the shutdown, behind a commit that the disk holds: it lands, and is cancelled with the rest.
  const held = barrier().hold();
  const admitted = [opened.root.commit((tx) => tx.entry(note, { text: 'held' })), opened.task(kind, 'b')] as const;
  await held.reached;
  const shutdown = opened.engine.shutdown();
  const behind = refused(opened.task(kind, 'c'));
  held.open();
  await cleaning.reached;
  await behind;
  await refused(opened.root.list(inbox).append({ mode: 'nextRun', message: 'x' }));
  await opened.root.commit((tx) => tx.entry(note, { text: 'no work' }));
  cleaning.open();
  await shutdown;
  await refused(opened.root.commit((tx) => tx.entry(note, { text: 'closed' })));
  expect(codes).toEqual(['closed', 'closed', 'closed', 'closed', 'closed']);
  const second = await opened.again([kind]);
  expect([first, await admitted[1]].map((id) => second.status(id))).toEqual(['aborted', 'aborted']);
  expect(second.root.entries({ limit: 9 }).items.map((entry) => (note.is(entry) ? entry.content.text : ''))).toEqual([
    'held',
    'no work',
    'cut short',
    'cut short',
  ]);
});

test('a shutdown that cannot settle something closes all the same and says what [6.4-6]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('stubborn', { abort: async () => undefined });
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [kind, quick]);
  const id = await opened.task(kind, 'a');
  const other = await opened.task(quick, 'b');
  await expect(opened.engine.shutdown()).rejects.toMatchObject({ name: 'TaskPoisoned', tasks: [id] });
  await expect(opened.task(quick, 'c')).rejects.toMatchObject({ code: 'closed' });
  const second = await opened.again([kind, quick]);
  expect([second.engine.getTask(id)?.abort, second.status(other)]).toEqual([true, 'aborted']);
});

test('a conversation is not deleted while its tree has live work; deleted, it takes nothing new, and forks keep what they inherit [6.4-7] [6.4-8] [6.4-9]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('step');
  const opened = await Opened.open(onTestFinished, [kind]);
  const { engine } = opened;
  const { top, child, owner, work, at } = await engine.commit((tx) => {
    const conversation = tx.createConversation();
    const entry = tx.entry(note, conversation, { text: 'inherited' });
    const task = tx.task(kind, { conversationId: conversation, state: { name: 'owner' } });
    const owned = tx.createConversation({ owner: task });
    tx.settle(task, 'done');
    const inner = tx.task(kind, { conversationId: owned, state: { name: 'job' }, background: true });
    return { top: conversation, child: owned, owner: task, work: inner, at: entry };
  });
  const fork = await engine.fork(top, at);
  await engine.commit((tx) => tx.entry(note, top, { text: 'not inherited' }));
  await expect(engine.deleteConversation(top)).rejects.toMatchObject({ code: 'liveWork' });
  await engine.abortTask(work);
  await expect(engine.deleteConversation(child)).rejects.toMatchObject({ code: 'liveWork' });
  expect(await engine.drive()).toBe('idle');
  const handle = engine.conversation(top);
  await engine.deleteConversation(top);
  expect([engine.conversation(top), engine.conversation(child)]).toEqual([undefined, undefined]);
  const code = 'unknownConversation';
  await expect(engine.deleteConversation(top)).rejects.toMatchObject({ code });
  const state = { name: 'new' };
  await expect(handle?.commit((tx) => tx.task(kind, { state }))).rejects.toMatchObject({ code });
  await expect(handle?.commit((tx) => tx.entry(note, { text: 'new' }))).rejects.toMatchObject({ code });
  await expect(handle?.list(inbox).append({ mode: 'write', message: 'new' })).rejects.toMatchObject({ code });
  await expect(handle?.abort()).rejects.toMatchObject({ code });
  await expect(engine.fork(top, at)).rejects.toMatchObject({ code });
  await expect(engine.commit((tx) => tx.createConversation({ owner }))).rejects.toMatchObject({ code });
  expect(await handle?.drive()).toBe('idle');
  const { engine: next } = await opened.again([kind]);
  expect(next.contextMessages(fork.id)).toEqual(['inherited']);
  expect(next.conversations().items.map(({ id }) => id)).toEqual([opened.root.id, fork.id]);
});

function barriers() {
  let barrier: Barrier | undefined;
  return {
    around: (storage: Storage): Storage => (barrier = new Barrier(storage)).storage,
    barrier: (): Barrier => {
      if (barrier === undefined) throw new Error('not opened yet');
      return barrier;
    },
  };
}

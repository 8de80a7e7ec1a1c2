/** Collapsing and resetting by hand, and forks that leave a point behind (engine specification 2.3, 8.4, 9.1). */
import { expect, onTestFinished, test } from 'vitest';
import { assistantKind, summaryKind, userKind } from './built-in/entry-kinds.ts';
import { collapseIn } from './collapse.ts';
import type { Id } from './records.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { textOf } from './testing/agent-kinds.ts';
import type { AgentScript } from './testing/agent-kinds.ts';

async function started(script: Partial<AgentScript> = {}) {
  const session = new AgentSession(onTestFinished, { model: echo, ...script });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}
const words = (text: string) => ({ content: [{ type: 'text' as const, text }] });

test('collapsing creates one background task with what it will replace; asked again, it is the same one [9.1-9]', async () => {
  const { engine, root } = await started();
  const answer = await root.commit((tx) => (tx.entry(userKind, words('one')), tx.entry(assistantKind, words('a1'))));
  const open = await root.write('two');
  const before = engine.lastSeq;
  const task = await root.collapse({ instructions: 'keep the names' });
  expect(task).toBe(before + 1);
  expect(engine.getTask(task)).toEqual({
    id: task,
    conversationId: root.id,
    kind: 'collapse',
    status: 'planned',
    background: true,
    after: [],
    state: {
      reason: 'manual',
      through: answer,
      retainFrom: 'entryId' in open ? open.entryId : undefined,
      instructions: 'keep the names',
    },
  });
  expect(await root.collapse()).toBe(task);
  expect(await root.commit((tx) => [collapseIn(tx), collapseIn(tx)])).toEqual([task, task]);
  expect(engine.lastSeq).toBe(before + 1);
  await engine.drive();
  expect(engine.getTask(task)?.status).toBe('done');
  await root.prompt('three');
  expect(await root.collapse()).not.toBe(task);
});

test('two collapses asked for in one commit are one', async () => {
  const { root } = await started();
  await root.prompt('one');
  const [first, second] = await root.commit((tx) => [collapseIn(tx), collapseIn(tx)]);
  expect(second).toBe(first);
});

test('a collapse replaces what is complete; what is appended while it runs stays in the context [2.3-3]', async () => {
  const gate = new Gate();
  const { engine, root } = await started({
    summarize: async (replaced, signal) => {
      await gate.pass(signal);
      return replaced.map(({ entry }) => textOf(entry)).join(', ');
    },
  });
  await root.prompt('one');
  const task = await root.collapse();
  const all = engine.drive();
  await gate.arrived(1);
  await root.prompt('two');
  gate.open();
  await all;
  expect(engine.getTask(task)?.status).toBe('done');
  expect(root.contextEntries().map(({ entry }) => textOf(entry))).toEqual(['one, to one', 'two', 'to two']);
  expect(transcript(root)).toHaveLength(5);
});

test('a collapse behind a summary takes the retained exchanges too and names the head it builds on', async () => {
  const { engine, root } = await started();
  const [head, answer] = await root.commit((tx) => {
    tx.entry(userKind, words('1'));
    tx.entry(assistantKind, words('a1'));
    const second = tx.entry(userKind, words('2'));
    const a2 = tx.entry(assistantKind, words('a2'));
    return [tx.entry(summaryKind, { text: 'the first', retainFrom: second }), a2] as const;
  });
  const task = await root.collapse();
  expect(engine.getTask(task)?.state).toEqual({ reason: 'manual', through: answer, retainFrom: head, head });
  await engine.drive();
  expect(engine.getTask(task)?.status).toBe('done');
  expect(root.contextMessages()).toEqual([{ role: 'user', content: [{ type: 'text', text: '3 entries' }] }]);
});

test.each<[string, (root: Awaited<ReturnType<typeof started>>['root']) => Promise<unknown>]>([
  ['nothing was said', async () => undefined],
  ['a prompt is open', async (root) => root.write('one')],
  ['everything was left behind', async (root) => (await root.prompt('one'), root.reset())],
])('where %s there is nothing to collapse, and no task is made', async (_state, prepare) => {
  const { engine, root } = await started();
  await prepare(root);
  const before = engine.lastSeq;
  await expect(root.collapse()).rejects.toMatchObject({ code: 'exchange' });
  expect(engine.lastSeq).toBe(before);
});

test('a reset leaves the context empty or with a message, cancels nothing and asks for nothing [9.1-10] [2.3-4] [2.3-6]', async () => {
  const { engine, root } = await started();
  await root.accept('one');
  const live = engine.liveTasks();
  await root.reset();
  expect(root.contextMessages()).toEqual([]);
  await root.reset('go on with the parser');
  expect(root.contextMessages()).toEqual([{ role: 'user', content: [{ type: 'text', text: 'go on with the parser' }] }]);
  expect(engine.liveTasks()).toEqual(live);
  expect(transcript(root)).toEqual(['user: one', 'reset: ', 'handoff: go on with the parser']);
});

test('going back to a point cancels the foreground of the source in the commit of the fork [9.1-11]', async () => {
  const gate = new Gate();
  const { engine, root } = await started({
    model: async (request) => {
      if (request.messages.length > 1) await gate.pass(request.signal);
      return echo(request);
    },
  });
  const answer = await root.prompt('one');
  const running = root.prompt('two');
  await gate.arrived(1);
  await root.followUp('three');
  await root.nextRun('four');
  const [live] = engine.liveTasks();
  const before = engine.lastSeq;
  const fork = await root.fork(answer?.id ?? 0, { abort: true });
  expect(fork.id).toBe(before + 1);
  expect(await running).toBeUndefined();
  expect(engine.getTask(live?.id ?? 0)).toMatchObject({ status: 'aborted', abort: true });
  expect(transcript(root)).toEqual(['user: one', 'assistant: to one', 'user: two']);
  expect(transcript(fork)).toEqual(['user: one', 'assistant: to one']);
});

test('a plain fork leaves its source at work [2.5-2]', async () => {
  const { engine, root } = await started();
  const accepted = await root.accept('one');
  const id: Id = 'entryId' in accepted ? accepted.entryId : 0;
  const fork = await root.fork(id);
  expect(engine.liveTasks()).toMatchObject([{ conversationId: root.id }]);
  expect(await fork.drive()).toBe('idle');
  expect(engine.liveTasks()).toHaveLength(1);
  expect(engine.liveTasks()[0]).not.toHaveProperty('abort');
});

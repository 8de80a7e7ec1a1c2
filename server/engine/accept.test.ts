/** Input to a conversation, idle and busy (engine specification 8.1, 9.1). */
import { expect, onTestFinished, test } from 'vitest';
import { acceptIn } from './accept.ts';
import { builtInEntryKinds, userKind } from './built-in/entry-kinds.ts';
import type { Message } from './built-in/messages.ts';
import type { ConversationHandle } from './conversation.ts';
import { Engine } from './engine.ts';
import { inbox } from './inbox.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { agent } from './testing/agent-kinds.ts';

async function started() {
  const session = new AgentSession(onTestFinished, { model: echo });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}

/** A conversation whose generation waits in its model. */
async function busy() {
  const gate = new Gate();
  const session = new AgentSession(onTestFinished, {
    model: async (request) => {
      await gate.pass(request.signal);
      return echo(request);
    },
  });
  const engine = await session.open();
  const root = await engine.root();
  await root.accept('first');
  const driving = root.drive();
  await gate.arrived(1);
  return { session, engine, root, gate, driving };
}

function waiting(conversation: ConversationHandle<Message>): readonly string[] {
  const items = conversation.list(inbox).read().items;
  return items.map(({ value }) => `${value.mode}: ${JSON.stringify(value.message)}`);
}
const text = (said: string) => JSON.stringify({ content: [{ type: 'text', text: said }] });

test('an idle conversation gets the entry and a foreground generation in one commit [8.1-2]', async () => {
  const { engine, root } = await started();
  const before = engine.lastSeq;
  expect(await root.accept('Inspect')).toEqual({ entryId: before + 1 });
  expect(engine.lastSeq).toBe(before + 2);
  expect(engine.getEntry(userKind, before + 1)?.content).toEqual({ content: [{ type: 'text', text: 'Inspect' }] });
  expect(engine.getTask(before + 2)).toEqual({
    id: before + 2,
    conversationId: root.id,
    kind: 'generation',
    status: 'pending',
    state: { input: before + 1, config: {} },
    after: [],
  });
});

test('input that is content is the content of the entry', async () => {
  const { engine, root } = await started();
  const content = { content: [{ type: 'image', mimeType: 'image/png', url: 'file:///home/user/shop/a.png' }], from: 'a paste' };
  const acceptance = await root.accept(content);
  expect('entryId' in acceptance ? engine.getEntry(acceptance.entryId)?.content : undefined).toEqual(content);
});

test('a busy conversation keeps the input in its inbox, outside the transcript, until its final answer [8.1-1] [8.1-3]', async () => {
  const { engine, root, gate, driving } = await busy();
  expect(root.isBusy).toBe(true);
  const acceptance = await root.accept('second');
  expect(acceptance).toEqual({ queued: engine.lastSeq });
  expect(waiting(root)).toEqual([`followUp: ${text('second')}`]);
  expect(transcript(root)).toEqual(['user: first']);
  gate.open();
  await gate.arrived(2);
  expect(waiting(root)).toEqual([]);
  gate.open();
  await driving;
  expect(transcript(root)).toEqual(['user: first', 'assistant: to first', 'user: second', 'assistant: to second']);
  expect([engine.liveTasks(), root.isBusy]).toEqual([[], false]);
  expect(await root.accept('third')).toMatchObject({ entryId: expect.any(Number) as number });
});

test('background work keeps nobody busy [8.1-1]', async () => {
  const { engine, root } = await started();
  await root.commit((tx) => tx.task(engine.taskKind('generation'), { state: { input: 0 }, background: true }));
  expect(await root.accept('Inspect')).toMatchObject({ entryId: expect.any(Number) as number });
});

test('steering and following up an idle conversation accept, a busy one queues by mode [8.1-2] [8.1-3]', async () => {
  const { root } = await started();
  expect(await root.steer('steered')).toHaveProperty('entryId');
  expect(await root.followUp('followed')).toHaveProperty('queued');
  expect(await root.accept('in a hurry', { whenBusy: 'steer' })).toHaveProperty('queued');
  expect(await root.steer('again')).toHaveProperty('queued');
  expect(transcript(root)).toEqual(['user: steered']);
  expect(waiting(root)).toEqual([`followUp: ${text('followed')}`, `steer: ${text('in a hurry')}`, `steer: ${text('again')}`]);
});

test('writing to an idle conversation appends the entry and asks for no generation [8.1-12]', async () => {
  const { engine, root } = await started();
  await root.nextRun('for later');
  expect(await root.write('noted')).toHaveProperty('entryId');
  expect(transcript(root)).toEqual(['user: noted']);
  expect(engine.liveTasks()).toEqual([]);
  expect(waiting(root)).toHaveLength(1);
});

test('what is for the next run waits in an idle conversation too, and lands oldest first before the next input [8.1-9]', async () => {
  const { engine, root } = await started();
  expect(await root.nextRun('one')).toHaveProperty('queued');
  await root.nextRun('two');
  expect(transcript(root)).toEqual([]);
  const before = engine.lastSeq;
  await root.accept('go');
  expect(transcript(root)).toEqual(['user: one', 'user: two', 'user: go']);
  expect(engine.entries(root.id, { limit: 9 }).items.map(({ id }) => id > before)).toEqual([true, true, true]);
  const [generation, ...others] = engine.liveTasks();
  expect([others, generation?.state]).toEqual([
    [],
    { input: engine.entries(root.id, { before: 1e9, limit: 1 }).items[0]?.id, config: {} },
  ]);
  expect(waiting(root)).toEqual([]);
});

test('the next run is not the follow-up of this one: what waits for it stays when input is queued [8.1-9]', async () => {
  const { root, gate, driving } = await busy();
  await root.nextRun('for the next run');
  await root.followUp('second');
  gate.open();
  await gate.arrived(2);
  gate.open();
  await driving;
  expect(transcript(root)).toEqual(['user: first', 'assistant: to first', 'user: second', 'assistant: to second']);
  expect(waiting(root)).toEqual([`nextRun: ${text('for the next run')}`]);
});

test('the inbox survives a restart and goes into no fork [8.1-4]', async () => {
  const { session, root } = await started();
  const acceptance = await root.accept('first');
  await root.steer('second');
  const fork = await root.fork('entryId' in acceptance ? acceptance.entryId : 'start');
  expect(waiting(fork)).toEqual([]);
  const again = await session.reopen();
  const reopened = await again.root();
  expect(waiting(reopened)).toEqual([`steer: ${text('second')}`]);
  await reopened.drive();
  expect(transcript(reopened)).toEqual(['user: first', 'assistant: to first', 'user: second', 'assistant: to second']);
});

test('several inputs of one commit: the first makes the conversation busy, the others queue', async () => {
  const { engine, root } = await started();
  const accepted = await root.commit((tx) => [acceptIn(tx, 'one'), acceptIn(tx, 'two'), acceptIn(tx, 'three', 'steer')]);
  expect(accepted.map((acceptance) => Object.keys(acceptance)[0])).toEqual(['entryId', 'queued', 'queued']);
  expect(engine.liveTasks().map(({ kind }) => kind)).toEqual(['generation']);
});

test('a run that is settled and followed by input in one commit does not leave the input behind', async () => {
  const { engine, root } = await started();
  await root.accept('one');
  const [generation] = engine.liveTasks();
  const acceptance = await root.commit((tx) => {
    tx.settle(generation?.id ?? 0, 'failed');
    return acceptIn(tx, 'two');
  });
  expect(acceptance).toHaveProperty('entryId');
  expect(engine.liveTasks()).toHaveLength(1);
});

test.each<[string, (conversation: ConversationHandle<Message>) => Promise<unknown>, string]>([
  ['accept', async (root) => root.accept('x'), 'generation'],
  ['steer', async (root) => root.steer('x'), 'generation'],
  ['collapse', async (root) => root.collapse(), 'collapse'],
  ['spawn', async (root) => root.spawn({ prompt: 'x', context: 'fresh' }), 'generation'],
])('%s needs a kind of task that nobody registered, says which, and writes nothing', async (_name, ask, missing) => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const engine = await session.open(session.storage, { taskKinds: [] });
  const root = await engine.root();
  const before = engine.lastSeq;
  await expect(ask(root)).rejects.toMatchObject({
    code: 'unknownKind',
    message: expect.stringContaining(`"${missing}"`) as string,
  });
  expect(engine.lastSeq).toBe(before);
  await expect(root.write('noted')).resolves.toHaveProperty('entryId');
});

test('input that no generation would ever take up is not queued either', async () => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const work = { kind: 'work', initialStatus: 'pending', roles: { pending: 'start', done: 'terminal' } } as const;
  const root = await (await session.open(session.storage, { taskKinds: [work] })).root();
  await root.commit((tx) => tx.task(work, { state: {} }));
  expect(root.isBusy).toBe(true);
  await expect(root.accept('x')).rejects.toMatchObject({ code: 'unknownKind' });
  expect(waiting(root)).toEqual([]);
});

test('input to a conversation that was deleted is refused', async () => {
  const { engine } = await started();
  const other = await engine.commit((tx) => tx.createConversation());
  const handle = engine.conversation(other);
  await engine.commit((tx) => tx.deleteConversation(other));
  for (const ask of [handle?.accept('x'), handle?.write('x'), handle?.nextRun('x')])
    await expect(ask).rejects.toMatchObject({ code: 'unknownConversation' });
});

test("a host's own kind under the name of the generation is what input creates [9.5-2] [9.5-3]", async () => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const { taskKinds } = agent({ model: () => 'of the replacement' });
  const engine = await session.open(session.storage, { taskKinds: [...agent({ model: echo }).taskKinds, ...taskKinds] });
  const root = await engine.root();
  expect(engine.taskKind('generation')).toBe(taskKinds[0]);
  await root.prompt('hello');
  expect(transcript(root)).toEqual(['user: hello', 'assistant: of the replacement']);
});

test('the entry kinds of a session are those of the host laid over the built-in ones [2.1-16]', async () => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const engine = await Engine.open<Message>(session.storage, { entryKinds: [], taskKinds: [] });
  const root = await engine.root();
  await root.write('noted');
  await root.reset('go on here');
  expect(transcript(root)).toEqual(['user: noted', 'handoff: go on here']);
  expect(builtInEntryKinds<Message>().map(({ kind }) => kind)).toContain('user');
});

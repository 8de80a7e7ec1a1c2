/** What handles and the engine read and write outside commits (engine specification 5.2, 9.1). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, sessionList, sessionValue } from './address.ts';
import { assistantKind, userKind } from './built-in/entry-kinds.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { agentConfig, frames } from './testing/agent-kinds.ts';

async function started() {
  const session = new AgentSession(onTestFinished, { model: echo });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}
const plan = conversationValue<string>('shop.plan', { rewind: true });
const expanded = conversationValue<boolean>('shop.expanded', { rewind: false });
const moves = conversationList<string>('shop.moves', { rewind: true });
const words = (text: string) => ({ content: [{ type: 'text' as const, text }] });

test('the root is made by asking for it in an empty session, once, with its values, in one commit [9.1-1]', async () => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const rootValues = [
    [agentConfig.model, 'large'],
    [expanded, true],
  ] as const;
  const engine = await session.open(session.storage, { rootValues });
  expect(engine.lastSeq).toBe(0);
  const [root, same] = await Promise.all([engine.root(), engine.root()]);
  expect([root.id, same.id, engine.lastSeq]).toEqual([1, 1, 3]);
  expect([root.settings.get(), root.value(expanded).get()]).toEqual([{ model: 'large' }, true]);
  await root.settings.set({ model: 'small' });
  const again = await session.reopen({ rootValues });
  expect((await again.root()).settings.get()).toEqual({ model: 'small' });
  expect(again.lastSeq).toBe(4);
});

test('a conversation that is not there, or not any more, has no handle [9.1-2]', async () => {
  const { engine, root } = await started();
  const other = await root.fork('start');
  expect([engine.conversation(999), engine.conversation(other.id)?.id]).toEqual([undefined, other.id]);
  await engine.commit((tx) => tx.deleteConversation(other.id));
  expect([engine.conversation(other.id), other.snapshot()]).toEqual([undefined, undefined]);
});

test('a fork has what rewinds as it was there, what is sticky where selected, the session, and no scratch [4.3-4]', async () => {
  const { engine, root } = await started();
  const name = sessionValue<string>('shop.name');
  await engine.value(name).set('shop');
  await root.value(expanded).set(true);
  await root.value(agentConfig.budgetMs).set(7);
  const { at, task } = await root.commit((tx) => {
    tx.value(plan).set('there');
    tx.list(moves).append('one');
    const background = tx.task(engine.taskKind('generation'), { state: { input: 0 }, background: true });
    return { at: tx.entry(userKind, words('one')), task: background };
  });
  await engine.scratch(task, (scratch) => scratch.list(bound(frames, task)).append('working'));
  await root.value(plan).set('later');
  const fork = await root.fork(at, { values: { inherit: [expanded], set: [[agentConfig.model, 'small']] } });
  expect([
    fork.value(plan).get(),
    fork
      .list(moves)
      .read()
      .items.map(({ value }) => value),
  ]).toEqual(['there', ['one']]);
  expect([fork.value(expanded).get(), fork.settings.get()]).toEqual([true, { model: 'small' }]);
  expect(engine.value(name).get()).toBe('shop');
  expect(engine.tasks({ conversationIds: [fork.id], limit: 9 }).items).toEqual([]);
  expect(engine.readList(bound(frames, task)).items).toHaveLength(1);
});

test('the engine reads and writes state of the session, each write a commit [9.1-12] [4.2-1] [4.2-2]', async () => {
  const { engine } = await started();
  const name = engine.value(sessionValue<string>('shop.name'));
  const log = engine.list(sessionList<string>('shop.log'));
  const before = engine.lastSeq;
  expect([name.get(), name.version()]).toEqual([undefined, undefined]);
  await name.set('shop');
  expect([name.get(), name.version()]).toEqual(['shop', { seq: before + 1, value: 'shop' }]);
  const [first, second] = [await log.append('one'), await log.append('two')];
  expect([first, second]).toEqual([before + 2, before + 3]);
  expect(log.read({ after: first }).items).toEqual([{ id: second, value: 'two' }]);
  await log.remove(first);
  await name.delete();
  expect([name.get(), log.read().items.map(({ value }) => value)]).toEqual([undefined, ['two']]);
  await log.clear();
  expect(log.read().items).toEqual([]);
  expect(engine.lastSeq).toBe(before + 6);
});

test('a handle reads and writes state of its own conversation, now and as of an entry [9.1-12] [4.1-4]', async () => {
  const { engine, root } = await started();
  const other = await root.fork('start');
  await root.value(plan).set('before');
  await root.list(moves).append('one');
  const at = await root.commit((tx) => tx.entry(userKind, words('one')));
  await root.value(plan).set('after');
  await root.value(expanded).set(true);
  await root.list(moves).append('two');
  expect([root.value(plan).get(), root.value(plan).get(at), root.value(plan).version(at)?.value]).toEqual([
    'after',
    'before',
    'before',
  ]);
  expect(
    root
      .list(moves)
      .read({ at })
      .items.map(({ value }) => value),
  ).toEqual(['one']);
  expect(root.list(moves).read({ limit: 1 })).toMatchObject({ items: [{ value: 'one' }], next: expect.any(Number) as number });
  expect([other.value(plan).get(), other.value(expanded).get(), other.list(moves).read().items]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(() => root.value(expanded).get(at)).toThrow(expect.objectContaining({ code: 'notRewindable' }));
  expect(engine.conversation(root.id)?.value(expanded).get()).toBe(true);
});

test('the settings of a handle are the configuration of the registered generation [9.1-13]', async () => {
  const { session, root } = await started();
  await root.settings.set({ model: 'large', budgetMs: 5 });
  expect([root.settings.get(), root.value(agentConfig.model).get()]).toEqual([{ model: 'large', budgetMs: 5 }, 'large']);
  await expect(root.settings.set({ colour: 'red' })).rejects.toMatchObject({ code: 'unknownConfig' });
  const replaced = { colour: conversationValue<string>('shop.colour', { rewind: true }) };
  const generation = { kind: 'generation', initialStatus: 'pending', roles: { pending: 'start' }, config: replaced } as const;
  const again = await (await session.reopen({ taskKinds: [generation] })).root();
  await again.settings.set({ colour: 'red' });
  expect(again.settings.get()).toEqual({ colour: 'red' });
});

test('a generation keeps the configuration that its input found, and later changes are for later ones', async () => {
  const { engine, root } = await started();
  await root.settings.set({ model: 'large' });
  await root.accept('one');
  await root.settings.set({ model: 'small' });
  await root.drive();
  await root.accept('two');
  const states = engine.tasks({ kind: 'generation', limit: 9 }).items.map(({ state }) => state);
  expect(states).toMatchObject([{ config: { model: 'large' } }, { config: { model: 'small' } }]);
});

test('without a generation there are no settings', async () => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const root = await (await session.open(session.storage, { taskKinds: [] })).root();
  expect(() => root.settings).toThrow(expect.objectContaining({ code: 'unknownKind' }));
});

test('conversations that no task owns are listed by themselves, in full pages [9.1-3]', async () => {
  const { engine, root } = await started();
  const forks: number[] = [];
  for (let i = 0; i < 3; i++) {
    await root.commit((tx) => {
      const generation = tx.whole.kinds.task('generation');
      const owner = tx.task(generation, { state: { input: 0 }, background: true });
      for (let child = 0; child < 100; child++) tx.createConversation({ owner });
    });
    forks.push((await root.fork('start')).id);
  }
  const [one, two, three] = forks;
  const ids = (query: Parameters<typeof engine.conversations>[0]) => engine.conversations(query).items.map(({ id }) => id);
  expect(ids(undefined)).toEqual([root.id, one, two, three]);
  expect(engine.conversations({ limit: 2 })).toMatchObject({ items: [{ id: root.id }, { id: one }], next: one });
  expect(engine.conversations({ limit: 3 })).toMatchObject({ items: [{ id: root.id }, { id: one }, { id: two }], next: two });
  expect(ids({ after: one ?? 0, limit: 2 })).toEqual([two, three]);
  expect(engine.conversations({ after: one ?? 0, limit: 2 }).next).toBeUndefined();
  expect(ids({ before: three ?? 0, limit: 2 })).toEqual([two, one]);
  expect(ids({ parent: root.id, limit: 9 })).toEqual([one, two, three]);
  expect(ids({ ownedFrom: root.id, limit: 1000 })).toHaveLength(300);
  expect(ids({ limit: 0 })).toEqual([]);
});

test('live work is inspected by role without being driven [6.4-2]', async () => {
  const gate = new Gate();
  const session = new AgentSession(onTestFinished, { model: async ({ signal }) => (await gate.pass(signal), 'done') });
  const engine = await session.open();
  const root = await engine.root();
  await root.accept('one');
  expect(engine.inspect()).toMatchObject({ start: [{ kind: 'generation', status: 'pending' }], inflight: [] });
  const driving = root.drive();
  await gate.arrived(1);
  expect(engine.inspect()).toMatchObject({ start: [], inflight: [{ status: 'streaming' }] });
  gate.open();
  await driving;
  expect(engine.inspect()).toEqual({ start: [], inflight: [] });
});

test('a typed read of another kind is a read of a missing one, untyped it is there and can be narrowed [2.1-19] [2.1-20] [5.2-18]', async () => {
  const { engine, root } = await started();
  const answer = await root.prompt('one');
  const id = answer?.id ?? 0;
  const [task] = engine.tasks({ kind: 'generation', limit: 1 }).items;
  const generation = engine.taskKind('generation');
  expect([engine.getEntry(userKind, id), engine.getEntry(assistantKind, id)?.content.stopReason]).toEqual([undefined, 'stop']);
  const untyped = engine.getEntry(id);
  expect(untyped !== undefined && assistantKind.is(untyped) ? untyped.content.stopReason : undefined).toBe('stop');
  expect([...engine.getEntries(userKind, [id, id - 1]).keys()].includes(id)).toBe(false);
  expect([engine.getTask(generation, task?.id ?? 0)?.id, engine.getTask(engine.taskKind('tool'), task?.id ?? 0)]).toEqual([
    task?.id,
    undefined,
  ]);
  expect([...engine.getTasks(engine.taskKind('tool'), [task?.id ?? 0]).keys()]).toEqual([]);
  const inside = await root.commit((tx) => [
    tx.getEntry(userKind, id) ?? null,
    tx.getTask(generation, task?.id ?? 0)?.id ?? null,
  ]);
  expect(inside).toEqual([null, task?.id]);
});

test('a bound commit says its conversation for entries, tasks and state, and reaches another by name [9.2-9]', async () => {
  const { engine, root } = await started();
  const { child, task } = await root.commit((tx) => {
    tx.value(plan).set('here');
    const created = tx.createConversation();
    tx.in(created).value(plan).set('there');
    tx.entry(userKind, words('one'));
    tx.in(created).entry(userKind, words('two'));
    return { child: created, task: tx.in(created).task(engine.taskKind('generation'), { state: { input: 0 } }) };
  });
  const other = engine.conversation(child);
  expect([root.value(plan).get(), other?.value(plan).get()]).toEqual(['here', 'there']);
  expect([transcript(root), other === undefined ? [] : transcript(other)]).toEqual([['user: one'], ['user: two']]);
  expect(engine.getTask(task)?.conversationId).toBe(child);
});

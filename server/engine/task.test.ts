/** Tasks as records: roles, dependencies, settlement, and conversations they own (engine specification 5). */
import { expect, onTestFinished, test } from 'vitest';
import { end } from './storage.ts';
import { note, record, work } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

async function started() {
  const engine = await new TempSession(onTestFinished).engine();
  return { engine, root: (await engine.root()).id };
}

test('the role follows from the status, and live work is found by it [5.1-2] [6.4-2]', async () => {
  const { engine, root } = await started();
  const [a, b] = await engine.commit((tx) => {
    const first = tx.task(work, { conversationId: root, state: { step: 1 }, background: true });
    return [first, tx.task(work, { conversationId: root, state: { step: 1 }, after: [first] })] as const;
  });
  await engine.commit((tx) => tx.patch<{ step: number; note?: string }>(a, { status: 'running', state: { note: 'begun' } }));
  expect(engine.getTask(work, a)).toEqual({
    id: a,
    conversationId: root,
    kind: 'work',
    status: 'running',
    state: { step: 1, note: 'begun' },
    after: [],
    background: true,
  });
  expect(engine.inspect()).toMatchObject({ start: [{ id: b, after: [a] }], inflight: [{ id: a }] });
  await engine.commit((tx) => tx.settle(a, 'failed'));
  const ids = (query: object) => engine.tasks({ conversationIds: [root], limit: 9, ...query }).items.map((task) => task.id);
  expect([ids({ live: true }), ids({ live: false }), ids({ role: 'terminal' }), ids({ role: 'start' }), ids({})]).toEqual([
    [b],
    [a],
    [a],
    [b],
    [a, b],
  ]);
  expect([ids({ before: end }), ids({ after: a }), ids({ kind: 'record' }), ids({ conversationIds: [] })]).toEqual([
    [b, a],
    [b],
    [],
    [],
  ]);
});

test('a settled task is never changed again [5.1-4]', async () => {
  const { engine, root } = await started();
  const task = await engine.commit((tx) => tx.task(work, { conversationId: root, state: { step: 1 } }));
  await engine.commit((tx) => tx.settle(task, 'done'));
  await expect(engine.commit((tx) => tx.patch(task, { abort: true }))).rejects.toMatchObject({ code: 'taskIsTerminal' });
  await expect(engine.commit((tx) => tx.settle(task, 'failed'))).rejects.toMatchObject({ code: 'taskIsTerminal' });
});

test('a final status is for settling, any other for patching, an unknown one for nothing [9.2-8]', async () => {
  const { engine, root } = await started();
  const task = await engine.commit((tx) => tx.task(work, { conversationId: root, state: { step: 1 } }));
  await expect(engine.commit((tx) => tx.patch(task, { status: 'done' }))).rejects.toMatchObject({ code: 'unknownStatus' });
  await expect(engine.commit((tx) => tx.settle(task, 'running'))).rejects.toMatchObject({ code: 'unknownStatus' });
  await expect(engine.commit((tx) => tx.patch(task, { status: 'constructor' }))).rejects.toMatchObject({ code: 'unknownStatus' });
});

test('two changes of one task in one commit both count [9.2-7]', async () => {
  const { engine, root } = await started();
  const task = await engine.commit((tx) => {
    const id = tx.task(work, { conversationId: root, state: { step: 1 } });
    tx.patch<{ step: number; note?: string }>(id, { state: { note: 'kept' } });
    tx.patch<{ step: number }>(id, { state: { step: 2 }, status: 'running' });
    return id;
  });
  expect(engine.getTask(task)).toMatchObject({ status: 'running', state: { step: 2, note: 'kept' } });
});

test('work that was done elsewhere is recorded as terminal and owns the conversation it made [5.7-1] [7.2-13]', async () => {
  const { engine, root } = await started();
  const { child, task } = await engine.commit((tx) => {
    const created = tx.createConversation();
    tx.entry(note, created, { text: 'what the child did' });
    return { child: created, task: tx.task(record, { conversationId: root, state: { what: 'search' }, owns: [created] }) };
  });
  expect(engine.conversation(child)?.snapshot()).toEqual({ id: child, owner: task });
  expect(engine.getTask(task)).toMatchObject({ status: 'recorded', owns: [child] });
  expect(engine.conversations({ ownedFrom: root, limit: 9 }).items.map((c) => c.id)).toEqual([child]);
  const later = await engine.commit((tx) => tx.createConversation({ owner: task }));
  expect(engine.getTask(task)?.owns).toEqual([child, later]);
});

test('a child can inherit a transcript and be owned as well', async () => {
  const { engine, root } = await started();
  const at = await engine.commit((tx) => tx.entry(note, root, { text: 'shared' }));
  const child = await engine.commit((tx) => {
    const task = tx.task(record, { conversationId: root, state: { what: 'fork' } });
    return tx.createConversation({ owner: task, parent: { conversationId: root, at } });
  });
  expect(engine.contextMessages(child)).toEqual(['shared']);
  expect(engine.conversations({ ownedFrom: root, parent: root, limit: 9 }).items.map((c) => c.id)).toEqual([child]);
  expect(engine.conversations({ ownedFrom: root, parent: child, limit: 9 }).items).toEqual([]);
});

test('a conversation has one owner, made in its own commit, and never itself [5.7-2] [5.7-3]', async () => {
  const { engine, root } = await started();
  const old = await engine.commit((tx) => tx.createConversation());
  await expect(
    engine.commit((tx) => tx.task(record, { conversationId: root, state: { what: 'x' }, owns: [old] })),
  ).rejects.toMatchObject({ code: 'ownership' });
  const twice = engine.commit((tx) => {
    const created = tx.createConversation();
    tx.task(record, { conversationId: root, state: { what: 'x' }, owns: [created] });
    tx.task(record, { conversationId: root, state: { what: 'y' }, owns: [created] });
  });
  await expect(twice).rejects.toMatchObject({ code: 'ownership' });
  const circle = engine.commit((tx) => {
    const created = tx.createConversation();
    tx.task(record, { conversationId: created, state: { what: 'x' }, owns: [created] });
  });
  await expect(circle).rejects.toMatchObject({ code: 'ownership' });
});

test('a task waits only for tasks of its own ownership tree [5.4-4]', async () => {
  const { engine, root } = await started();
  const { inChild, elsewhere } = await engine.commit((tx) => {
    const owner = tx.task(work, { conversationId: root, state: { step: 1 } });
    const child = tx.createConversation({ owner });
    const other = tx.createConversation();
    const state = { step: 1 };
    return {
      inChild: tx.task(work, { conversationId: child, state }),
      elsewhere: tx.task(work, { conversationId: other, state }),
    };
  });
  await engine.commit((tx) => tx.task(work, { conversationId: root, state: { step: 2 }, after: [inChild] }));
  await expect(
    engine.commit((tx) => tx.task(work, { conversationId: root, state: { step: 2 }, after: [elsewhere] })),
  ).rejects.toMatchObject({
    code: 'foreignDependency',
  });
});

test('a conversation is not deleted while its ownership tree has live work; then it goes with what it owns [6.4-7]', async () => {
  const { engine, root } = await started();
  const { top, child, task } = await engine.commit((tx) => {
    const conversation = tx.createConversation();
    const owner = tx.task(record, { conversationId: conversation, state: { what: 'x' } });
    const owned = tx.createConversation({ owner });
    return { top: conversation, child: owned, task: tx.task(work, { conversationId: owned, state: { step: 1 } }) };
  });
  await expect(engine.commit((tx) => tx.deleteConversation(top))).rejects.toMatchObject({ code: 'liveWork' });
  await engine.commit((tx) => {
    tx.settle(task, 'done');
    tx.deleteConversation(top);
  });
  expect(engine.conversations().items.map((c) => c.id)).toEqual([root]);
  expect([...engine.getConversations([top, child]).keys()]).toEqual([]);
});

test('a conversation is not deleted in the commit that gives it a child', async () => {
  const { engine, root } = await started();
  const task = await engine.commit((tx) => tx.task(record, { conversationId: root, state: { what: 'x' } }));
  const orphaning = engine.commit((tx) => {
    tx.createConversation({ owner: task });
    tx.deleteConversation(root);
  });
  await expect(orphaning).rejects.toMatchObject({ code: 'ownership' });
});

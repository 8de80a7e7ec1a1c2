/** Tasks and their kinds: records, statuses, typed reads, and what a call is given (engine specification 5.1, 5.2). */
import { expect, onTestFinished, test } from 'vitest';
import { scratchList } from './address.ts';
import { Engine } from './engine.ts';
import type { TaskKind } from './kinds.ts';
import { isTask } from './kinds.ts';
import type { Id } from './records.ts';
import type { TaskContext } from './task-context.ts';
import { entryKinds, note, record, taskKinds, work } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

type Call = 'execute' | 'recover' | 'abort';

/** Calls whatever the test says. */
function scripted(calls: Partial<Record<Call, (context: TaskContext, task: Id) => Promise<unknown>>>): TaskKind<null> {
  const call = (name: Call) => async (task: { readonly id: Id }, context: TaskContext) =>
    void (await calls[name]?.(context, task.id));
  return {
    kind: 'scripted',
    initialStatus: 'planned',
    roles: { planned: 'start', running: 'inflight', done: 'terminal', aborted: 'terminal' },
    execute: call('execute'),
    recover: call('recover'),
    abort: call('abort'),
  };
}

async function started(kind: TaskKind<null> = scripted({}), session = new TempSession(onTestFinished)) {
  const engine = await Engine.open<string>(session.store.session('session'), { entryKinds, taskKinds: [...taskKinds, kind] });
  const root = await engine.root();
  return { session, engine, root, plan: async () => root.commit((tx) => tx.task(kind, { state: null })) };
}

test('everything of a task survives reopening, live or settled [5.1-1]', async () => {
  const { session, engine, root } = await started();
  const [first, second, child] = await root.commit((tx) => {
    const one = tx.task(work, { state: { step: 1 } });
    const owned = tx.createConversation();
    const two = tx.task(work, { state: { step: 2 }, after: [one], background: true, owns: [owned] });
    return [one, two, owned] as const;
  });
  await root.commit((tx) => tx.patch<{ step: number; note?: string }>(second, { state: { note: 'n' }, abort: true }));
  const conversationId = root.id;
  const live = { id: second, conversationId, kind: 'work', status: 'pending', state: { step: 2, note: 'n' }, after: [first] };
  const expected = [
    { id: first, conversationId, kind: 'work', status: 'pending', state: { step: 1 }, after: [] },
    { ...live, background: true, owns: [child], abort: true },
  ];
  expect([...engine.getTasks([first, second]).values()]).toEqual(expected);
  session.reopenFile();
  expect([...(await session.engine()).getTasks([first, second]).values()]).toEqual(expected);
  await (await session.engine()).commit((tx) => tx.settle<{ step: number }>(second, 'failed', { step: 3 }));
  session.reopenFile();
  expect((await session.engine()).getTask(second)).toEqual({
    ...expected[1],
    status: 'failed',
    state: { step: 3, note: 'n' },
  });
});

test('live tasks of a scope are found without decoding a state [5.1-3]', async () => {
  const { session, root, plan } = await started();
  const [one, two] = [await plan(), await plan()];
  await root.commit((tx) => tx.settle(one, 'done'));
  session.db.exec("UPDATE engine_tasks SET state = 'not JSON'");
  const storage = session.store.session('session');
  const headers = storage.scanTaskHeaders({ conversationIds: [root.id], live: true, limit: 9 }).items;
  expect(headers).toEqual([{ id: two, conversationId: root.id, kind: 'scripted', status: 'planned', role: 'start', after: [] }]);
  expect(() => storage.getTasks([two])).toThrow(SyntaxError);
});

test('a task begins as its kind says, and never has a status that the kind has not [5.2-1]', async () => {
  const { engine, root, plan } = await started();
  const task = await plan();
  expect(engine.getTask(task)?.status).toBe('planned');
  for (const status of ['thinking', 'toString', '']) {
    await expect(root.commit((tx) => tx.patch(task, { status }))).rejects.toMatchObject({ code: 'unknownStatus' });
    await expect(root.commit((tx) => tx.settle(task, status))).rejects.toMatchObject({ code: 'unknownStatus' });
  }
  const misspelt = { ...work, initialStatus: 'thinking' };
  await expect(root.commit((tx) => tx.task(misspelt, { state: { step: 1 } }))).rejects.toMatchObject({ code: 'unknownStatus' });
});

test('a typed read of another kind is a read of nothing; untyped it is there and can be narrowed [5.2-18]', async () => {
  const { engine, root, plan } = await started();
  const other = await plan();
  const task = await root.commit((tx) => tx.task(work, { state: { step: 7 } }));
  expect([engine.getTask(work, task)?.state.step, engine.getTask(work, other), engine.getTask(work, 999)]).toEqual([
    7,
    undefined,
    undefined,
  ]);
  expect([...engine.getTasks(work, [task, other, 999]).keys()]).toEqual([task]);
  expect([...engine.getTasks([task, other, 999]).keys()].toSorted((a, b) => a - b)).toEqual([other, task]);
  const inside = await root.commit((tx) => [
    tx.getTask(work, task)?.state.step,
    tx.getTask(work, other),
    [...tx.getTasks(work, [task, other]).keys()],
  ]);
  expect(inside).toEqual([7, undefined, [task]]);
  const untyped = engine.getTask(task);
  if (untyped === undefined || !isTask(work, untyped)) throw new Error('it is one');
  expect(untyped.state.step).toBe(7);
});

test('live work of a forgotten kind keeps a session closed, what is done does not [5.2-17]', async () => {
  const { session, root, plan } = await started();
  const task = await plan();
  const open = async () => Engine.open(session.store.session('session'), { entryKinds, taskKinds: [work, record] });
  await expect(open()).rejects.toMatchObject({ code: 'unknownKind', message: expect.stringContaining('scripted') as string });
  await root.commit((tx) => tx.settle(task, 'done'));
  const engine = await open();
  expect(engine.getTask(task)).toMatchObject({ kind: 'scripted', status: 'done' });
  expect(engine.tasks({ limit: 9, kind: 'scripted' }).items).toHaveLength(1);
});

test('a call is given its task and nothing of its host: services come by closure [5.2-16]', async () => {
  const service = { answer: () => 'of the host' };
  const given: (readonly string[])[] = [];
  const { root, plan } = await started(
    scripted({
      execute: async (context, task) => {
        given.push(Object.keys(context).toSorted());
        await context.commit((tx) => {
          tx.entry(note, { text: service.answer() });
          tx.settle(task, 'done');
        });
      },
    }),
  );
  await plan();
  await root.drive();
  expect(root.contextMessages()).toEqual(['of the host']);
  for (const name of ['models', 'tools', 'env']) expect(given[0]).not.toContain(name);
});

test('what a task commits is of its conversation and says that it was the task [5.2-10]', async () => {
  const kind = scripted({
    execute: async (context, task) =>
      context.commit((tx) => {
        tx.entry(note, { text: 'mine' });
        tx.task(work, { state: { step: 1 } });
        tx.settle(task, 'done');
      }),
  });
  const { engine, root } = await started(kind);
  const other = await root.fork('start');
  const task = await other.commit((tx) => tx.task(kind, { state: null }));
  await other.drive({ signal: AbortSignal.timeout(5000) }).catch((error: unknown) => {
    // The work that it made is done elsewhere: nothing here executes it.
    expect(error).toMatchObject({ name: 'TaskPoisoned' });
  });
  expect(other.entries({ limit: 9 }).items).toMatchObject([{ conversationId: other.id, byTaskId: task }]);
  expect(root.entries({ limit: 9 }).items).toEqual([]);
  expect(engine.tasks({ limit: 9, kind: 'work' }).items).toMatchObject([{ conversationId: other.id }]);
});

test('scratch of a call is of its task, and recover reads it after a restart [5.2-11]', async () => {
  const frames = scratchList<string>('frames');
  const [wrote, found] = [Promise.withResolvers<void>(), [] as string[]];
  const kind = scripted({
    execute: async (context, task) => {
      await context.commit((tx) => tx.patch(task, { status: 'running' }));
      await context.scratch((sc) => sc.list(frames).append(`frame of ${task}`));
      wrote.resolve();
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    },
    recover: async (context, task) => {
      found.push(
        ...(await context.scratch((sc) =>
          sc
            .list(frames)
            .read()
            .items.map(({ value }) => value),
        )),
      );
      await context.commit((tx) => tx.settle(task, 'done'));
    },
  });
  const { session, engine, root, plan } = await started(kind);
  const task = await plan();
  const driving = root.drive();
  await wrote.promise;
  await engine.close();
  expect(await driving).toBe('closed');
  session.reopenFile();
  const again = await started(kind, session);
  expect(await again.root.drive()).toBe('idle');
  expect(found).toEqual([`frame of ${task}`]);
});

test('every call has a signal of its own, which the mark and the close fire [5.2-9]', async () => {
  const signals: AbortSignal[] = [];
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = async (context: TaskContext) => {
    signals.push(context.signal);
    begun[signals.length - 1]?.resolve();
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
  };
  const { engine, root, plan } = await started(
    scripted({
      execute: wait,
      abort: async (context, task) => {
        signals.push(context.signal);
        await context.commit((tx) => tx.settle(task, 'aborted'));
      },
    }),
  );
  const first = await plan();
  await plan();
  const driving = root.drive();
  await Promise.all(begun.map(({ promise }) => promise));
  await root.commit((tx) => tx.patch(first, { abort: true }));
  await new Promise(setImmediate);
  expect(engine.getTask(first)?.status).toBe('aborted');
  expect([new Set(signals).size, signals.map(({ aborted }) => aborted)]).toEqual([3, [true, false, false]]);
  await engine.close();
  expect(signals[1]?.aborted).toBe(true);
  expect(await driving).toBe('closed');
});

test('tasks are found by conversations, liveness, role, kind, mark and background [7.2-12]', async () => {
  const { engine, root, plan } = await started();
  const other = await root.fork('start');
  const planned = await plan();
  const [running, marked, done, elsewhere] = await engine.commit((tx) => {
    const state = { step: 1 };
    const make = (conversationId: Id, background?: true) =>
      tx.task(work, { conversationId, state, ...(background === undefined ? {} : { background }) });
    return [make(root.id), make(root.id, true), make(root.id), make(other.id)] as const;
  });
  await engine.commit((tx) => {
    tx.patch(running, { status: 'running' });
    tx.patch(marked, { abort: true });
    tx.settle(done, 'done');
  });
  const ids = (query: object) => engine.tasks({ limit: 99, ...query }).items.map(({ id }) => id);
  expect(ids({ conversationIds: [root.id] })).toEqual([planned, running, marked, done]);
  expect(ids({ conversationIds: [root.id, other.id], live: true })).toEqual([planned, running, marked, elsewhere]);
  expect(ids({ conversationIds: [other.id] })).toEqual([elsewhere]);
  expect(ids({ live: false })).toEqual([done]);
  expect(ids({ role: 'inflight' })).toEqual([running]);
  expect(ids({ kind: 'scripted' })).toEqual([planned]);
  expect([ids({ abort: true }), ids({ abort: false, kind: 'work' })]).toEqual([[marked], [running, done, elsewhere]]);
  expect([ids({ background: true }), ids({ background: false, kind: 'work' })]).toEqual([[marked], [running, done, elsewhere]]);
  expect(ids({ kind: 'work', role: 'start', background: false, conversationIds: [root.id] })).toEqual([]);
});

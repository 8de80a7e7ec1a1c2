/** What is not one conversation's: usage, session values, errors that belong to nobody's call (engine specification 9.4). */
import { expect, onTestFinished, test } from 'vitest';
import { sessionValue } from './address.ts';
import { Engine } from './engine.ts';
import type { TaskKind } from './kinds.ts';
import { applySessionEvents } from './reducer.ts';
import { addressKey } from './storage.ts';
import { entryKinds } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';
import { usageTotals } from './usage.ts';
import type { SessionEvent, SessionView } from './view.ts';

interface AskHooks {
  readonly [point: string]: { readonly input: unknown; readonly output: unknown };
  readonly ask: { readonly input: null; readonly output: undefined };
}
const asking: TaskKind<null, AskHooks> = {
  kind: 'asking',
  initialStatus: 'pending',
  roles: { pending: 'start', done: 'terminal' },
  hooks: { ask: {} },
  async execute(task, context) {
    await context.hooks(asking).run('ask', null);
    await context.commit((tx) => tx.settle(task, 'done'));
  },
  recover: async () => undefined,
  abort: async () => undefined,
};
const failing: TaskKind<null> = {
  kind: 'failing',
  initialStatus: 'pending',
  roles: { pending: 'start', done: 'terminal' },
  execute: async () => Promise.reject(new TypeError('it cannot work')),
  recover: async () => undefined,
  abort: async () => undefined,
};

async function opened() {
  const reported: unknown[] = [];
  const engine = await Engine.open(new TempSession(onTestFinished).store.session('s'), {
    entryKinds,
    taskKinds: [asking, failing],
    report: (error) => reported.push(error),
  });
  return { engine, root: await engine.root(), reported };
}

test('a row of usage is told with the totals that its commit left, which the view has too [9.4-19]', async () => {
  const { engine, root } = await opened();
  const watch = await engine.watch();
  expect(watch.view.values).toEqual({});
  const told: SessionEvent[] = [];
  let view = JSON.parse(JSON.stringify(watch.view)) as SessionView;
  watch.startCommits((events) => {
    told.push(...events);
    view = applySessionEvents(view, JSON.parse(JSON.stringify(events)) as SessionEvent[]);
  });
  const tokens = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
  await root.commit((tx) => tx.usage({ model: 'large', tokens, cost: 0.5 }));
  await root.commit((tx) => {
    tx.usage({ model: 'large', tokens });
    tx.usage({ model: 'small' });
  });
  const rows = told.filter((event) => event.type === 'usage');
  expect(rows).toMatchObject([
    { row: { conversation: root.id, model: 'large', tokens, cost: 0.5 }, totals: { attempts: 1, tokens, cost: 0.5 } },
    { row: { model: 'large' }, totals: { attempts: 3, unknownTokens: 1, unknownCost: 2, tokens: { input: 20 } } },
    { row: { model: 'small' }, totals: { attempts: 3 } },
  ]);
  expect(watch.view.values).toEqual({ [addressKey(usageTotals)]: rows.at(-1)?.totals });
  expect(view).toEqual(watch.view);
  expect((await engine.watch()).view.values).toEqual(watch.view.values);
});

test('values of the session come to those who asked for them [9.4-17]', async () => {
  const { engine } = await opened();
  const [name, other] = [sessionValue<string>('name'), sessionValue<string>('other')];
  const [asked, plain] = [await engine.watch({ values: [name] }), await engine.watch()];
  const heard: string[] = [];
  asked.start((event) => heard.push(`asked ${event.type}`));
  plain.start((event) => heard.push(`plain ${event.type}`));
  await engine.value(name).set('shop');
  await engine.value(other).set('x');
  expect(heard).toEqual(['asked value']);
  expect([asked.view.values, plain.view.values]).toEqual([{ [addressKey(name)]: 'shop' }, {}]);
});

test('an error of a hook, and a task that is given up, are told with task and kind, and to the host [9.4-18]', async () => {
  const { engine, root, reported } = await opened();
  engine.hooks.on(asking, 'ask', async () => Promise.reject(new Error('nobody there')));
  const watch = await engine.watch();
  const told: SessionEvent[] = [];
  watch.start((event) => event.type === 'report' && told.push(JSON.parse(JSON.stringify(event)) as SessionEvent));
  const [first, second] = await root.commit((tx) => [tx.task(asking, { state: null }), tx.task(failing, { state: null })]);
  await expect(root.drive()).rejects.toMatchObject({ name: 'TaskPoisoned', tasks: [second] });
  await Promise.resolve();
  expect(told).toHaveLength(2);
  expect(told).toContainEqual({
    type: 'report',
    task: first,
    kind: 'asking',
    error: { name: 'HookFailed', message: expect.stringContaining('nobody there') as string },
    seq: expect.any(Number) as number,
  });
  expect(told).toContainEqual({
    type: 'report',
    task: second,
    kind: 'failing',
    error: { name: 'TypeError', message: 'it cannot work' },
    seq: expect.any(Number) as number,
  });
  expect(reported).toHaveLength(2);
  expect(watch.view.faulted).toBe(false);
});

test("an error of a listener is the host's alone: told to watchers it would be told for ever", async () => {
  const { engine, root, reported } = await opened();
  const watch = await engine.watch();
  const heard: string[] = [];
  watch.start((event) => {
    heard.push(event.type);
    throw new Error('the listener failed');
  });
  await root.fork('start');
  await Promise.resolve();
  expect(heard).toEqual(['conversation']);
  expect(reported).toHaveLength(1);
});

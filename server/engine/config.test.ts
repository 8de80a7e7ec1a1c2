/** Configuration on kinds: declared, read in one pass, set in one commit, listed (engine specification 5.2). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationValue } from './address.ts';
import { configItems, readConfig, setConfig } from './config.ts';
import type { ConfigHandle } from './config.ts';
import type { ConfigSpec, ConfigValues } from './config-spec.ts';
import { Engine } from './engine.ts';
import type { HookPoints } from './hook-points.ts';
import type { TaskKind } from './kinds.ts';
import type { Json } from './records.ts';
import { entryKinds, note, taskKinds } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

const answer = {
  model: conversationValue<string>('engine.model', { rewind: true }),
  tools: conversationValue<readonly string[]>('engine.tools', { rewind: true, key: 'selected' }),
  budget: conversationValue<number>('engine.budget', { rewind: false }),
};
/** Writes down the configuration that it finds. */
const answering: TaskKind<null, HookPoints, typeof answer> = {
  kind: 'answering',
  initialStatus: 'planned',
  roles: { planned: 'start', done: 'terminal' },
  config: answer,
  async execute(task, context) {
    await context.commit((tx) => {
      tx.entry(note, { text: JSON.stringify(context.config(answering)) });
      tx.settle(task, 'done');
    });
  },
  recover: async () => undefined,
  abort: async () => undefined,
};
const mode = conversationValue<string>('plugin.mode', { rewind: true });
const planning: TaskKind<null, HookPoints, { readonly mode: typeof mode }> = { ...answering, kind: 'planning', config: { mode } };

async function started() {
  const session = new TempSession(onTestFinished);
  const storage = session.store.session('session');
  const engine = await Engine.open<string>(storage, { entryKinds, taskKinds: [...taskKinds, answering, planning] });
  const root = await engine.root();
  return { session, storage, engine, root, config: root.config(answering) };
}

/** As a caller without types, whose names come from elsewhere. */
async function setAny(config: ConfigHandle<typeof answer>, changes: Readonly<Record<string, Json>>): Promise<void> {
  return config.set(changes);
}

test('a conversation has the values that were set for it, typed, and no property for the others [5.2-3]', async () => {
  const { engine, root, config } = await started();
  expect(config.get()).toEqual({});
  await config.set({ budget: 0, tools: ['read'] });
  const found: ConfigValues<typeof answer> = config.get();
  const tools: readonly string[] | undefined = found.tools;
  expect([found, tools]).toStrictEqual([{ tools: ['read'], budget: 0 }, ['read']]);
  const other = await engine.fork(root.id, 'start');
  expect(other.config(answering).get()).toEqual({});
});

test('setting is one commit: it writes what is named, deletes what is undefined, leaves the rest [5.2-4]', async () => {
  const { engine, root, config } = await started();
  await config.set({ model: 'large', tools: ['read'], budget: 9 });
  const before = engine.lastSeq;
  const commits: number[] = [];
  const watch = await root.watch({ tail: 0, values: [bound(answer.model, root.id), bound(answer.budget, root.id)] });
  watch.startCommits((events) => void commits.push(events.length));
  await config.set({ model: undefined, budget: 10 });
  expect(config.get()).toEqual({ tools: ['read'], budget: 10 });
  expect(engine.lastSeq).toBe(before + 2);
  expect(commits).toEqual([2]);
  await config.set({});
  expect(engine.lastSeq).toBe(before + 2);
});

test('a name that the kind does not declare is refused, and nothing of its commit is written [5.2-5]', async () => {
  const { engine, config } = await started();
  const before = engine.lastSeq;
  for (const name of ['modle', 'constructor', '__proto__'])
    await expect(setAny(config, JSON.parse(`{ "model": "large", "${name}": 1 }`) as Record<string, Json>)).rejects.toMatchObject({
      code: 'unknownConfig',
      message: `task kind answering declares no value "${name}"`,
    });
  // @ts-expect-error: by type, a name is one of the kind's and has its type
  await config.set({ model: 1 });
  await config.set({ model: undefined });
  expect(config.get()).toEqual({});
  expect(engine.lastSeq).toBe(before + 2);
});

test('it is written in a commit of others too, before its entries where it rewinds [5.2-4]', async () => {
  const { engine, root, config } = await started();
  const at = await root.commit((tx) => {
    setConfig(tx, answering, root.id, { model: 'large' });
    return tx.entry(note, { text: 'the model is large' });
  });
  const elsewhere = await engine.commit((tx) => {
    const child = tx.createConversation();
    setConfig(tx, answering, child, { budget: 5 });
    return child;
  });
  expect([config.get(), engine.conversation(elsewhere)?.config(answering).get()]).toEqual([{ model: 'large' }, { budget: 5 }]);
  const late = root.commit((tx) => {
    tx.entry(note, { text: 'x' });
    setConfig(tx, answering, root.id, { model: 'small' });
  });
  await expect(late).rejects.toMatchObject({ code: 'stateAfterEntry' });
  expect(config.get()).toEqual({ model: 'large' });
  expect(engine.getEntry(note, at)?.content.text).toBe('the model is large');
});

test('a fork has what rewinds as it was there, and of what is sticky what it names [5.2-6]', async () => {
  const { root, config } = await started();
  await config.set({ model: 'large', budget: 9 });
  const at = await root.commit((tx) => tx.entry(note, { text: 'asked with the large one' }));
  await config.set({ model: 'small', tools: ['read'] });
  expect((await root.fork(at)).config(answering).get()).toEqual({ model: 'large' });
  const named = await root.fork(at, { values: { inherit: [answer.budget], set: [[answer.tools, ['grep']]] } });
  expect(named.config(answering).get()).toEqual({ model: 'large', tools: ['grep'], budget: 9 });
});

test('an execution reads the configuration of its conversation as it is by then [5.2-15]', async () => {
  const { engine, root, config } = await started();
  const other = await engine.fork(root.id, 'start');
  await other.config(answering).set({ model: 'of another conversation' });
  await root.commit((tx) => tx.task(answering, { state: null }));
  await config.set({ model: 'large', budget: 9 });
  expect(await root.drive()).toBe('idle');
  expect(root.contextMessages()).toEqual(['{"model":"large","budget":9}']);
});

test('a configuration survives the end of its process', async () => {
  const { session, config } = await started();
  await config.set({ model: 'large' });
  session.reopenFile();
  const storage = session.store.session('session');
  expect(readConfig(storage, answering, storage.scanConversations({ limit: 1 }).items[0]?.id ?? 0)).toEqual({ model: 'large' });
});

test('what a conversation is configured with is listed by walking the kinds, what is not set too [5.2-7]', async () => {
  const { storage, root, config } = await started();
  await config.set({ tools: ['read'], budget: 0 });
  await root.value(mode).set('plan');
  const bare: readonly { readonly kind: string; readonly config?: ConfigSpec }[] = [answering, planning, { kind: 'bare' }];
  const scope = { conversation: root.id };
  expect(configItems(storage, bare, root.id)).toEqual([
    { kind: 'answering', name: 'model', address: { scope, namespace: 'engine.model', rewind: true }, value: undefined },
    {
      kind: 'answering',
      name: 'tools',
      address: { scope, namespace: 'engine.tools', key: 'selected', rewind: true },
      value: ['read'],
    },
    { kind: 'answering', name: 'budget', address: { scope, namespace: 'engine.budget', rewind: false }, value: 0 },
    { kind: 'planning', name: 'mode', address: { scope, namespace: 'plugin.mode', rewind: true }, value: 'plan' },
  ]);
});

/** Hooks: who is called, in which order, what comes of it, and what a throw or an abort means (engine specification 8.7). */
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from './engine.ts';
import { HookFailed } from './errors.ts';
import type { HookPoints } from './hook-points.ts';
import type { TaskKind } from './kinds.ts';
import type { Id } from './records.ts';
import { entryKinds, note, record, taskKinds } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

type WorkHooks = {
  readonly gate: {
    readonly input: { readonly name: string };
    readonly output: { readonly args?: string; readonly block?: string };
  };
  readonly instructions: { readonly input: null; readonly output: { readonly sections: Readonly<Record<string, string>> } };
  readonly after: { readonly input: { readonly id: Id }; readonly output: void };
  readonly choice: { readonly input: number; readonly output: string | readonly string[] };
};

/** Asks `gate` before it does anything, and writes what it was told. */
const gated: TaskKind<{ readonly name: string }, WorkHooks> = {
  kind: 'gated',
  initialStatus: 'planned',
  roles: { planned: 'start', running: 'inflight', done: 'terminal', blocked: 'terminal', aborted: 'terminal' },
  hooks: {
    gate: { failClosed: true },
    instructions: { merge: (before, next) => ({ sections: { ...before.sections, ...next.sections } }) },
    after: {},
    choice: {},
  },
  async execute(task, context) {
    const decision = await context.hooks(gated).run('gate', { name: task.state.name });
    await context.commit((tx) => {
      if (decision?.block === undefined) tx.entry(note, { text: decision?.args ?? task.state.name });
      tx.settle(task, decision?.block === undefined ? 'done' : 'blocked');
    });
  },
  async recover(task, context) {
    await context.commit((tx) => tx.settle(task, 'done'));
  },
  async abort(task, context) {
    await context.commit((tx) => tx.settle(task, 'aborted'));
  },
};

async function started(session = new TempSession(onTestFinished), kind: TaskKind<{ readonly name: string }> = gated) {
  const reported: unknown[] = [];
  const engine = await Engine.open<string>(session.store.session('session'), {
    entryKinds,
    taskKinds: [...taskKinds, kind],
    report: (error) => reported.push(error),
  });
  const root = await engine.root();
  const runner = (conversation: Id = root.id, signal = new AbortController().signal) =>
    engine.hooks.runner(gated, conversation, signal);
  return { session, engine, root, reported, runner };
}

/** A conversation that a task of the other one owns. */
async function childOf(engine: Engine<string>, conversation: Id): Promise<Id> {
  return engine.commit((tx) => {
    const child = tx.createConversation();
    tx.task(record, { conversationId: conversation, state: { what: 'child' }, owns: [child] });
    return child;
  });
}

test('handlers run in the order of registration, each with the input and what those before it made [8.7-2] [8.7-3]', async () => {
  const { engine, runner } = await started();
  const seen: unknown[] = [];
  engine.hooks.on(gated, 'gate', (input, before) => {
    seen.push([input, before]);
    return { args: 'first', block: 'no' };
  });
  engine.hooks.on(gated, 'gate', async (input, before) => {
    await Promise.resolve();
    seen.push([input, before]);
  });
  engine.hooks.on(gated, 'gate', (input, before) => {
    seen.push([input, before]);
    return { args: 'third' };
  });
  expect(await runner().run('gate', { name: 'n' })).toEqual({ args: 'third', block: 'no' });
  expect(seen).toEqual([
    [{ name: 'n' }, undefined],
    [{ name: 'n' }, { args: 'first', block: 'no' }],
    [{ name: 'n' }, { args: 'first', block: 'no' }],
  ]);
});

test('without a handler, or when none of them says anything, there is no output', async () => {
  const { engine, runner } = await started();
  expect(await runner().run('gate', { name: 'n' })).toBeUndefined();
  let calls = 0;
  engine.hooks.on(gated, 'after', () => void calls++);
  expect(await runner().run('after', { id: 1 })).toBeUndefined();
  expect(calls).toBe(1);
});

test('points that are declared as an interface are typed alike [8.7-1]', async () => {
  interface Asking extends HookPoints {
    readonly ask: { readonly input: { readonly question: string }; readonly output: { readonly answer: number } };
  }
  const asking: Pick<TaskKind<unknown, Asking>, 'kind' | 'hooks'> = { kind: 'asking', hooks: { ask: {} } };
  const { engine } = await started();
  engine.hooks.on(asking, 'ask', ({ question }) => ({ answer: question.length }));
  const output = await engine.hooks.runner(asking, 1, new AbortController().signal).run('ask', { question: 'how long?' });
  expect(output?.answer).toBe(9);
});

test('merging leaves the outputs of the handlers as they were', async () => {
  const { engine, runner } = await started();
  const outputs = [Object.freeze({ args: 'a' }), Object.freeze({ block: 'b' })];
  for (const output of outputs) engine.hooks.on(gated, 'gate', () => output);
  expect(await runner().run('gate', { name: 'n' })).toEqual({ args: 'a', block: 'b' });
});

test('a point merges as its kind says; what has no properties is replaced [8.7-3]', async () => {
  const { engine, runner } = await started();
  engine.hooks.on(gated, 'instructions', () => ({ sections: { cwd: '/home/user/shop', mode: 'act' } }));
  engine.hooks.on(gated, 'instructions', () => ({ sections: { mode: 'plan' } }));
  expect(await runner().run('instructions', null)).toEqual({ sections: { cwd: '/home/user/shop', mode: 'plan' } });
  engine.hooks.on(gated, 'choice', () => ['a', 'b']);
  expect(await runner().run('choice', 1)).toEqual(['a', 'b']);
  engine.hooks.on(gated, 'choice', () => ['c']);
  expect(await runner().run('choice', 1)).toEqual(['c']);
  engine.hooks.on(gated, 'choice', () => 'd');
  expect(await runner().run('choice', 1)).toBe('d');
});

test.each([
  ['after a while', () => Promise.reject(new Error('no network'))],
  [
    'at once',
    () => {
      throw new Error('no network');
    },
  ],
])('a throw %s at a point that fails closed ends the run and names kind and point [8.7-4]', async (_when, fail) => {
  const { engine, runner, reported } = await started();
  let later = 0;
  engine.hooks.on(gated, 'gate', fail);
  engine.hooks.on(gated, 'gate', () => void later++);
  const run = runner().run('gate', { name: 'n' });
  await expect(run).rejects.toBeInstanceOf(HookFailed);
  await expect(run).rejects.toMatchObject({
    kind: 'gated',
    point: 'gate',
    message: 'a handler of gated.gate failed: no network',
    cause: { message: 'no network' },
  });
  expect([later, reported]).toEqual([0, []]);
});

test('a throw at any other point is reported, and the run goes on without that handler [8.7-5]', async () => {
  const { engine, runner, reported } = await started();
  const merge = (): never => {
    throw new Error('not mergeable');
  };
  const declared = { gate: {}, instructions: {}, after: {}, choice: { merge } };
  engine.hooks.on(gated, 'choice', () => 'kept');
  engine.hooks.on(gated, 'choice', () => Promise.reject(new Error('no network')));
  expect(await runner().run('choice', 1)).toBe('kept');
  expect(reported).toMatchObject([{ kind: 'gated', point: 'choice', cause: { message: 'no network' } }]);
  engine.hooks.on(gated, 'choice', () => 'another');
  const run = engine.hooks
    .runner<WorkHooks>({ kind: 'gated', hooks: declared }, 1, new AbortController().signal)
    .run('choice', 1);
  expect(await run).toBe('kept');
  expect(reported.slice(1)).toMatchObject([{ cause: { message: 'no network' } }, { cause: { message: 'not mergeable' } }]);
});

test('a point that the kind does not declare is refused, to register and to run [8.7-1]', async () => {
  const { engine, runner } = await started();
  // @ts-expect-error: by type, a point is one of the kind's
  expect(() => engine.hooks.on(gated, 'gates', () => undefined)).toThrow(expect.objectContaining({ code: 'unknownHook' }));
  // @ts-expect-error: by type, a point is one of the kind's
  await expect(runner().run('gates', null)).rejects.toMatchObject({
    code: 'unknownHook',
    message: 'task kind gated declares no hook point "gates"',
  });
  const plain: { readonly kind: string } = { kind: 'gated' };
  const inherited = engine.hooks.runner<HookPoints>(plain, 1, new AbortController().signal).run('constructor', null);
  await expect(inherited).rejects.toMatchObject({ code: 'unknownHook' });
});

test('the engine comes first, then conversations from outer to inner, so that the innermost wins [8.7-6] [8.7-7]', async () => {
  const { engine, root, runner } = await started();
  const child = await childOf(engine, root.id);
  const grandchild = await childOf(engine, child);
  const order: string[] = [];
  const say = (name: string) => () => {
    order.push(name);
    return { args: name };
  };
  engine.conversation(grandchild)?.hooks.on(gated, 'gate', say('grandchild'));
  engine.conversation(child)?.hooks.on(gated, 'gate', say('child and below'), { subtree: true });
  root.hooks.on(gated, 'gate', say('root and below'), { subtree: true });
  engine.conversation(child)?.hooks.on(gated, 'gate', say('child alone'));
  root.hooks.on(gated, 'gate', say('root alone'));
  engine.hooks.on(gated, 'gate', say('engine'));
  const run = async (conversation: Id) => {
    order.length = 0;
    const output = await runner(conversation).run('gate', { name: 'n' });
    return [...order, output?.args];
  };
  expect(await run(root.id)).toEqual(['engine', 'root and below', 'root alone', 'root alone']);
  expect(await run(child)).toEqual(['engine', 'root and below', 'child and below', 'child alone', 'child alone']);
  expect(await run(grandchild)).toEqual(['engine', 'root and below', 'child and below', 'grandchild', 'grandchild']);
});

test('a subtree is what is owned, not what is forked; a fork that is owned belongs to its owner [8.7-7]', async () => {
  const { engine, root, runner } = await started();
  const at = await root.commit((tx) => tx.entry(note, { text: 'here' }));
  root.hooks.on(gated, 'gate', () => ({ args: 'of the root' }), { subtree: true });
  const fork = await root.fork(at);
  expect(await runner(fork.id).run('gate', { name: 'n' })).toBeUndefined();
  const owned = await engine.commit((tx) => {
    const child = tx.createConversation({ parent: { conversationId: fork.id, at } });
    tx.task(record, { conversationId: root.id, state: { what: 'child' }, owns: [child] });
    return child;
  });
  expect(await runner(owned).run('gate', { name: 'n' })).toEqual({ args: 'of the root' });
});

test('a registration is taken back, alone and once [8.7-8]', async () => {
  const { engine, runner } = await started();
  let calls = 0;
  const handler = (): void => void calls++;
  const [first] = [engine.hooks.on(gated, 'after', handler), engine.hooks.on(gated, 'after', handler)];
  await runner().run('after', { id: 1 });
  expect(calls).toBe(2);
  first();
  first();
  await runner().run('after', { id: 1 });
  expect(calls).toBe(3);
});

test('a run calls those who were there when it began, whoever comes or goes meanwhile [8.7-9]', async () => {
  const { engine, runner } = await started();
  const order: string[] = [];
  engine.hooks.on(gated, 'after', () => {
    order.push('first');
    removeLast();
    engine.hooks.on(gated, 'after', () => void order.push('new'));
  });
  const removeLast = engine.hooks.on(gated, 'after', () => void order.push('last'));
  await runner().run('after', { id: 1 });
  expect(order).toEqual(['first', 'last']);
  await runner().run('after', { id: 1 });
  expect(order.slice(2)).toEqual(['first', 'new']);
});

test('a handler waits as long as it likes, and commits pass it by [8.7-10]', async () => {
  const { engine, root } = await started();
  const [asked, approval] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  engine.hooks.on(gated, 'gate', async () => {
    asked.resolve();
    return { args: await approval.promise };
  });
  const task = await root.commit((tx) => tx.task(gated, { state: { name: 'n' } }));
  const driving = root.drive();
  await asked.promise;
  await root.commit((tx) => tx.entry(note, { text: 'meanwhile' }));
  expect(engine.getTask(task)?.status).toBe('planned');
  approval.resolve('approved');
  expect(await driving).toBe('idle');
  expect(root.contextMessages()).toEqual(['meanwhile', 'approved']);
});

test('an aborted run rejects with an AbortError, calls nobody else, and drops what comes late [8.7-11]', async () => {
  const { engine, runner, reported } = await started();
  const controller = new AbortController();
  const [asked, late] = [Promise.withResolvers<void>(), Promise.withResolvers<{ args: string }>()];
  const signals: AbortSignal[] = [];
  let later = 0;
  engine.hooks.on(gated, 'gate', (_input, _before, signal) => {
    signals.push(signal);
    asked.resolve();
    return late.promise;
  });
  engine.hooks.on(gated, 'gate', () => void later++);
  const run = runner(undefined, controller.signal).run('gate', { name: 'n' });
  await asked.promise;
  controller.abort(new Error('the host has another reason'));
  await expect(run).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'the host has another reason' } });
  late.resolve({ args: 'late' });
  await Promise.resolve();
  expect(signals).toEqual([controller.signal]);
  expect([later, reported]).toEqual([0, []]);

  const before = runner(undefined, AbortSignal.abort()).run('gate', { name: 'n' });
  await expect(before).rejects.toMatchObject({ name: 'AbortError' });
  expect([signals.length, later]).toEqual([1, 0]);
});

test('a handler that gives up because of the abort, or aborts by itself, counts as aborted and not as failed [8.7-11]', async () => {
  const { engine, runner, reported } = await started();
  const controller = new AbortController();
  engine.hooks.on(gated, 'choice', (_input, _before, signal) => {
    controller.abort();
    signal.throwIfAborted();
  });
  engine.hooks.on(gated, 'gate', () => {
    controller.abort();
    return { args: 'too late' };
  });
  await expect(runner(undefined, controller.signal).run('choice', 1)).rejects.toMatchObject({ name: 'AbortError' });
  const another = new AbortController();
  engine.hooks.on(gated, 'gate', () => another.abort());
  await expect(runner(undefined, another.signal).run('gate', { name: 'n' })).rejects.toMatchObject({ name: 'AbortError' });
  expect(reported).toEqual([]);
});

test('aborting a task ends its wait in a hook [8.7-11]', async () => {
  const { engine, root, reported } = await started();
  const asked = Promise.withResolvers<void>();
  engine.hooks.on(gated, 'gate', async () => {
    asked.resolve();
    return new Promise(() => undefined);
  });
  const task = await root.commit((tx) => tx.task(gated, { state: { name: 'n' } }));
  const driving = root.drive();
  await asked.promise;
  await root.commit((tx) => tx.patch(task, { abort: true }));
  expect(await driving).toBe('idle');
  expect(engine.getTask(task)?.status).toBe('aborted');
  expect(reported).toEqual([]);
});

test('a run that is over leaves nothing on its signal', async () => {
  const { engine, runner } = await started();
  const controller = new AbortController();
  const listening = new Set<unknown>();
  const { signal } = controller;
  const counting = new Proxy(signal, {
    get: (target, property) => {
      if (property === 'addEventListener') return (_type: string, listener: unknown) => listening.add(listener);
      if (property === 'removeEventListener') return (_type: string, listener: unknown) => listening.delete(listener);
      return Reflect.get(target, property, target) as unknown;
    },
  });
  let during = 0;
  for (let i = 0; i < 3; i++) engine.hooks.on(gated, 'after', () => void (during += listening.size));
  await runner(undefined, counting).run('after', { id: 1 });
  expect([during, listening.size]).toEqual([3, 0]);
});

test('handlers belong to the name of a kind and go on with the kind that replaces it [8.7-12]', async () => {
  const replacement: typeof gated = {
    ...gated,
    hooks: { gate: {}, instructions: {}, after: {}, choice: {} },
    async execute(task, context) {
      const decision = await context.hooks(replacement).run('gate', { name: task.state.name });
      await context.commit((tx) => {
        tx.entry(note, { text: `replaced: ${decision?.args}` });
        tx.settle(task, 'done');
      });
    },
  };
  const { engine, root, reported } = await started(undefined, replacement);
  engine.hooks.on(gated, 'gate', () => ({ args: 'asked' }));
  engine.hooks.on(gated, 'gate', () => Promise.reject(new Error('no network')));
  await root.commit((tx) => tx.task(gated, { state: { name: 'n' } }));
  await root.drive();
  expect(root.contextMessages()).toEqual(['replaced: asked']);
  expect(reported).toHaveLength(1);
});

test('a session opened again has no handlers, and a task that waited in one asks again [8.7-13] [8.7-14]', async () => {
  const { session, engine, root } = await started();
  const asked = Promise.withResolvers<void>();
  root.hooks.on(gated, 'gate', async () => {
    asked.resolve();
    return new Promise(() => undefined);
  });
  await root.commit((tx) => {
    tx.task(gated, { state: { name: 'first' } });
    tx.task(gated, { state: { name: 'second' } });
  });
  const driving = root.drive();
  await asked.promise;
  await engine.close();
  expect(await driving).toBe('closed');

  session.reopenFile();
  const again = await started(session);
  const names: string[] = [];
  const off = again.engine.hooks.on(gated, 'gate', ({ name }) => {
    names.push(name);
    return { block: 'denied' };
  });
  expect(await again.root.drive()).toBe('idle');
  expect(names).toEqual(['first', 'second']);
  expect(again.root.contextMessages()).toEqual([]);
  off();
  await again.root.commit((tx) => tx.task(gated, { state: { name: 'nobody is asked' } }));
  await again.root.drive();
  expect(again.root.contextMessages()).toEqual(['nobody is asked']);
});

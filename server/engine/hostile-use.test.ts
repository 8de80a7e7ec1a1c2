/** Odd and hostile use of the engine: it either fails before anything is written, or it costs what it is worth and nothing else. */
import type { Tracer } from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { sessionList, sessionValue } from './address.ts';
import { Engine } from './engine.ts';
import { MemoryStorage } from './memory/storage.ts';
import type { Id } from './records.ts';
import { backends } from './testing/backends.ts';
import { entryKinds, note, taskKinds, work } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts, settleAs } from './testing/scripted.ts';
import { withCommit } from './testing/storages.ts';

for (const backend of backends) {
  test(`${backend.name}: what is to be removed from a list must be an id, and the session opens again [3.3-1]`, async () => {
    const session = backend.open(onTestFinished);
    const engine = await Engine.open<string>(session.storage, { entryKinds, taskKinds });
    const root = await engine.root();
    const task = await root.commit((tx) => tx.task(work, { state: { step: 1 } }));
    const list = sessionList<number>('list');
    const rewindable = { scope: { conversation: root.id }, namespace: 'list', rewind: true };
    const scratch = { scope: { scratch: task }, namespace: 'list', rewind: false };
    const before = engine.lastSeq;
    for (const element of [1.5, 0, -1, Number.NaN, Infinity, 2 ** 60]) {
      await expect(engine.list(list).remove(element)).rejects.toMatchObject({ code: 'sequence' });
      await expect(engine.list(rewindable).remove(element)).rejects.toMatchObject({ code: 'sequence' });
      await expect(engine.scratch(task, (sc) => sc.list(scratch).remove(element))).rejects.toMatchObject({ code: 'sequence' });
    }
    const kept = await engine.list(list).append(7);
    expect(kept).toBe(before + 1);
    const again = await session.reopen();
    expect([again.lastSeq, again.readList(list, { limit: 9 }).items]).toEqual([kept, [{ id: kept, value: 7 }]]);
  });

  test(`${backend.name}: a large value that changes may nest deeply [7.4-8]`, async () => {
    const session = backend.open(onTestFinished);
    const engine = await Engine.open<string>(session.storage, { entryKinds, taskKinds });
    const deep = (depth: number) => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1);
    const value = engine.value(sessionValue<unknown>('deep'));
    await value.set({ pad: 'x'.repeat(1000), deep: deep(3000) });
    await value.set({ pad: 'x'.repeat(1000), deep: deep(3000), more: true });
    expect((await session.reopen()).getValue(sessionValue<object>('deep'))?.value).toHaveProperty('more', true);
  });
}

test('a property called __proto__ of a state is a property as any other [9.2-7]', async () => {
  const { engine, root, session } = await Opened.open(onTestFinished, taskKinds);
  // The text is parsed, as what a model or a file says is: there the name is a property, in a literal it is not.
  const named = (json: string) => JSON.parse(json) as { readonly step: number };
  const id = await root.commit((tx) => tx.task(work, { state: named('{"__proto__":{"a":1},"step":1}') }));
  await root.commit((tx) => tx.patch<{ step: number }>(id, { state: { step: 2 } }));
  expect(JSON.stringify(engine.getTask(id)?.state)).toBe('{"__proto__":{"a":1},"step":2}');
  await root.commit((tx) => tx.settle(id, 'done', named('{"__proto__":{"b":2}}')));
  session.reopenFile();
  const state = session.store.session('session').getTasks([id]).get(id)?.state;
  expect(JSON.stringify(state)).toBe('{"__proto__":{"b":2},"step":2}');
});

test('owned conversations may nest as deeply as one likes: made in one commit, deleted in one [5.7-3] [6.4-7]', async () => {
  const { engine, root } = await Opened.open(onTestFinished, taskKinds, { around: () => new MemoryStorage() });
  const depth = 20_000;
  const chain = await engine.commit((tx) => {
    const made: Id[] = [root.id];
    for (let i = 0; i < depth; i++) {
      const owned = tx.createConversation();
      const task = tx.task(work, { conversationId: made[i] ?? 0, state: { step: i }, owns: [owned] });
      tx.settle(task, 'done');
      made.push(owned);
    }
    return made;
  });
  await engine.deleteConversation(root.id);
  expect(engine.getConversations(chain).size).toBe(0);
});

test('a conversation with very many tasks can be aborted [6.3-2]', async () => {
  const { engine, root } = await Opened.open(onTestFinished, taskKinds, { around: () => new MemoryStorage() });
  const count = 150_000;
  await root.commit((tx) => {
    for (let i = 0; i < count; i++) tx.task(work, { state: { step: i } });
  });
  await root.abort();
  expect(engine.tasks({ abort: true, live: true, limit: count + 1 }).items).toHaveLength(count);
});

test('a host whose report throws breaks neither a drive nor a watch [9.4-21] [6.5-9]', async () => {
  const scripts = new Scripts();
  const failing = scripts.kind('failing', { execute: async () => Promise.reject(new Error('no')) });
  const report = (): never => {
    throw new Error('the report failed');
  };
  const opened = await Opened.open(onTestFinished, [failing], { report });
  const unhandled: unknown[] = [];
  const listen = (error: unknown): unknown => unhandled.push(error);
  process.on('unhandledRejection', listen).on('uncaughtException', listen);
  onTestFinished(() => void process.off('unhandledRejection', listen).off('uncaughtException', listen));
  const watch = await opened.root.watch({ tail: 5 });
  watch.start(() => {
    throw new Error('the listener failed');
  });
  await opened.task(failing, 'a');
  await expect(opened.root.drive()).rejects.toMatchObject({ name: 'TaskPoisoned' });
  await opened.root.commit((tx) => tx.entry(note, { text: 'on' }));
  await new Promise(setImmediate);
  expect([watch.view.entries.length, unhandled]).toEqual([1, []]);
});

test.each(['startActiveSpan', 'setAttributes', 'recordException', 'setStatus', 'end'])(
  'a tracer whose %s throws costs its spans and nothing else [6.5-4]',
  async (failing) => {
    const call = (name: string) => (): void => {
      if (name === failing) throw new Error(`${name} failed`);
    };
    const names = ['setAttributes', 'recordException', 'setStatus', 'end'];
    const span = Object.fromEntries(names.map((name) => [name, call(name)]));
    const tracer = {
      startActiveSpan(...[, , , run]: [string, object, object, (of: object) => unknown]): unknown {
        call('startActiveSpan')();
        return run(span);
      },
    };
    const scripts = new Scripts();
    const kind = scripts.kind('step', { execute: running(settleAs('done')) });
    // A tracer is a host's own code: it has this much of the interface, and of that a part fails.
    const opened = await Opened.open(onTestFinished, [kind], { tracer: tracer as unknown as Tracer });
    const watch = await opened.root.watch({ tail: 5 });
    const told = new Promise((resolve) => watch.start(resolve));
    const id = await opened.task(kind, 'a');
    await told;
    expect(await opened.root.drive()).toBe('idle');
    expect([opened.status(id), opened.reports]).toEqual(['done', []]);
    await expect(opened.engine.commit((tx) => tx.settle(id, 'done'))).rejects.toMatchObject({ code: 'taskIsTerminal' });
  },
);

test('what runs within a commit may not be a promise either: nothing is written [9.2-6] [9.2-10]', async () => {
  const { engine, root } = await Opened.open(onTestFinished, taskKinds);
  const before = engine.lastSeq;
  const within: () => unknown = async () => Promise.reject(new Error('late'));
  await expect(root.commit((tx) => tx.entry(note, { text: 'x' }), { within })).rejects.toMatchObject({ code: 'notSynchronous' });
  expect(engine.lastSeq).toBe(before);
});

test('a shutdown whose commit fails leaves the session as it was, and can be asked for again [6.4-6] [3.3-1] [6.4-10]', async () => {
  let full = false;
  const around = (storage: MemoryStorage) =>
    withCommit(storage, async (_, commit) => {
      if (full) throw new Error('the disk is full');
      return commit();
    });
  const scripts = new Scripts();
  const kind = scripts.kind('step', { abort: settleAs('aborted') });
  const opened = await Opened.open(onTestFinished, [kind], { around: () => around(new MemoryStorage()) });
  const first = await opened.task(kind, 'a');
  full = true;
  await expect(opened.engine.shutdown()).rejects.toThrow('the disk is full');
  full = false;
  const second = await opened.task(kind, 'b');
  await opened.engine.shutdown();
  expect([opened.status(first), opened.status(second)]).toEqual(['aborted', 'aborted']);
});

/** Watching: one capture, then every commit in order, whole; a slow watcher is told so (engine specification 9.4, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationValue, sessionValue } from './address.ts';
import { Engine } from './engine.ts';
import { entryKind } from './kinds.ts';
import type { Id } from './records.ts';
import { addressKey } from './storage.ts';
import { edit, note, record, reset, silent, work } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';
import { applyEvents, applySessionEvents } from './reducer.ts';
import type { ConversationEvent, SessionEvent } from './view.ts';

async function started() {
  const engine = await new TempSession(onTestFinished).engine();
  const root = (await engine.root()).id;
  const say = async (text: string, conversation: Id = root) => engine.commit((tx) => tx.entry(note, conversation, { text }));
  return { engine, root, say };
}

test('a view has the tail, the context and the values asked for, and events keep it so [9.4-1]', async () => {
  const { engine, root, say } = await started();
  const mode = bound(conversationValue<string>('mode', { rewind: true }), root);
  const other = bound(conversationValue<string>('other', { rewind: true }), root);
  const ids = [await say('one'), await say('two'), await say('three')];
  await engine.commit((tx) => tx.value(mode).set('plan'));
  const watch = await engine.watch(root, { tail: 2, values: [mode] });
  expect(watch.view).toMatchObject({
    entries: [{ id: ids[1] }, { id: ids[2] }],
    context: ids,
    values: { [addressKey(mode)]: 'plan' },
    readAt: engine.lastSeq,
  });

  const events: ConversationEvent[] = [];
  watch.start((event) => events.push(event));
  const four = await engine.commit((tx) => {
    tx.value(mode).delete();
    tx.value(other).set('not asked for');
    tx.entry(silent, root, { text: 'aside' });
    return tx.entry(note, root, { text: 'four' });
  });
  expect(events.map(({ type }) => type)).toEqual(['value', 'entry', 'entry']);
  expect(watch.view).toMatchObject({
    entries: [{ id: four - 1 }, { id: four }],
    context: [...ids, four],
    values: {},
    readAt: four,
  });
  await engine.commit((tx) => tx.entry(edit, root, { target: four }));
  expect(events.slice(3).map(({ type }) => type)).toEqual(['entry', 'context']);
  expect(watch.view.context).toEqual(ids);
  await engine.commit((tx) => tx.entry(reset, root, { why: 'clear' }));
  expect(watch.view.context).toEqual([]);
  watch.unsubscribe();
});

test('a reducer elsewhere that folds the same events has the same view [9.4-13]', async () => {
  const { engine, root, say } = await started();
  const name = sessionValue<string>('name');
  const watch = await engine.watch(root, { tail: 3, values: [name] });
  const all = await engine.watch({ values: [name] });
  let view = JSON.parse(JSON.stringify(watch.view)) as typeof watch.view;
  let sessionView = JSON.parse(JSON.stringify(all.view)) as typeof all.view;
  watch.startCommits((events) => (view = applyEvents(view, JSON.parse(JSON.stringify(events)) as ConversationEvent[])));
  all.startCommits(
    (events) => (sessionView = applySessionEvents(sessionView, JSON.parse(JSON.stringify(events)) as SessionEvent[])),
  );
  for (let i = 0; i < 5; i++) await say(String(i));
  const task = await engine.commit((tx) => {
    tx.value(name).set('shop');
    return tx.task(work, { conversationId: root, state: { step: 1 } });
  });
  await engine.commit((tx) => tx.patch(task, { status: 'running' }));
  const child = await engine.commit((tx) => tx.createConversation({ owner: task }));
  await engine.commit((tx) => tx.value(name).delete());
  await engine.commit((tx) => tx.deleteConversation(child));
  expect(view).toEqual(watch.view);
  expect(sessionView).toEqual(all.view);
  expect(view.tasks).toMatchObject([{ id: task, status: 'running', owns: [child] }]);
  const fresh = await engine.watch(root, { tail: 3, values: [name] });
  expect({ ...view, readAt: 0 }).toEqual({ ...fresh.view, readAt: 0 });
});

test('registration on the line: a racing commit is in the base or in the stream, never in neither or both [9.4-6] [10.2-16]', async () => {
  const { engine, root, say } = await started();
  const commits = Array.from({ length: 6 }, async (_, i) => say(`before ${i}`));
  const watching = engine.watch(root, { tail: 100 });
  const later = Array.from({ length: 6 }, async (_, i) => say(`after ${i}`));
  const watch = await watching;
  const streamed: Id[] = [];
  const base = watch.view.entries.map((entry) => entry.id);
  watch.start((event) => {
    if (event.type === 'entry') streamed.push(event.entry.id);
  });
  await Promise.all(commits);
  const ids = await Promise.all(later);
  expect(base).toHaveLength(6);
  expect(streamed).toEqual(ids);
});

test('events wait for the listener, come in order, and never run inside a commit [9.4-8] [9.4-21]', async () => {
  const { engine, root, say } = await started();
  const watch = await engine.watch(root, { tail: 9 });
  await say('one');
  const order: string[] = [];
  watch.start((event) => order.push(event.type === 'entry' && note.is(event.entry) ? event.entry.content.text : event.type));
  expect(order).toEqual([]);
  await engine.commit(
    (tx) => {
      tx.entry(note, root, { text: 'two' });
      order.push('in the closure');
      return 0;
    },
    { within: () => void order.push('within') },
  );
  expect(order).toEqual(['one', 'in the closure', 'within', 'two']);
});

test('all events of one commit come together: its end and its successor are never apart [9.4-7]', async () => {
  const { engine, root } = await started();
  const watch = await engine.watch(root, { tail: 0 });
  const task = await engine.commit((tx) => tx.task(work, { conversationId: root, state: { step: 1 } }));
  const live: number[] = [];
  watch.start(() => live.push(watch.view.tasks.length));
  await engine.commit((tx) => {
    tx.settle(task, 'done');
    tx.task(work, { conversationId: root, state: { step: 2 } });
  });
  expect(live).toEqual([1, 1, 1]);
  await engine.commit((tx) => tx.task(record, { conversationId: root, state: { what: 'done elsewhere' } }));
  expect(watch.view.tasks).toHaveLength(1);
});

test('a watcher that fell behind is told, gets nothing more, and starts anew from a snapshot [9.4-10]', async () => {
  const { engine, root, say } = await started();
  const watch = await engine.watch(root, { tail: 9, buffer: 3 });
  for (let i = 0; i < 5; i++) await say(String(i));
  const types: string[] = [];
  watch.start((event) => types.push(event.type));
  await say('lost');
  expect(types).toEqual(['fault']);
  expect(watch.view.faulted).toBe(true);
  const view = await watch.resnapshot();
  expect(view.entries).toHaveLength(6);
  expect(watch.view).toMatchObject({ faulted: false, readAt: engine.lastSeq });
  await say('seen');
  expect(types).toEqual(['fault', 'entry']);
  expect(watch.view.entries).toHaveLength(7);
});

test('a snapshot asked for by the listener neither blocks nor folds what it has already [9.4-9]', async () => {
  const { engine, root, say } = await started();
  const watch = await engine.watch(root, { tail: 9 });
  const pending: Promise<unknown>[] = [];
  watch.start(() => {
    if (pending.length < 3) pending.push(watch.resnapshot());
  });
  await Promise.all(Array.from({ length: 8 }, async (_, i) => say(String(i))));
  await Promise.all(pending);
  await say('last');
  expect(watch.view.entries.map((entry) => (note.is(entry) ? entry.content.text : ''))).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    'last',
  ]);
});

test('an error of one listener reaches the host and stops nobody [9.4-21]', async () => {
  const session = new TempSession(onTestFinished);
  const reported: unknown[] = [];
  const engine = await Engine.open(session.store.session('session'), {
    entryKinds: [note],
    taskKinds: [],
    report: (error) => reported.push(error),
  });
  const root = (await engine.root()).id;
  const [bad, good] = [await engine.watch(root, { tail: 9 }), await engine.watch(root, { tail: 9 })];
  const failure = new Error('the listener failed');
  bad.start(() => {
    throw failure;
  });
  good.start(() => undefined);
  await engine.commit((tx) => tx.entry(note, root, { text: 'one' }));
  await engine.commit((tx) => tx.entry(note, root, { text: 'two' }));
  expect(reported).toEqual([failure, failure]);
  expect([bad.view.entries.length, good.view.entries.length]).toEqual([2, 2]);
});

test('one commit with many edits tells the context once, as it is after all of them [9.4-12]', async () => {
  const { engine, root, say } = await started();
  const ids = [await say('one'), await say('two'), await say('three')];
  const watch = await engine.watch(root, { tail: 9 });
  const contexts: (readonly Id[])[] = [];
  watch.start((event) => event.type === 'context' && contexts.push(event.ids));
  const four = await engine.commit((tx) => {
    for (const target of ids) tx.entry(edit, root, { target });
    return tx.entry(note, root, { text: 'four' });
  });
  expect(contexts).toEqual([[four]]);
  expect(watch.view.context).toEqual([four]);
});

test('a kind whose code fails on what was committed costs the watchers their place, not the commit', async () => {
  const session = new TempSession(onTestFinished);
  const reported: unknown[] = [];
  let edits = 0;
  const fickle = entryKind<null>('fickle', {
    edit: () => {
      if (edits++ > 0) throw new Error('the kind failed');
      return [];
    },
  });
  const engine = await Engine.open(session.store.session('session'), {
    entryKinds: [fickle],
    taskKinds: [],
    report: (error) => reported.push(error),
  });
  const root = (await engine.root()).id;
  const watch = await engine.watch(root, { tail: 9 });
  watch.start(() => undefined);
  const id = await engine.commit((tx) => tx.entry(fickle, root, null));
  expect(engine.getEntry(id)).toBeDefined();
  expect(watch.view.faulted).toBe(true);
  expect(reported).toHaveLength(1);
});

test('the session view tells of conversations that come and go [9.4-17]', async () => {
  const { engine, root } = await started();
  const watch = await engine.watch();
  const changes: string[] = [];
  watch.start((event) => changes.push(event.type === 'conversation' ? `${event.change} ${event.conversation.id}` : event.type));
  const fork = await engine.fork(root, 'start');
  expect(watch.view.conversations.map((c) => c.id)).toEqual([root, fork.id]);
  await engine.commit((tx) => tx.deleteConversation(root));
  expect(watch.view.conversations.map((c) => c.id)).toEqual([fork.id]);
  await engine.close();
  await Promise.resolve();
  expect(changes).toEqual([`created ${fork.id}`, `deleted ${root}`, 'closed']);
  expect(watch.view.closed).toBe(true);
});

test('a deleted conversation tells its watchers, and an unknown one has none [9.4-22]', async () => {
  const { engine } = await started();
  const other = await engine.commit((tx) => tx.createConversation());
  const watch = await engine.watch(other, { tail: 1 });
  watch.start(() => undefined);
  await engine.commit((tx) => tx.deleteConversation(other));
  expect(watch.view.deleted).toBe(true);
  await expect(engine.watch(other, { tail: 1 })).rejects.toMatchObject({ code: 'unknownConversation' });
  await expect(watch.resnapshot()).rejects.toMatchObject({ code: 'unknownConversation' });
});

test('who left hears nothing more [9.4-23]', async () => {
  const { engine, root, say } = await started();
  const watch = await engine.watch(root, { tail: 9 });
  let events = 0;
  watch.start(() => {
    events++;
    watch.unsubscribe();
  });
  await say('one');
  await say('two');
  await engine.close();
  expect(events).toBe(1);
});

/** Two relationships between conversations: history, which forks share, and ownership, which work reaches through (engine specification 2.4, 2.5). */
import { expect, onTestFinished, test } from 'vitest';
import type { Id } from './records.ts';
import { end } from './storage.ts';
import { edit, note, reset, summary } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts } from './testing/scripted.ts';

async function started() {
  const scripts = new Scripts();
  const waits = scripts.kind('waits', {
    execute: running(async (_task, context) => context.sleep(end)),
  });
  const quick = scripts.kind('quick');
  const opened = await Opened.open(onTestFinished, [waits, quick]);
  const { engine, root } = opened;
  const say = async (text: string, conversation: Id = root.id) => engine.commit((tx) => tx.entry(note, conversation, { text }));
  return { engine, root, opened, scripts, waits, quick, say };
}

test('a fork has the history of its source and none of its tasks, live or done [2.4-4] [2.5-1]', async () => {
  const { engine, root, opened, quick, waits, say, scripts } = await started();
  const done = await opened.task(quick, 'done before');
  await engine.commit((tx) => tx.settle(done, 'done'));
  const at = await say('one');
  const live = await opened.task(waits, 'live', { background: true });
  const fork = await root.fork(at);
  expect(engine.tasks({ conversationIds: [fork.id], limit: 9 }).items).toEqual([]);
  expect(engine.conversation(fork.id)?.snapshot()).toEqual({ id: fork.id, parent: { conversationId: root.id, at } });
  expect(await fork.drive()).toBe('idle');
  expect(scripts.log).toEqual([]);
  expect([opened.status(done), opened.status(live)]).toEqual(['done', 'waiting']);
});

test('what a fork appends, edits, compacts or resets does not reach its source, nor the other way [2.4-3]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  const two = await say('two');
  const fork = await root.fork(two);
  const deeper = await fork.fork(one);
  await fork.commit((tx) => tx.entry(edit, { target: one, replacement: 'edited in the fork' }));
  await root.commit((tx) => tx.entry(summary, { text: 'one', retainFrom: two }));
  await deeper.commit((tx) => tx.entry(reset, { why: 'new start' }));
  await say('three');
  await say('in the fork', fork.id);
  const texts = [root, fork, deeper].map((conversation) => engine.contextMessages(conversation.id));
  expect(texts).toEqual([['summary: one', 'two', 'three'], ['edited in the fork', 'two', 'in the fork'], []]);
  expect([root, fork, deeper].map((conversation) => conversation.contextMessages())).toEqual(texts);
});

test('a fork of a fork begins its context where the head did that it inherits [2.1-9] [2.4-2]', async () => {
  const { engine, root, say } = await started();
  await say('one');
  const two = await say('two');
  const three = await say('three');
  const head = await root.commit((tx) => tx.entry(summary, { text: 'one', retainFrom: two }));
  const fork = await root.fork(head);
  const four = await say('four', fork.id);
  const deeper = await fork.fork(four);
  await fork.commit((tx) => tx.entry(reset, { why: 'new start' }));
  expect(engine.contextIds(deeper.id)).toEqual([head, two, three, four]);
  const back = async (retainFrom: Id) => deeper.commit((tx) => tx.entry(summary, { text: 's', retainFrom }));
  await expect(back(two - 1)).rejects.toMatchObject({ code: 'headMovesBack' });
  const before = await fork.fork(three);
  expect(engine.contextMessages(before.id)).toEqual(['one', 'two', 'three']);
  await before.commit((tx) => tx.entry(summary, { text: 'all', retainFrom: two - 1 }));
  await back(three);
  expect(engine.contextMessages(deeper.id)).toEqual(['summary: s', 'three', 'four']);
});

test('an edit may aim at what a fork inherited, not at what only its source has [2.1-11] [7.3-4]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  const fork = await root.fork(one);
  const two = await say('two');
  const own = await say('own', fork.id);
  const edits = async (target: Id, conversation: Id = fork.id) =>
    engine.commit((tx) => tx.entry(edit, conversation, { target, replacement: 'edited' }));
  await edits(one);
  await edits(own);
  await expect(edits(two)).rejects.toMatchObject({ code: 'notVisible' });
  await expect(edits(own, root.id)).rejects.toMatchObject({ code: 'notVisible' });
  expect(engine.contextMessages(fork.id)).toEqual(['edited', 'edited']);
  expect(engine.contextMessages(root.id)).toEqual(['one', 'two']);
});

test('an edit may aim at what its own commit wrote before it, not at what comes after it [7.3-2] [7.3-4]', async () => {
  const { engine, root } = await started();
  await root.commit((tx) => {
    const target = tx.entry(note, { text: 'one' });
    tx.entry(edit, { target, replacement: 'edited' });
  });
  expect(engine.contextMessages(root.id)).toEqual(['edited']);
  const next = engine.lastSeq + 2;
  await expect(
    root.commit((tx) => {
      tx.entry(edit, { target: next });
      tx.entry(note, { text: 'after' });
    }),
  ).rejects.toMatchObject({ code: 'notVisible' });
});

test('a fork is neither driven nor cancelled with its source, an owned conversation is both [2.5-2] [2.5-3]', async () => {
  const { engine, root, opened, scripts, waits, quick, say } = await started();
  const at = await say('one');
  const fork = await root.fork(at);
  const ofFork = await fork.commit((tx) => tx.task(quick, { state: { name: 'of the fork' } }));
  const [child, ofChild] = await root.commit((tx) => {
    const owned = tx.createConversation();
    tx.task(waits, { state: { name: 'owner' }, owns: [owned] });
    return [owned, tx.in(owned).task(waits, { state: { name: 'of the child' } })] as const;
  });
  expect(engine.conversation(child)?.snapshot()?.parent).toBeUndefined();
  const driving = root.drive();
  while (scripts.running.length < 2) await new Promise(setImmediate);
  expect(scripts.running.toSorted()).toEqual(['of the child', 'owner']);
  await root.abort();
  expect(await driving).toBe('idle');
  await engine.conversation(child)?.drive();
  expect(opened.status(ofChild)).toBe('aborted');
  expect(opened.status(ofFork)).toBe('waiting');
  expect(engine.getTask(ofFork)?.abort).toBeUndefined();
  await fork.drive();
  expect(opened.status(ofFork)).toBe('done');
});

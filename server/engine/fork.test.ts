/** Forks: what they share, what they never see, and the deep cases of the engine specification 10.1. */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue } from './address.ts';
import type { Engine } from './engine.ts';
import type { Id } from './records.ts';
import { note, summary } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

const rewindable = { rewind: true } as const;
const plan = (conversation: Id) => bound(conversationValue<boolean>('plan', rewindable), conversation);
const expanded = (conversation: Id) => bound(conversationValue<boolean>('expanded', { rewind: false }), conversation);
const moves = (conversation: Id) => bound(conversationList<string>('moves', rewindable), conversation);

async function started(): Promise<{ engine: Engine<string>; root: Id; say: (text: string, conversation?: Id) => Promise<Id> }> {
  const engine = await new TempSession(onTestFinished).engine();
  const root = (await engine.root()).id;
  return {
    engine,
    root,
    say: async (text, conversation = root) => engine.commit((tx) => tx.entry(note, conversation, { text })),
  };
}

function texts(engine: Engine<string>, conversation: Id): readonly string[] {
  return engine.entries(conversation, { limit: 100 }).items.map((entry) => (note.is(entry) ? entry.content.text : entry.kind));
}

test('a fork has its source through the entry it was forked at, by reference, and nothing later [2.4-1]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  const two = await say('two');
  await say('three');
  const fork = await engine.fork(root, two);
  await say('in the fork', fork.id);
  await say('four');
  expect(texts(engine, fork.id)).toEqual(['one', 'two', 'in the fork']);
  expect(texts(engine, root)).toEqual(['one', 'two', 'three', 'four']);
  expect(engine.entries(fork.id, { limit: 1 }).items[0]).toEqual(engine.getEntry(one));
});

test('a fork at the start has nothing, and a fork of it has nothing', async () => {
  const { engine, root, say } = await started();
  await say('one');
  const fork = await engine.fork(root, 'start');
  const deeper = await engine.fork(fork.id, 'start');
  expect(texts(engine, fork.id)).toEqual([]);
  expect(texts(engine, deeper.id)).toEqual([]);
});

test('a cutoff of a nearer fork caps every farther one [7.2-6]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  await say('two');
  const three = await say('three');
  const first = await engine.fork(root, three);
  const four = await say('four', first.id);
  const second = await engine.fork(first.id, four);
  const fromInherited = await engine.fork(second.id, one);
  await say('last', fromInherited.id);
  expect(texts(engine, second.id)).toEqual(['one', 'two', 'three', 'four']);
  expect(texts(engine, fromInherited.id)).toEqual(['one', 'last']);
  expect(engine.countEntries(fromInherited.id)).toBe(2);
});

test('an entry that the source does not see is no place to fork at', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  const fork = await engine.fork(root, one);
  const later = await say('later in the source');
  const ofFork = await say('in the fork', fork.id);
  await expect(engine.fork(fork.id, later)).rejects.toMatchObject({ code: 'notVisible' });
  await expect(engine.fork(root, ofFork)).rejects.toMatchObject({ code: 'notVisible' });
  await expect(engine.fork(root, 999)).rejects.toMatchObject({ code: 'notVisible' });
});

test('state of an entry belongs to a fork at that entry, state set after it does not [3.2-1] [3.2-2]', async () => {
  const { engine, root } = await started();
  const result = await engine.commit((tx) => {
    tx.value(plan(root)).set(true);
    return tx.entry(note, root, { text: 'plan mode on' });
  });
  await engine.commit((tx) => tx.value(plan(root)).set(false));
  const fork = await engine.fork(root, result);
  expect(engine.readValue(plan(fork.id))).toBe(true);
  expect(engine.readValue(plan(root))).toBe(false);
});

test('a fork before a deletion has the value, one after it has none [4.2-5] [4.4-1]', async () => {
  const { engine, root, say } = await started();
  await engine.commit((tx) => tx.value(plan(root)).set(true));
  const before = await say('before');
  await engine.commit((tx) => tx.value(plan(root)).delete());
  const after = await say('after');
  const early = await engine.fork(root, before);
  const late = await engine.fork(root, after);
  expect(engine.readValue(plan(early.id))).toBe(true);
  expect(engine.readValue(plan(late.id))).toBeUndefined();
  expect(engine.readValue(plan(root), before)).toBe(true);
  expect(engine.readValue(plan(root), after)).toBeUndefined();
});

test('a deletion in a fork hides the inherited value there and nowhere else [4.4-2]', async () => {
  const { engine, root, say } = await started();
  await engine.commit((tx) => tx.value(plan(root)).set(true));
  const at = await say('at');
  const fork = await engine.fork(root, at);
  await engine.commit((tx) => tx.value(plan(fork.id)).delete());
  expect(engine.readValue(plan(fork.id))).toBeUndefined();
  expect(engine.readValue(plan(root))).toBe(true);
});

test('a list reads as of an entry: before a clear its elements, after it none, then the new ones [4.2-3] [4.2-4]', async () => {
  const { engine, root, say } = await started();
  const append = async (value: string) => engine.commit((tx) => tx.list(moves(root)).append(value));
  await append('A');
  await append('B');
  const full = await say('A and B');
  await engine.commit((tx) => tx.list(moves(root)).clear());
  const empty = await say('cleared');
  await append('C');
  const anew = await say('C');
  const readAt = (at: Id) => engine.readList(moves(root), { at }).items.map((element) => element.value);
  expect([readAt(full), readAt(empty), readAt(anew)]).toEqual([['A', 'B'], [], ['C']]);
  const forks = [await engine.fork(root, full), await engine.fork(root, empty)];
  expect(forks.map((fork) => engine.readList(moves(fork.id)).items.map((element) => element.value))).toEqual([['A', 'B'], []]);
});

test('a fork removes an inherited element for itself, and clears what it inherited through two levels [4.4-3]', async () => {
  const { engine, root, say } = await started();
  const a = await engine.commit((tx) => tx.list(moves(root)).append('A'));
  await engine.commit((tx) => tx.list(moves(root)).append('B'));
  const fork = await engine.fork(root, await say('one'));
  await engine.commit((tx) => {
    tx.list(moves(fork.id)).remove(a);
    tx.list(moves(fork.id)).append('C');
  });
  const deeper = await engine.fork(fork.id, await say('two', fork.id));
  const read = (conversation: Id) => engine.readList(moves(conversation)).items.map((element) => element.value);
  expect([read(root), read(fork.id), read(deeper.id)]).toEqual([
    ['A', 'B'],
    ['B', 'C'],
    ['B', 'C'],
  ]);
  await engine.commit((tx) => tx.list(moves(deeper.id)).clear());
  expect([read(root), read(fork.id), read(deeper.id)]).toEqual([['A', 'B'], ['B', 'C'], []]);
});

test('a fork before a later summary has the context from before it [2.4-2]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  const two = await say('two');
  await engine.commit((tx) => tx.entry(summary, root, { text: 'one', retainFrom: two }));
  const before = await engine.fork(root, two);
  expect(engine.contextMessages(before.id)).toEqual(['one', 'two']);
  expect(engine.contextMessages(root)).toEqual(['summary: one', 'two']);
  expect(engine.newestHead(before.id)).toBeUndefined();
  expect(engine.contextMessages(root, one)).toEqual(['one']);
});

test('sticky state stays with its conversation unless the fork names it [7.2-8]', async () => {
  const { engine, root, say } = await started();
  await engine.commit((tx) => tx.value(expanded(root)).set(true));
  const at = await say('at');
  const bare = await engine.fork(root, at);
  const selected = await engine.fork(root, at, { inherit: [expanded(root)], set: [[plan(root), true]] });
  expect(engine.readValue(expanded(bare.id))).toBeUndefined();
  expect(engine.readValue(expanded(selected.id))).toBe(true);
  expect(engine.readValue(plan(selected.id))).toBe(true);
  expect(() => engine.readValue(expanded(root), at)).toThrow(/rewindable/);
});

test('what a fork inherits outlives the deletion of its source [6.4-9]', async () => {
  const { engine, root, say } = await started();
  await engine.commit((tx) => tx.value(plan(root)).set(true));
  const at = await say('kept');
  const fork = await engine.fork(root, at);
  await engine.commit((tx) => tx.deleteConversation(root));
  expect(texts(engine, fork.id)).toEqual(['kept']);
  expect(engine.readValue(plan(fork.id))).toBe(true);
  expect(engine.conversation(root)).toBeUndefined();
  expect(texts(engine, root)).toEqual([]);
  await expect(say('more', root)).rejects.toMatchObject({ code: 'unknownConversation' });
  await expect(engine.fork(root, at)).rejects.toMatchObject({ code: 'unknownConversation' });
});

test('a fork made in the commit of the entries it is forked at sees them', async () => {
  const { engine, root } = await started();
  const [fork, deeper] = await engine.commit((tx) => {
    const at = tx.entry(note, root, { text: 'one' });
    tx.entry(note, root, { text: 'two' });
    const first = tx.createConversation({ parent: { conversationId: root, at } });
    const own = tx.entry(note, first, { text: 'own' });
    const second = tx.createConversation({ parent: { conversationId: first, at: own } });
    tx.entry(summary, second, { text: 'all', retainFrom: at });
    return [first, second] as const;
  });
  expect(texts(engine, fork)).toEqual(['one', 'own']);
  expect(engine.contextMessages(deeper)).toEqual(['summary: all', 'one', 'own']);
});

test('a chain of three hundred forks reads in order from both ends', async () => {
  const { engine, root, say } = await started();
  let [conversation, at] = [root, await say('0')];
  for (let depth = 1; depth <= 300; depth++) {
    const fork = await engine.fork(conversation, at);
    [conversation, at] = [fork.id, await say(String(depth), fork.id)];
  }
  const all = engine.entries(conversation, { limit: 1000 }).items;
  expect(all.map((entry) => (note.is(entry) ? Number(entry.content.text) : -1))).toEqual(
    Array.from({ length: 301 }, (_, i) => i),
  );
  expect(engine.entries(conversation, { before: at, limit: 3 }).items.map((entry) => entry.id)).toEqual(
    all
      .slice(-4, -1)
      .map((e) => e.id)
      .toReversed(),
  );
  expect(engine.countEntries(conversation)).toBe(301);
});

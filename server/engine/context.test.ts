/** The derived context: heads, edits, warm handles (engine specification 2.2, 2.3). Histories at random are in history.test.ts. */
import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from './engine.ts';
import { edit, note, reset, silent, summary } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

async function started() {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  const root = await engine.root();
  const say = async (text: string) => engine.commit((tx) => tx.entry(note, root.id, { text }));
  return { session, engine, root, say };
}

test('a summary projects before what it retains [2.2-1] [2.2-3] [2.3-1]', async () => {
  const { engine, root, say } = await started();
  await say('10');
  await say('20');
  const retained = await say('30');
  const last = await say('40');
  const head = await engine.commit((tx) => tx.entry(summary, root.id, { text: '10 and 20', retainFrom: retained }));
  expect(engine.contextIds(root.id)).toEqual([head, retained, last]);
  expect(engine.contextMessages(root.id)).toEqual(['summary: 10 and 20', '30', '40']);
  expect(engine.contextMessages(root.id, last)).toEqual(['10', '20', '30', '40']);
});

test('a summary may land later than what was said while it was made [2.3-3]', async () => {
  const { engine, root, say } = await started();
  await say('old');
  const retained = await say('kept');
  await say('said meanwhile');
  await engine.commit((tx) => tx.entry(summary, root.id, { text: 'old', retainFrom: retained }));
  await say('said after');
  expect(engine.contextMessages(root.id)).toEqual(['summary: old', 'kept', 'said meanwhile', 'said after']);
});

test('a reset retains nothing and projects nothing; the transcript keeps everything [2.1-7] [2.3-5]', async () => {
  const { engine, root, say } = await started();
  await say('old');
  await engine.commit((tx) => tx.entry(reset, root.id, { why: 'clear' }));
  await say('new');
  expect(engine.contextMessages(root.id)).toEqual(['new']);
  expect(engine.countEntries(root.id)).toBe(3);
});

test('older heads are no part of the context even where their place is retained [2.1-10]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  await engine.commit((tx) => tx.entry(summary, root.id, { text: 'first', retainFrom: one }));
  await say('two');
  await engine.commit((tx) => tx.entry(summary, root.id, { text: 'second', retainFrom: one }));
  expect(engine.contextMessages(root.id)).toEqual(['summary: second', 'one', 'two']);
});

test('the newest edit of an entry wins, and one can bring back what another left out [2.1-11] [2.1-12] [2.2-4]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  await say('two');
  await engine.commit((tx) => tx.entry(edit, root.id, { target: one }));
  expect(engine.contextMessages(root.id)).toEqual(['two']);
  expect(root.contextMessages()).toEqual(['two']);
  await engine.commit((tx) => tx.entry(edit, root.id, { target: one, replacement: 'shorter' }));
  expect(engine.contextMessages(root.id)).toEqual(['shorter', 'two']);
  expect(root.contextMessages()).toEqual(['shorter', 'two']);
  expect(engine.getEntry(note, one)?.content.text).toBe('one');
});

test('an edit of what is before the context changes nothing [2.1-13]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  const two = await say('two');
  await engine.commit((tx) => tx.entry(summary, root.id, { text: 'one', retainFrom: two }));
  await engine.commit((tx) => tx.entry(edit, root.id, { target: one, replacement: 'x' }));
  expect(engine.contextMessages(root.id)).toEqual(['summary: one', 'two']);
});

test('an edit can replace the head itself', async () => {
  const { engine, root, say } = await started();
  const two = await say('two');
  const head = await engine.commit((tx) => tx.entry(summary, root.id, { text: 'long', retainFrom: two }));
  await engine.commit((tx) => tx.entry(edit, root.id, { target: head, replacement: 'short' }));
  expect(engine.contextMessages(root.id)).toEqual(['short', 'two']);
});

test('an edit can bring back what was left out before a later head [2.1-14]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  await engine.commit((tx) => tx.entry(edit, root.id, { target: one }));
  expect(root.contextMessages()).toEqual([]);
  await engine.commit((tx) => tx.entry(summary, root.id, { text: 'nothing', retainFrom: one }));
  expect(root.contextMessages()).toEqual(['summary: nothing']);
  await engine.commit((tx) => tx.entry(edit, root.id, { target: one, replacement: 'back' }));
  expect(root.contextMessages()).toEqual(['summary: nothing', 'back']);
  expect(engine.contextMessages(root.id)).toEqual(['summary: nothing', 'back']);
});

test('kinds without a projection are never in the context [2.1-5] [2.2-6]', async () => {
  const { engine, root, say } = await started();
  await engine.commit((tx) => tx.entry(silent, root.id, { text: 'aside' }));
  const one = await say('one');
  expect(engine.contextIds(root.id)).toEqual([one]);
});

test('a warm handle keeps an older position and a snapshot as they were [2.2-12] [2.2-13]', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  await say('two');
  const snapshot = root.contextEntries();
  await say('three');
  expect(root.contextMessages()).toEqual(['one', 'two', 'three']);
  expect(root.contextMessages(one)).toEqual(['one']);
  expect(snapshot.map((entry) => entry.messages[0])).toEqual(['one', 'two']);
  await engine.commit((tx) => tx.entry(reset, root.id, { why: 'clear' }));
  expect(root.contextMessages()).toEqual([]);
  expect(root.contextMessages(one)).toEqual(['one']);
});

test('the host normalises what was projected', async () => {
  const { engine, root, say } = await started();
  const one = await say('one');
  await say('two');
  const joined = engine.contextMessages(root.id, undefined, (entries) => [
    entries.map((e) => `${e.entry.id === one}:${e.messages.join()}`).join(' '),
  ]);
  expect(joined).toEqual(['true:one false:two']);
  expect(root.contextMessages(one, (entries) => [entries.length])).toEqual([1]);
});

test('a context over many pages has every entry once', async () => {
  const { session, engine, root } = await started();
  await engine.commit((tx) => {
    for (let i = 0; i < 1500; i++) tx.entry(note, root.id, { text: String(i) });
  });
  const expected = Array.from({ length: 1500 }, (_, i) => String(i));
  expect(root.contextMessages()).toEqual(expected);
  const other: Engine<string> = await session.engine();
  expect(other.contextMessages(root.id)).toEqual(expected);
});

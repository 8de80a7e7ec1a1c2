/** A commit may bring packs of its entries, compressed elsewhere; what does not fit the batch is refused whole (engine specification 7.3, 7.5). */
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from '../engine.ts';
import type { Entry, Id, MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import type { EntryPack } from '../storage.ts';
import { entryKinds, note, taskKinds } from '../testing/kinds.ts';
import { entryPack } from '../testing/packing.ts';
import { TempSession } from '../testing/session.ts';
import { compress } from './pack-codec.ts';

const entryOf = (id: Id, conversationId = 1): Entry => ({ id, conversationId, kind: 'note', content: { text: `entry ${id}` } });
const [one, two]: readonly MainWrite[] = [1, 2].map((id) => ({ type: 'createConversation', conversation: { id } }));
const entries = (...all: readonly Entry[]): readonly MainWrite[] => all.map((entry) => ({ type: 'entry', entry }));

async function opened() {
  const session = new TempSession(onTestFinished);
  const storage = session.store.session('session');
  await storage.commit({ kind: 'main', writes: [one, two].filter((write) => write !== undefined) });
  const count = (table: string): unknown => session.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  return { session, storage, count };
}

test('entries that came in packs are no rows, and the others of the batch are [7.5-8]', async () => {
  const { storage, count } = await opened();
  const [a, b, c] = [[3, 4], [6, 7, 8], [5]].map((ids) => ids.map((id) => entryOf(id, id === 5 ? 2 : 1)));
  if (a === undefined || b === undefined || c === undefined) throw new Error('no entries');
  const all = [...a, ...c, ...b, entryOf(9)];
  await storage.commit({ kind: 'main', writes: entries(...all) }, undefined, [entryPack(b), entryPack(a)]);
  expect([count('engine_entries'), count('engine_packs'), [...storage.kinds]]).toEqual([2, 2, ['note']]);
  expect([...storage.getEntries([3, 4, 5, 6, 7, 8, 9]).values()]).toEqual(all);
  expect(storage.readEntries({ conversationId: 1, limit: end }).items).toEqual(all.filter(({ id }) => id !== 5));
});

test('a commit of the engine takes packs that its closure’s result tells, and everybody else sees its entries as always [7.5-8]', async () => {
  const { session, count } = await opened();
  const engine = await Engine.open<string>(session.store.session('session'), { entryKinds, taskKinds });
  const watch = await engine.watch(1, { tail: 9 });
  const texts = ['first', 'second', 'third'];
  const lines = Buffer.from(texts.map((text) => JSON.stringify({ text })).join('\n'));
  const { codec, bytes: contents } = compress(lines);
  const seen: unknown[] = [];
  watch.start((event) => void seen.push(event.type === 'entry' ? event.entry.id : event.type));
  const ids = await engine.commit((tx) => texts.map((text) => tx.entry(note, 1, { text })), {
    packs: (made) => [{ ids: made, contents, codec, size: lines.length }],
  });
  expect([count('engine_entries'), count('engine_packs')]).toEqual([0, 1]);
  expect(engine.contextEntries(1).flatMap(({ messages }) => messages)).toEqual(texts);
  expect([...engine.getEntries(note, ids).values()].map(({ content }) => content.text)).toEqual(texts);
  expect(watch.view.entries.map(({ id }) => id)).toEqual(ids);
  await engine.close();
  expect(seen).toEqual([...ids, 'closed']);
});

const some = [3, 4, 5, 6].map((id) => entryOf(id));
const pack = (...ids: readonly Id[]): EntryPack => entryPack(ids.map((id) => entryOf(id)));
const many = Array.from({ length: 129 }, (_, i) => i + 3);
const wrong: readonly (readonly [string, readonly MainWrite[], readonly EntryPack[]])[] = [
  ['nothing', entries(...some), [{ ...pack(3), ids: [] }]],
  ['more than a pack may have', entries(...many.map((id) => entryOf(id))), [pack(...many)]],
  ['entries that do not ascend', entries(...some), [{ ...pack(3, 4), ids: [4, 3] }]],
  ['an entry twice', entries(...some), [{ ...pack(3, 4), ids: [3, 3] }]],
  ['an entry of another pack', entries(...some), [pack(3, 4), pack(4, 5)]],
  ['an entry of an earlier batch', entries(...some), [pack(2, 3)]],
  ['an entry that the batch has not', entries(...some), [pack(6, 7)]],
  ['what is no number', entries(...some), [{ ...pack(3, 4), ids: [3, Number.NaN] }]],
  ['a write that is no entry', [...entries(entryOf(3)), { type: 'createConversation', conversation: { id: 4 } }], [pack(3, 4)]],
  ['entries of two conversations', entries(entryOf(3), entryOf(4, 2)), [pack(3, 4)]],
  ['a head', entries(entryOf(3), { ...entryOf(4), head: true }), [pack(3, 4)]],
  ['entries on both sides of one that it has not', entries(...some), [pack(3, 5)]],
  ['entries on both sides of another pack', entries(...some), [pack(3, 6), pack(4, 5)]],
  ['a codec that nobody knows', entries(...some), [{ ...pack(3, 4), codec: 9 }]],
  ['a size that cannot be', entries(...some), [{ ...pack(3, 4), size: 1 }]],
  ['a size that is not that of what was left as it is', entries(...some), [{ ...pack(3), codec: 0, size: 99 }]],
];

test.each(wrong)('a pack with %s is refused, and nothing is written [7.5-12]', async (_what, writes, packs) => {
  const { storage, count } = await opened();
  let ran = false;
  const within = (): void => void (ran = true);
  await expect(storage.commit({ kind: 'main', writes }, within, packs)).rejects.toMatchObject({ code: 'malformed' });
  expect([ran, storage.lastSeq, count('engine_entries'), count('engine_packs'), count('engine_pack_contents')]).toEqual([
    false,
    2,
    0,
    0,
    0,
  ]);
  await storage.commit({ kind: 'main', writes });
  expect(storage.lastSeq).toBe(2 + writes.length);
});

test('a pack that reaches over too many numbers is refused: its entries could not be found by their ids [7.5-12]', async () => {
  const { storage } = await opened();
  const far = 3 + 4096;
  const between = Array.from({ length: far - 4 }, (_, i) => entryOf(4 + i, 2));
  const writes = entries(entryOf(3), ...between, entryOf(far));
  await expect(storage.commit({ kind: 'main', writes }, undefined, [pack(3, far)])).rejects.toMatchObject({ code: 'malformed' });
  const nearer = entries(entryOf(3), ...between.slice(1).map((entry) => ({ ...entry, id: entry.id - 1 })), entryOf(far - 1));
  await storage.commit({ kind: 'main', writes: nearer }, undefined, [pack(3, far - 1)]);
  expect([...storage.getEntries([3, far - 1]).values()]).toEqual([entryOf(3), entryOf(far - 1)]);
});

test('packs of a scratch commit are refused [7.5-12]', async () => {
  const { storage } = await opened();
  await expect(storage.commit({ kind: 'scratch', task: 1, writes: [] }, () => undefined, [pack(3)])).rejects.toMatchObject({
    code: 'malformed',
  });
});

test('a batch that fails takes its packs with it [3.3-1]', async () => {
  const { storage, count } = await opened();
  const within = (): void => {
    throw new Error('no');
  };
  await expect(storage.commit({ kind: 'main', writes: entries(...some) }, within, [pack(3, 4)])).rejects.toThrow('no');
  expect([storage.lastSeq, count('engine_packs'), storage.countEntries(1)]).toEqual([2, 0, 0]);
  await storage.commit({ kind: 'main', writes: entries(...some) }, undefined, [pack(3, 4)]);
  expect(storage.countEntries(1)).toBe(4);
});

test('packs of a group that was abandoned, read within it, are not taken for those that come in their place [7.5-8]', async () => {
  const { session } = await opened();
  const attempt = async (text: string): Promise<unknown> => {
    const storage = session.store.session('session');
    const all = [3, 4, 5].map((id): Entry => ({ ...entryOf(id), content: { text } }));
    await storage.commit({ kind: 'main', writes: entries(...all) }, undefined, [entryPack(all)]);
    const found = storage.readEntries({ conversationId: 1, limit: end }).items.map(({ content }) => content);
    await storage.close();
    return found;
  };
  session.store.beginGroup();
  expect(await attempt('abandoned')).toEqual([{ text: 'abandoned' }, { text: 'abandoned' }, { text: 'abandoned' }]);
  session.store.abandonGroup();
  expect(session.store.session('session').countEntries(1)).toBe(0);
  session.store.beginGroup();
  expect(await attempt('kept')).toEqual([{ text: 'kept' }, { text: 'kept' }, { text: 'kept' }]);
  session.store.endGroup();
  expect(session.store.session('session').getEntries([4]).get(4)?.content).toEqual({ text: 'kept' });
});

test('packs of a commit that failed, read within it, are not taken for those that come in their place [7.5-8]', async () => {
  const { storage } = await opened();
  const attempt = async (text: string, within?: () => void): Promise<unknown> => {
    const all = [3, 4, 5].map((id): Entry => ({ ...entryOf(id), content: { text } }));
    return storage.commit({ kind: 'main', writes: entries(...all) }, within, [entryPack(all)]);
  };
  const failing = (): void => {
    expect(storage.getEntries([4]).get(4)?.content).toEqual({ text: 'failed' });
    throw new Error('no');
  };
  await expect(attempt('failed', failing)).rejects.toThrow('no');
  await attempt('kept');
  expect(storage.getEntries([4]).get(4)?.content).toEqual({ text: 'kept' });
});

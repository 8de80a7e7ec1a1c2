/** The commits themselves, for a receiver that has a storage of its own (engine specification 9.4). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, sessionValue } from './address.ts';
import type { CommitEvent, CommitView } from './commit-view.ts';
import { Engine } from './engine.ts';
import { MemoryStorage } from './memory/storage.ts';
import type { CommitBatch, Id, Json } from './records.ts';
import { addressKey, end } from './storage.ts';
import type { Storage } from './storage.ts';
import { edit, entryKinds, note, reset, summary, taskKinds, work } from './testing/kinds.ts';
import { pieces, Puppet } from './testing/puppet.ts';
import { TempSession } from './testing/session.ts';
import type { WatchHandle } from './watch.ts';

type Commit = Extract<CommitEvent, { type: 'commit' }>;
const mode = conversationValue<string>('mode', { rewind: true });
const log = conversationList<string>('log', { rewind: false });
const name = sessionValue<string>('name');

async function opened() {
  const session = new TempSession(onTestFinished);
  const puppet = new Puppet();
  const storage = session.store.session('session');
  const kinds = { entryKinds, taskKinds: [...taskKinds, puppet.kind] };
  const engine = await Engine.open(storage, kinds);
  return { engine, storage, puppet, kinds };
}

function commits(watch: WatchHandle<CommitView, CommitEvent>): Commit[] {
  const told: Commit[] = [];
  watch.start((event) => event.type === 'commit' && told.push(event));
  return told;
}

test('a raw watch has every commit that touches the conversation, whole, in order, and no other [9.4-16]', async () => {
  const { engine, puppet } = await opened();
  const root = await engine.root();
  const other = await engine.commit((tx) => tx.createConversation());
  const start = engine.lastSeq;
  const watch = await root.watch({ raw: true });
  expect(watch.view).toEqual({ readAt: start, faulted: false, closed: false });
  const told = commits(watch);
  const touching: Id[] = [];
  const touch = async <T>(commit: Promise<T>): Promise<T> => {
    const result = await commit;
    touching.push(engine.lastSeq);
    return result;
  };
  await touch(root.commit((tx) => tx.entry(note, { text: 'entry' })));
  await engine.commit((tx) => tx.entry(note, other, { text: 'elsewhere' }));
  await touch(root.value(mode).set('plan'));
  await engine.value(name).set('shop');
  await touch(root.list(log).append('x'));
  const task = await touch(root.commit((tx) => tx.task(work, { state: { step: 1 } })));
  const elsewhere = await engine.commit((tx) => tx.task(work, { conversationId: other, state: { step: 1 } }));
  await touch(root.commit((tx) => tx.patch(task, { status: 'running' })));
  await engine.commit((tx) => tx.patch(elsewhere, { status: 'running' }));
  await touch(engine.commit((tx) => tx.createConversation({ owner: task })));
  await engine.fork(root.id, 'start');
  await touch(
    engine.commit((tx) => {
      tx.entry(note, other, { text: 'in both' });
      tx.entry(note, root.id, { text: 'in both' });
    }),
  );
  const played = await touch(root.commit((tx) => tx.task(puppet.kind, { state: {} })));
  await touch(engine.scratch(played, (scratch) => scratch.list(pieces).append('piece')));
  await touch(root.commit((tx) => tx.settle(task, 'done')));
  expect(told.map(({ last }) => last)).toEqual(touching);
  expect(told.every(({ first, last, batch }) => last - first + 1 === batch.writes.length)).toBe(true);
  expect(told.map(({ batch }) => batch.kind).filter((kind) => kind === 'scratch')).toHaveLength(1);
  expect(told.flatMap(({ batch }) => batch.writes).filter(({ type }) => type === 'entry')).toHaveLength(3);
  expect(watch.view.readAt).toBe(touching.at(-1));
});

test('a commit without writes is no commit, and a deletion touches its conversation [9.4-16]', async () => {
  const { engine } = await opened();
  await engine.root();
  const other = await engine.commit((tx) => tx.createConversation());
  const watch = await engine.watch(other, { raw: true });
  const told = commits(watch);
  await engine.commit(() => undefined);
  await engine.commit((tx) => tx.deleteConversation(other));
  expect(told.map(({ batch }) => batch)).toEqual([{ kind: 'main', writes: [{ type: 'deleteConversation', id: other }] }]);
  await expect(engine.watch(other, { raw: true })).rejects.toMatchObject({ code: 'unknownConversation' });
});

test('registration is on the line: commits before it are in what the receiver must have, those behind it come [9.4-6] [9.4-16]', async () => {
  const { engine } = await opened();
  const root = await engine.root();
  const say = async (text: string) => root.commit((tx) => tx.entry(note, { text }));
  const before = [say('1'), say('2')];
  const watching = root.watch({ raw: true });
  const behind = [say('3'), say('4')];
  const watch = await watching;
  expect(watch.view.readAt).toBe((await Promise.all(before)).at(-1));
  const told = commits(watch);
  const ids = await Promise.all(behind);
  await Promise.resolve();
  expect(told.map(({ last }) => last)).toEqual(ids);
});

test('it is bounded like the others: behind its buffer it gets one fault, then a new position [9.4-10] [9.4-16]', async () => {
  const { engine } = await opened();
  const root = await engine.root();
  const say = async (text: string) => root.commit((tx) => tx.entry(note, { text }));
  const watch = await root.watch({ raw: true, buffer: 2 });
  for (let i = 0; i < 4; i++) await say(String(i));
  const types: string[] = [];
  watch.start((event) => types.push(event.type));
  await say('lost');
  expect(types).toEqual(['fault']);
  expect(watch.view.faulted).toBe(true);
  expect(await watch.resnapshot()).toEqual({ readAt: engine.lastSeq, faulted: false, closed: false });
  await say('seen');
  expect(types).toEqual(['fault', 'commit']);
});

test('a receiver that replays the commits of a session from its beginning has the same session [9.4-16]', async () => {
  const { engine, storage, kinds, puppet } = await opened();
  const replica = new MemoryStorage();
  const watch = await engine.watch({ raw: true });
  const replaying: Promise<unknown>[] = [];
  // As they come from another process.
  watch.start((event) => {
    if (event.type === 'commit') replaying.push(replica.commit(JSON.parse(JSON.stringify(event.batch)) as CommitBatch));
  });
  const { root, fork, task } = await history(engine, puppet);
  await Promise.all(replaying);
  const received = await Engine.open(replica, kinds);
  for (const conversation of [root, fork])
    expect(seen(received, replica, conversation)).toEqual(seen(engine, storage, conversation));
  expect(received.lastSeq).toBe(engine.lastSeq);
  expect(received.readValue(name)).toBe('shop');
  expect(replica.readList(bound(pieces, task), { limit: end }).items).toEqual(
    storage.readList(bound(pieces, task), { limit: end }).items,
  );
});

test('a receiver of one conversation has it whole although the commits between are not its own [9.4-16]', async () => {
  const { engine, storage, kinds, puppet } = await opened();
  const all = commits(await engine.watch({ raw: true }));
  const root = await engine.root();
  const created = all.slice(0, 1);
  const watch = await root.watch({ raw: true });
  const told = commits(watch);
  const other = await engine.commit((tx) => tx.createConversation());
  await history(engine, puppet, async (i) => void (await engine.commit((tx) => tx.entry(note, other, { text: `between ${i}` }))));
  const replica = new MemoryStorage();
  for (const { first, batch } of [...created, ...told]) {
    await skip(replica, first - 1);
    await replica.commit(batch);
  }
  expect(told.length).toBeLessThan(all.length - 1);
  const received = await Engine.open(replica, kinds);
  expect(seen(received, replica, root.id)).toEqual(seen(engine, storage, root.id));
});

/** The numbers of commits that are not told are used up by writes that say nothing. */
async function skip(storage: Storage, through: Id): Promise<void> {
  const nothing = { type: 'value.delete' as const, addr: sessionValue('skipped') };
  const missing = through - storage.lastSeq;
  if (missing > 0) await storage.commit({ kind: 'main', writes: Array.from({ length: missing }, () => nothing) });
}

async function history(engine: Engine<string>, puppet: Puppet, between: (i: number) => Promise<void> = async () => undefined) {
  const root = await engine.root();
  const ids: Id[] = [];
  for (let i = 0; i < 6; i++) {
    await between(i);
    ids.push(
      await root.commit((tx) => {
        tx.value(mode).set(`mode ${i}`);
        tx.list(log).append(`line ${i}`);
        return tx.entry(note, { text: `note ${i}` });
      }),
    );
  }
  await root.commit((tx) => tx.entry(edit, { target: ids[4] ?? 0, replacement: 'edited' }));
  await root.commit((tx) => tx.entry(summary, { text: 'so far', retainFrom: ids[3] ?? 0 }));
  await engine.value(name).set('shop');
  const fork = await root.fork(ids[2] ?? 0);
  await fork.commit((tx) => tx.entry(reset, { why: 'clear' }));
  const task = await root.commit((tx) => tx.task(puppet.kind, { state: {} }));
  await between(6);
  await engine.scratch(task, (scratch) => scratch.list(pieces).append('one'));
  await engine.scratch(task, (scratch) => scratch.list(pieces).append('two'));
  const done = await root.commit((tx) => tx.task(work, { state: { step: 1 } }));
  await root.commit((tx) => tx.settle(done, 'done'));
  return { root: root.id, fork: fork.id, task };
}

/** All that a conversation is. */
function seen(engine: Engine<string>, storage: Storage, conversation: Id): Json {
  return JSON.parse(
    JSON.stringify({
      record: storage.getConversations([conversation]).get(conversation),
      entries: engine.entries(conversation, { limit: end }).items,
      context: engine.contextMessages(conversation),
      tasks: storage.scanTasks({ conversationIds: [conversation], limit: end }).items,
      mode: [addressKey(bound(mode, conversation)), engine.readValue(bound(mode, conversation))],
      log: engine.readList(bound(log, conversation)).items,
    }),
  ) as Json;
}

/** What watching costs: what changed, never what there is (engine specification 9.4). */
import { expect, test } from 'vitest';
import { conversationValue } from './address.ts';
import { Engine } from './engine.ts';
import { Kinds } from './kinds.ts';
import { MemoryStorage } from './memory/storage.ts';
import { Previews } from './previews.ts';
import { Publisher } from './publish.ts';
import type { MainWrite } from './records.ts';
import type { Storage } from './storage.ts';
import { entryKinds, note, silent, taskKinds, work } from './testing/kinds.ts';
import { Puppet } from './testing/puppet.ts';
import { Counting } from './testing/storages.ts';
import type { ConversationEvent, ConversationView } from './view.ts';
import type { Watch } from './watch.ts';
import { Watchers } from './watchers.ts';

const mode = conversationValue<string>('mode', { rewind: false });

async function long(entries: number) {
  const counting = new Counting(new MemoryStorage());
  const puppet = new Puppet();
  const engine = await Engine.open(counting.storage, { entryKinds, taskKinds: [...taskKinds, puppet.kind] });
  const root = await engine.root();
  for (let i = 0; i < entries; i += 1000)
    await root.commit((tx) => {
      for (let j = 0; j < 1000; j++) tx.entry(note, { text: `${i + j}` });
    });
  return { engine, root, counting, puppet };
}

test('a commit into a long history reads nothing more because somebody watches, and tells what it wrote [9.4-13]', async () => {
  const { engine, root, counting } = await long(100_000);
  const commits = [
    async () => void (await root.commit((tx) => tx.entry(note, { text: 'one' }))),
    async () => void (await root.commit((tx) => tx.entry(silent, { text: 'aside' }))),
    async () => root.value(mode).set('plan'),
    async () => void (await root.commit((tx) => tx.task(work, { state: { step: 1 } }))),
  ];
  const measured = async () => {
    const costs: (readonly [reads: number, records: number])[] = [];
    for (const commit of commits) {
      counting.reset();
      await commit();
      costs.push([counting.reads, counting.records]);
    }
    return costs;
  };
  const alone = await measured();
  const watch = await root.watch({ tail: 10, values: [] });
  await engine.watch();
  await root.watch({ raw: true });
  let told = '';
  watch.startCommits((events) => (told += JSON.stringify(events)));
  expect(await measured()).toEqual(alone);
  expect(told.length).toBeLessThan(1000);
  expect(watch.view.context).toHaveLength(100_002);
  expect(watch.view.entries).toHaveLength(10);
});

test('a streamed token is told as the token, however long the output is [9.4-11]', async () => {
  const { engine, root, puppet } = await long(0);
  const task = await root.commit((tx) => tx.task(puppet.kind, { state: {} }));
  void engine.drive();
  await puppet.stream(task, 'x'.repeat(1_000_000));
  const watch = await root.watch({ tail: 0 });
  const sizes: number[] = [];
  watch.start((event) => sizes.push(JSON.stringify(event).length));
  for (let i = 0; i < 20; i++) await puppet.stream(task, 'token ');
  expect(sizes).toHaveLength(20);
  expect(Math.max(...sizes)).toBeLessThan(100);
  expect((watch.view.previews[task] as { text: string }).text).toHaveLength(1_000_120);
});

test('without watchers publishing does nothing: it reads nothing and keeps nothing', () => {
  const untouchable = new Proxy({} as Storage, {
    get: (_target, property) => {
      throw new Error(`${String(property)} was read`);
    },
  });
  const kinds = new Kinds<string>(entryKinds, taskKinds);
  const previews = new Previews(untouchable, kinds);
  const report = (error: unknown): never => {
    throw error;
  };
  const publisher = new Publisher<string>({ storage: untouchable, kinds, previews, report });
  const writes: MainWrite[] = [
    { type: 'entry', entry: { id: 1, conversationId: 1, kind: 'note', content: null } },
    { type: 'settle', id: 1, status: 'done', state: null },
    { type: 'deleteConversation', id: 1 },
  ];
  expect(publisher.before(writes)).toBeUndefined();
  publisher.publishScratch(1, [{ type: 'value.delete', addr: { scope: { scratch: 1 }, namespace: 'v', rewind: false } }], 1);
  publisher.report({ error: new Error('nobody listens') });
  expect(previews.size).toBe(0);
});

test('watchers of other conversations cost a commit nothing', async () => {
  const { engine, root, counting } = await long(0);
  const write = async () => {
    counting.reset();
    await root.commit((tx) => tx.entry(note, { text: 'one' }));
    return counting.reads;
  };
  const alone = await write();
  const events: string[] = [];
  for (let i = 0; i < 200; i++) {
    const other = await engine.commit((tx) => tx.createConversation());
    (await engine.watch(other, { tail: 5 })).start((event) => events.push(event.type));
  }
  expect(await write()).toBe(alone);
  expect(events).toEqual([]);
});

test('who left is kept nowhere [9.4-23]', async () => {
  const watchers = new Watchers<string>();
  const { root } = await long(0);
  const watch = (await root.watch({ tail: 0 })) as Watch<ConversationView, ConversationEvent>;
  const [one, two] = [1, 2].map(() => ({ conversation: 1, watch, values: new Set(['a', 'b']), context: undefined }));
  if (one === undefined || two === undefined) return expect.unreachable();
  watchers.add(one);
  watchers.add(two);
  watchers.remove(one);
  expect([watchers.of(1), watchers.ofValue('a')]).toEqual([new Set([two]), new Set([two])]);
  watchers.remove(two);
  expect([watchers.of(1).size, watchers.ofValue('a').size, watchers.ofValue('b').size]).toEqual([0, 0, 0]);
  expect([watchers.isEmpty, [...watchers.all()]]).toEqual([true, []]);
});

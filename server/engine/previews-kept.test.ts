/** Which previews are kept, and until when: those of live tasks (engine specification 5.2, 9.4). */
import { expect, test } from 'vitest';
import { Commits } from './commits.ts';
import { Engine } from './engine.ts';
import { Kinds } from './kinds.ts';
import { Line } from './line.ts';
import { MemoryStorage } from './memory/storage.ts';
import { Previews } from './previews.ts';
import { Publisher } from './publish.ts';
import type { Id } from './records.ts';
import { entryKinds, taskKinds, work } from './testing/kinds.ts';
import { pieces, Puppet } from './testing/puppet.ts';

test('previews of live tasks are kept, no others: not one that a settled task asks for, nor one that its kind has not [9.4-5]', async () => {
  const puppet = new Puppet();
  const storage = new MemoryStorage();
  const engine = await Engine.open(storage, { entryKinds, taskKinds: [puppet.kind, ...taskKinds] });
  const root = await engine.root();
  const [live, settled, plain] = await root.commit((tx) => [
    tx.task(puppet.kind, { state: {} }),
    tx.task(puppet.kind, { state: {} }),
    tx.task(work, { state: { step: 1 } }),
  ]);
  await engine.scratch(live, (scratch) => scratch.list(pieces).append('durable'));
  await root.commit((tx) => tx.settle(settled, 'done'));
  const previews = new Previews(storage, new Kinds([], [puppet.kind, ...taskKinds]));
  const of = (id: Id, kind: string) => previews.tracker({ id, kind, conversationId: root.id });
  expect(of(live, 'puppet')?.target).toEqual({ text: 'durable', lines: [] });
  expect(of(live, 'puppet')).toBe(of(live, 'puppet'));
  expect(of(settled, 'puppet')?.target).toEqual({ text: '', lines: [] });
  expect(of(plain, 'work')).toBeUndefined();
  expect(previews.size).toBe(1);
  previews.drop(live);
  expect(previews.size).toBe(0);
});

test('the commit that settles a task lets go of its preview [9.4-5]', async () => {
  const puppet = new Puppet();
  const storage = new MemoryStorage();
  const kinds = new Kinds<string>([], [puppet.kind]);
  const previews = new Previews(storage, kinds);
  const commits = new Commits<string>({
    storage,
    kinds,
    previews,
    line: new Line(() => undefined),
    publisher: new Publisher<string>({ storage, kinds, previews, report: () => undefined }),
    tracer: undefined,
    committed: () => undefined,
    fault: () => undefined,
  });
  const [id, conversationId] = await commits.main((tx) => {
    const conversation = tx.createConversation();
    return [tx.task(puppet.kind, { conversationId: conversation, state: {} }), conversation] as const;
  });
  previews.tracker({ id, kind: 'puppet', conversationId });
  await commits.main((tx) => tx.patch(id, { status: 'running' }));
  expect(previews.size).toBe(1);
  await commits.main((tx) => tx.settle(id, 'done'));
  expect(previews.size).toBe(0);
});

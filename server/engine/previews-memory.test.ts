/** What is kept of a streamed preview (engine specification 9.4): pieces, not the whole text once a piece. */
import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { Engine } from './engine.ts';
import { Kinds } from './kinds.ts';
import { MemoryStorage } from './memory/storage.ts';
import { Previews } from './previews.ts';
import { entryKinds } from './testing/kinds.ts';
import { Puppet } from './testing/puppet.ts';

function heapInUse(): number {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('who keeps the operations of a streamed text keeps its pieces, not the whole of it once a piece', async () => {
  const puppet = new Puppet();
  const storage = new MemoryStorage();
  const engine = await Engine.open(storage, { entryKinds, taskKinds: [puppet.kind] });
  const root = await engine.root();
  const task = await root.commit((tx) => tx.task(puppet.kind, { state: {} }));
  const previews = new Previews(storage, new Kinds([], [puppet.kind]));
  const tracker = previews.tracker({ id: task, kind: 'puppet', conversationId: root.id });
  const state = tracker?.state as { text: string };
  previews.flush(task);
  state.text = 'x'.repeat(500_000);
  previews.flush(task);
  const before = heapInUse();
  const kept = Array.from({ length: 200 }, (_, i) => {
    state.text += `${i} ${'y'.repeat(100)}`;
    return previews.flush(task);
  });
  expect(kept.at(-1)).toEqual([['a', ['text'], `199 ${'y'.repeat(100)}`]]);
  expect(heapInUse() - before).toBeLessThan(10_000_000);
});

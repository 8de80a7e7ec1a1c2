/** Of watches: a snapshot before delivery has begun (engine specification 9.4). */
import { expect, onTestFinished, test } from 'vitest';
import { note } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

test('a snapshot taken before delivery begins has what waited, which is then not told as well [9.4-8] [9.4-9]', async () => {
  const engine = await new TempSession(onTestFinished).engine();
  const root = await engine.root();
  const watch = await root.watch({ tail: 9 });
  const session = await engine.watch();
  await root.commit((tx) => tx.entry(note, { text: 'one' }));
  const fork = await root.fork('start');
  expect((await watch.resnapshot()).entries).toHaveLength(1);
  await session.resnapshot();
  const heard: string[] = [];
  watch.start((event) => heard.push(event.type));
  session.start((event) => heard.push(`session ${event.type}`));
  await Promise.resolve();
  expect(heard).toEqual([]);
  await root.commit((tx) => tx.entry(note, { text: 'two' }));
  await Promise.resolve();
  expect(heard).toEqual(['entry']);
  expect([watch.view.entries.length, session.view.conversations.map(({ id }) => id)]).toEqual([2, [root.id, fork.id]]);
});

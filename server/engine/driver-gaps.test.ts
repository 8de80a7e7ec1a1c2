/** Of the driver: what is found out about scopes stays true, and faults that look like none (engine specification 6.1, 6.2). */
import { expect, onTestFinished, test } from 'vitest';
import { note } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts } from './testing/scripted.ts';

test('what was looked up while its tree was not driven is served once the tree is [6.2-1] [6.2-5]', async () => {
  const scripts = new Scripts();
  const kind = scripts.kind('step');
  const opened = await Opened.open(onTestFinished, [kind]);
  await opened.root.drive();
  const fork = await opened.root.fork('start');
  // The driver hears of these tasks, and that their conversations are nobody's yet.
  const inChild = await fork.commit((tx) => {
    const owner = tx.task(kind, { state: { name: 'owner' } });
    const child = tx.createConversation({ owner });
    tx.settle(owner, 'done');
    return tx.in(child).task(kind, { state: { name: 'in the child' } });
  });
  for (let i = 0; i < 50; i++) await Promise.resolve();
  expect(scripts.log).toEqual([]);
  await fork.drive();
  for (let i = 0; i < 500 && opened.status(inChild) !== 'done'; i++) await Promise.resolve();
  expect(scripts.log).toEqual(['execute in the child']);
});

test('an AbortError that nobody caused is a failure as any other, and is what is reported [6.1-6] [6.1-14]', async () => {
  const scripts = new Scripts();
  const own = new DOMException('a timeout of its own', 'AbortError');
  const kind = scripts.kind('impatient', { execute: running(async () => Promise.reject(own)) });
  const opened = await Opened.open(onTestFinished, [kind]);
  const id = await opened.task(kind, 'a');
  await expect(opened.root.drive()).rejects.toMatchObject({ name: 'TaskPoisoned', tasks: [id], cause: own });
  expect(opened.reports).toEqual([own]);
});

test("what a task does through a fork that it made is that task's: its entries say so, and its mark holds there [6.3-6] [5.2-10]", async () => {
  const scripts = new Scripts();
  const codes: string[] = [];
  const kind = scripts.kind('forking', {
    execute: running(async (task, context) => {
      const fork = await context.conversation()?.fork('start');
      await fork?.commit((tx) => tx.entry(note, { text: 'by the task' }));
      await context.engine.abortTask(task.id);
      const successor = fork?.commit((tx) => tx.task(kind, { state: { name: 'successor' }, background: true }));
      await successor?.catch((error: unknown) => codes.push((error as { readonly code: string }).code));
      expect(fork?.entries({ limit: 9 }).items).toMatchObject([{ byTaskId: task.id, conversationId: fork?.id }]);
    }),
  });
  const opened = await Opened.open(onTestFinished, [kind]);
  await opened.task(kind, 'a');
  expect(await opened.root.drive()).toBe('idle');
  expect([codes, opened.engine.liveTasks()]).toEqual([['markedTask'], []]);
});

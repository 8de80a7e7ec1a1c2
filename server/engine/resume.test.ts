/** What the next process makes of live work, and the next version of a kind (engine specification 5.2, 5.3). */
import { expect, onTestFinished, test } from 'vitest';
import { scratchValue } from './address.ts';
import { FakeClock } from './testing/clock.ts';
import { Gate } from './testing/gate.ts';
import { Opened } from './testing/open.ts';
import { Scripts, settleAs } from './testing/scripted.ts';

test('a crash before the inflight status executes again, one after it recovers with the scratch that was written [5.3-1] [5.3-3] [5.2-11]', async () => {
  const memo = scratchValue<string>('memo');
  const [early, late] = [new Gate(), new Gate()];
  const dying = new Scripts();
  const kind = dying.kind('step', {
    execute: async (task, context) => {
      if (task.state.name === 'early') await early.pass();
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await context.scratch((scratch) => scratch.value(memo).set('half'));
      await late.pass();
    },
  });
  const first = await Opened.open(onTestFinished, [kind]);
  await first.task(kind, 'early');
  await first.task(kind, 'late');
  void first.root.drive().catch(() => undefined);
  await Promise.all([early.reached, late.reached]);
  expect(first.engine.inspect()).toMatchObject({
    start: [{ state: { name: 'early' } }],
    inflight: [{ state: { name: 'late' } }],
  });

  const scripts = new Scripts();
  const found: (string | undefined)[] = [];
  const next = scripts.kind('step', {
    recover: async (task, context) => {
      found.push(await context.scratch((scratch) => scratch.value(memo).get()));
      await context.commit((tx) => tx.settle(task.id, 'done'));
    },
  });
  const second = await first.again([next]);
  await second.root.drive();
  expect(scripts.log.toSorted()).toEqual(['execute early', 'recover late']);
  expect([found, second.engine.liveTasks()]).toEqual([['half'], []]);
});

test('a retry sleeps in its own execution until the time in its state, across a restart too [5.2-14] [5.3-6]', async () => {
  const scripts = new Scripts();
  const attempts: number[] = [];
  const kind = scripts.kind('retrying', {
    execute: async (task, context) => {
      const notBefore = Number(task.state.note ?? 0);
      if (notBefore > context.now()) await context.sleep(notBefore);
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      attempts.push(context.now());
      if (attempts.length < 3)
        await context.commit((tx) => tx.patch(task.id, { status: 'waiting', state: { note: String(context.now() + 5000) } }));
      else await context.commit((tx) => tx.settle(task.id, 'done'));
    },
  });
  const clock = new FakeClock(0);
  const first = await Opened.open(onTestFinished, [kind], { clock });
  await first.task(kind, 'r');
  const drive = first.root.drive();
  await clock.waited();
  clock.advance(4999);
  expect(clock.waiting).toEqual([5000]);
  clock.advance(1);
  await clock.waited();
  expect(attempts).toEqual([0, 5000]);
  await first.engine.close();
  expect([await drive, clock.waiting]).toEqual(['closed', []]);

  const later = new FakeClock(7000);
  const second = await first.again([kind], { clock: later });
  const again = second.root.drive();
  await later.waited();
  expect(later.waiting).toEqual([10_000]);
  later.advance(3000);
  expect([await again, attempts]).toEqual(['idle', [0, 5000, 10_000]]);
  expect(second.reports).toEqual([]);
});

test('a kind that replaces another under its name runs the persisted tasks [5.2-1]', async () => {
  const scripts = new Scripts();
  const first = await Opened.open(onTestFinished, [scripts.kind('step')]);
  const id = await first.task(scripts.kind('step'), 'a');
  const replacement = new Scripts();
  const second = await first.again([scripts.kind('step'), replacement.kind('step', { execute: settleAs('failed') })]);
  await second.root.drive();
  expect([scripts.log, replacement.log, second.status(id)]).toEqual([[], ['execute a'], 'failed']);
});

test('live work of a kind or status that nobody knows rejects at open and is named; terminal work stays readable [5.2-17]', async () => {
  const scripts = new Scripts();
  const [kind, other] = [scripts.kind('forgotten'), scripts.kind('kept')];
  const first = await Opened.open(onTestFinished, [kind, other]);
  const id = await first.task(kind, 'a');
  await expect(first.again([other])).rejects.toMatchObject({
    code: 'unknownKind',
    message: expect.stringContaining('forgotten'),
  });
  const { waiting: _, ...roles } = kind.roles;
  await expect(first.again([other, { ...kind, roles }])).rejects.toMatchObject({
    code: 'unknownStatus',
    message: expect.stringContaining('"waiting"'),
  });
  const second = await first.again([kind, other]);
  await second.root.drive();
  const third = await second.again([other]);
  expect(third.engine.getTask(id)).toMatchObject({ kind: 'forgotten', status: 'done', state: { name: 'a' } });
});

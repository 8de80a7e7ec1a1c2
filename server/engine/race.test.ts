/** The races of an exchange, each in both orders (engine specification 5.5, 10.2). Barriers hold commits between the line and the disk. */
import { expect, onTestFinished, test } from 'vitest';
import type { MainWrite } from './records.ts';
import { Exchange } from './testing/exchange.ts';
import { until } from './testing/gate.ts';
import { note } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { Barrier, writes } from './testing/storages.ts';

async function begun(exchange: Exchange, calls: readonly string[]) {
  let barrier: Barrier | undefined;
  const opened = await Opened.open(onTestFinished, exchange.kinds, {
    around: (storage) => (barrier = new Barrier(storage)).storage,
  });
  if (barrier === undefined) throw new Error('the session has a barrier');
  await opened.root.commit((tx) => tx.task(exchange.generation, { state: { calls } }));
  const tasks = (kind: string) => opened.engine.tasks({ conversationIds: [opened.root.id], kind, limit: 99 }).items;
  /** Holds the line with a commit of nobody's until the gate opens. */
  const holdLine = async () => {
    const held = barrier?.hold(writes((write) => write.type === 'entry' && isOf(write, 'in between')));
    const entry = opened.root.commit((tx) => tx.entry(note, { text: 'in between' }));
    await held?.reached;
    return async () => {
      held?.open();
      await entry;
    };
  };
  return { opened, root: opened.root, engine: opened.engine, barrier, tasks, holdLine };
}

function isOf(write: MainWrite, text: string): boolean {
  return write.type === 'entry' && (write.entry.content as { readonly text?: string }).text === text;
}

async function turns(count = 60): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

test('a settlement publishes entry, tools and join in one commit; the join reads what it waited for in one batch [5.5-1] [5.5-3] [5.4-6]', async () => {
  const exchange = new Exchange();
  const { root, engine, tasks } = await begun(exchange, ['a', 'b']);
  const seen: string[][] = [];
  const watch = await root.watch({ tail: 9 });
  watch.startCommits((events) => seen.push(events.map(({ type }) => type)));
  await root.drive();
  expect(exchange.log).toEqual(['generation', 'a', 'b', 'post_tools', 'generation']);
  expect(seen[1]).toEqual(['entry', 'task_start', 'task_start', 'task_start', 'task_end']);
  expect(tasks('post_tools')).toMatchObject([{ status: 'done', state: { outputs: ['A', 'B'] } }]);
  expect(engine.liveTasks()).toEqual([]);
});

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('parallel tools that settle %s before %s start their join once [10.2-8]', async (first, second) => {
  const exchange = new Exchange();
  const gates = { a: exchange.close('a'), b: exchange.close('b') };
  const { root, tasks, opened } = await begun(exchange, ['a', 'b']);
  const drive = root.drive();
  await Promise.all([gates.a.reached, gates.b.reached]);
  gates[first as 'a' | 'b'].open();
  await until(() => tasks('tool').some(({ status }) => status !== 'running'));
  await turns();
  expect(exchange.log).not.toContain('post_tools');
  gates[second as 'a' | 'b'].open();
  await drive;
  expect(exchange.log.filter((name) => name === 'post_tools')).toHaveLength(1);
  expect([tasks('generation').length, opened.reports]).toEqual([2, []]);
});

test('parallel tools whose settlements wait on the line together start their join once [10.2-8]', async () => {
  const exchange = new Exchange();
  const gates = [exchange.close('a'), exchange.close('b')];
  const { root, holdLine } = await begun(exchange, ['a', 'b']);
  const drive = root.drive();
  await Promise.all(gates.map(async (gate) => gate.reached));
  const release = await holdLine();
  for (const gate of gates) gate.open();
  await turns();
  await release();
  await drive;
  expect(exchange.log.filter((name) => name === 'post_tools')).toHaveLength(1);
});

test('an effect that returned before the mark keeps its outcome, and the mark is refused [10.2-7]', async () => {
  const exchange = new Exchange();
  const gate = exchange.close('a');
  const { root, engine, barrier, tasks } = await begun(exchange, ['a']);
  const drive = root.drive();
  await gate.reached;
  const held = barrier.hold(writes((write) => write.type === 'settle'));
  gate.open();
  await held.reached;
  const abort = engine.abortTask(tasks('tool')[0]?.id ?? 0);
  held.open();
  await expect(abort).rejects.toMatchObject({ code: 'taskIsTerminal' });
  await drive;
  expect([tasks('tool')[0]?.status, exchange.log]).toEqual(['done', ['generation', 'a', 'post_tools', 'generation']]);
});

test('an effect that returns when the mark is ahead of it on the line settles once, and is not aborted beside that [10.2-7] [6.1-10]', async () => {
  const exchange = new Exchange();
  const gate = exchange.close('a');
  const { root, engine, tasks, holdLine, opened } = await begun(exchange, ['a']);
  const drive = root.drive();
  await gate.reached;
  const release = await holdLine();
  const abort = engine.abortTask(tasks('tool')[0]?.id ?? 0);
  gate.open();
  await turns();
  await release();
  await Promise.all([abort, drive]);
  expect(tasks('tool')[0]).toMatchObject({ status: 'done', abort: true, state: { output: 'A' } });
  expect([exchange.log, opened.reports]).toEqual([['generation', 'a', 'post_tools', 'generation'], []]);
});

test('an effect that the mark interrupts is joined, then aborted [10.2-7]', async () => {
  const exchange = new Exchange();
  const gate = exchange.close('a');
  const { root, engine, tasks, opened } = await begun(exchange, ['a']);
  const drive = root.drive();
  await gate.reached;
  await engine.abortTask(tasks('tool')[0]?.id ?? 0);
  await drive;
  expect(exchange.log).toEqual(['generation', 'a', 'abort tool', 'post_tools', 'generation']);
  expect([tasks('post_tools')[0]?.state, opened.reports]).toEqual([expect.objectContaining({ outputs: ['aborted'] }), []]);
});

test('when the join settles before the abort, the abort marks the generation that it made [10.2-9]', async () => {
  const exchange = new Exchange();
  const { root, barrier, tasks } = await begun(exchange, ['a']);
  const held = barrier.hold((batch) => exchange.log.at(-1) === 'post_tools' && writes((write) => write.type === 'settle')(batch));
  const drive = root.drive();
  await held.reached;
  exchange.close('generation');
  const abort = root.abort();
  held.open();
  await Promise.all([abort, drive]);
  expect(tasks('generation').map(({ status, abort: mark }) => [status, mark])).toEqual([
    ['done', undefined],
    ['aborted', true],
  ]);
  expect(tasks('post_tools')).toMatchObject([{ status: 'done' }]);
});

test.each([false, true])(
  'when the abort is ahead of the join on the line, the join makes no successor; careless of its mark: %s [10.2-9] [6.3-6]',
  async (isCareless) => {
    const exchange = new Exchange();
    exchange.isCareless = isCareless;
    const gate = exchange.close('post_tools');
    const { root, tasks, holdLine, opened } = await begun(exchange, ['a']);
    const drive = root.drive();
    await gate.reached;
    const release = await holdLine();
    const abort = root.abort();
    gate.open();
    await turns();
    await release();
    await Promise.all([abort, drive]);
    expect(tasks('generation')).toHaveLength(1);
    expect(tasks('post_tools')).toMatchObject([{ status: isCareless ? 'aborted' : 'done', abort: true }]);
    expect(opened.reports).toEqual(isCareless ? [expect.objectContaining({ code: 'markedTask' })] : []);
  },
);

test('while persistence is paused readers see the old state and nothing of the batch runs [10.2-1]', async () => {
  const exchange = new Exchange();
  const { root, engine, barrier, tasks } = await begun(exchange, ['a', 'b']);
  const gate = exchange.close('generation');
  const drive = root.drive();
  await gate.reached;
  const before = engine.lastSeq;
  const held = barrier.hold();
  gate.open();
  await held.reached;
  await turns();
  expect([engine.lastSeq, tasks('tool'), tasks('generation')[0]?.status, root.entries({ limit: 9 }).items]).toEqual([
    before,
    [],
    'running',
    [],
  ]);
  expect(exchange.log).toEqual(['generation']);
  held.open();
  await drive;
  expect(exchange.log).toEqual(['generation', 'a', 'b', 'post_tools', 'generation']);
});

test('a crash before the settlement leaves the generation to recover, and no follower [5.5-4]', async () => {
  const exchange = new Exchange();
  const { root, barrier, opened } = await begun(exchange, ['a']);
  const held = barrier.hold(writes((write) => write.type === 'settle'));
  void root.drive().catch(() => undefined);
  await held.reached;
  const next = new Exchange();
  const second = await opened.again(next.kinds);
  expect(second.engine.inspect()).toMatchObject({ start: [], inflight: [{ kind: 'generation' }] });
  await second.root.drive();
  expect(next.log).toEqual(['generation again', 'a', 'post_tools', 'generation']);
});

test('a crash after the settlement, or after the last tool, leaves every follower startable and nothing to repair [5.5-4] [5.5-5]', async () => {
  const exchange = new Exchange();
  const tool = exchange.close('a');
  const { root, opened } = await begun(exchange, ['a']);
  void root.drive().catch(() => undefined);
  await tool.reached;
  const second = new Exchange();
  const join = second.close('post_tools');
  const again = await opened.again(second.kinds);
  expect(again.engine.inspect()).toMatchObject({ start: [{ kind: 'post_tools' }], inflight: [{ kind: 'tool' }] });
  void again.root.drive().catch(() => undefined);
  await join.reached;
  const third = new Exchange();
  const last = await again.again(third.kinds);
  expect(last.engine.inspect()).toMatchObject({ start: [{ kind: 'post_tools' }], inflight: [] });
  await last.root.drive();
  expect([second.log, third.log]).toEqual([['post_tools'], ['post_tools', 'generation']]);
});

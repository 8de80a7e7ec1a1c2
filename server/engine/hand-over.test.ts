/** Work that goes from one task to another: children of a tool, summaries, retries behind a collapse (engine specification 8.2 to 8.5, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import type { TaskKind } from './kinds.ts';
import type { Id } from './records.ts';
import { Gate } from './testing/gate.ts';
import { edit, note, reset, summary } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts } from './testing/scripted.ts';
import { Barrier, writes } from './testing/storages.ts';

/** A tool that drives a child of its own and settles by its mark. */
async function withChild() {
  const scripts = new Scripts();
  const gate = new Gate();
  const inner = scripts.kind('inner', { execute: running(async () => gate.pass()) });
  const tool = scripts.kind('tool', {
    execute: async (task, context) => {
      const child = await context.commit((tx) => {
        tx.patch(task.id, { status: 'running' });
        const id = tx.createConversation({ owner: task.id });
        tx.in(id).task(inner, { state: { name: 'child' } });
        return id;
      });
      await context.conversation(child)?.drive();
      await context.commit((tx) => tx.settle(task.id, tx.getTask(task.id)?.abort === true ? 'aborted' : 'done'));
    },
  });
  let barrier: Barrier | undefined;
  const opened = await Opened.open(onTestFinished, [tool, inner], {
    around: (storage) => (barrier = new Barrier(storage)).storage,
  });
  const owner = await opened.task(tool, 'tool');
  const drive = opened.root.drive();
  await gate.reached;
  const [child] = opened.engine.tasks({ kind: 'inner', limit: 1 }).items;
  if (barrier === undefined || child === undefined) throw new Error('the child runs behind a barrier');
  return { opened, barrier, gate, owner, child: child.id, drive, scripts };
}

test('a child that has finished when the mark lands leaves its tool aborted, not done [10.2-10]', async () => {
  const { opened, barrier, gate, owner, child, drive } = await withChild();
  const held = barrier.hold(writes((write) => write.type === 'settle' && write.id === child));
  gate.open();
  await held.reached;
  const abort = opened.root.abort();
  held.open();
  await Promise.all([abort, drive]);
  expect([owner, child].map((id) => [opened.status(id), opened.engine.getTask(id)?.abort])).toEqual([
    ['aborted', true],
    ['done', undefined],
  ]);
});

test('a child that finishes behind the mark leaves its tool aborted, not done [10.2-10]', async () => {
  const { opened, barrier, gate, owner, child, drive, scripts } = await withChild();
  const held = barrier.hold();
  const entry = opened.root.commit((tx) => tx.entry(note, { text: 'in between' }));
  await held.reached;
  const abort = opened.root.abort();
  gate.open();
  for (let i = 0; i < 60; i++) await Promise.resolve();
  held.open();
  await Promise.all([entry, abort, drive]);
  expect([owner, child].map((id) => [opened.status(id), opened.engine.getTask(id)?.abort])).toEqual([
    ['aborted', true],
    ['done', true],
  ]);
  expect([scripts.log, opened.reports]).toEqual([['execute tool', 'execute child'], []]);
});

test('a tool that was to wait for its child is recovered by driving it again [5.3-7]', async () => {
  const { opened, owner, child, drive } = await withChild();
  drive.catch(() => undefined);
  const scripts = new Scripts();
  const inner = scripts.kind('inner');
  const tool = scripts.kind('tool', {
    recover: async (task, context) => {
      for (const id of task.owns ?? []) await context.conversation(id)?.drive();
      await context.commit((tx) => tx.settle(task.id, 'done'));
    },
  });
  const second = await opened.again([tool, inner]);
  expect(await second.root.drive()).toBe('idle');
  expect([scripts.log, second.status(owner), second.status(child)]).toEqual([['recover tool', 'recover child'], 'done', 'done']);
});

interface CollapseState {
  /** Newest head when it was created; 0: none. */
  readonly head: Id;
  readonly retainFrom: Id;
  /** Attempts so far of the generation that it retries. */
  readonly retry?: number;
  readonly why?: string;
}
const roles = {
  pending: 'start',
  summarizing: 'inflight',
  done: 'terminal',
  failed: 'terminal',
  aborted: 'terminal',
} as const;

function collapse(gate: Gate, generation?: TaskKind<{ readonly attempt: number }>): TaskKind<CollapseState> {
  return {
    kind: 'collapse',
    initialStatus: 'pending',
    roles,
    execute: async (task, context) => {
      await context.commit((tx) => tx.patch(task.id, { status: 'summarizing' }));
      await gate.pass(context.signal);
      await context.commit((tx) => {
        const { head, retainFrom, retry } = task.state;
        const newest = context.engine.newestHead(task.conversationId)?.id ?? 0;
        if (newest !== head) return tx.settle(task, 'failed', { why: 'stale' });
        tx.entry(summary, { text: 'so far', retainFrom });
        if (generation !== undefined && retry !== undefined && tx.getTask(task.id)?.abort !== true)
          tx.task(generation, { state: { attempt: retry + 1 } });
        return tx.settle(task, 'done');
      });
    },
    recover: async (task, context) => context.commit((tx) => tx.settle(task, 'failed', { why: 'interrupted' })),
    abort: async (task, context) => context.commit((tx) => tx.settle(task, 'aborted')),
  };
}

async function collapsing() {
  const gate = new Gate();
  const kind = collapse(gate);
  let barrier: Barrier | undefined;
  const opened = await Opened.open(onTestFinished, [kind], {
    around: (storage) => (barrier = new Barrier(storage)).storage,
  });
  const { root } = opened;
  const [first, last] = await root.commit((tx) => ['one', 'two', 'three'].map((text) => tx.entry(note, { text })).slice(1));
  const id = await root.commit((tx) => tx.task(kind, { state: { head: 0, retainFrom: last ?? 0 }, background: true }));
  void root.drive();
  const drive = opened.engine.drive();
  await gate.reached;
  if (barrier === undefined) throw new Error('the session has a barrier');
  return { opened, root, gate, id, drive, edited: first ?? 0, barrier };
}

test('a summary that lands after a competing head is rejected as stale [10.2-13]', async () => {
  const { opened, root, gate, id, drive } = await collapsing();
  await root.commit((tx) => tx.entry(reset, { why: 'anew' }));
  await root.commit((tx) => tx.entry(note, { text: 'after it' }));
  gate.open();
  await drive;
  expect([opened.engine.getTask(id), root.contextMessages()]).toEqual([
    expect.objectContaining({ status: 'failed', state: expect.objectContaining({ why: 'stale' }) }),
    ['after it'],
  ]);
});

test('a summary that is ahead of the competing head on the line lands, and the head after it holds [10.2-13]', async () => {
  const { opened, root, gate, id, drive, barrier } = await collapsing();
  const held = barrier.hold(writes((write) => write.type === 'settle'));
  gate.open();
  await held.reached;
  const competing = root.commit((tx) => tx.entry(reset, { why: 'anew' }));
  held.open();
  await Promise.all([competing, drive]);
  expect([opened.status(id), root.contextMessages()]).toEqual(['done', []]);
});

test('edits and entries in between do not make a summary stale [10.2-13]', async () => {
  const { opened, root, gate, id, drive, edited } = await collapsing();
  await root.commit((tx) => tx.entry(note, { text: 'four' }));
  await root.commit((tx) => tx.entry(edit, { target: edited }));
  gate.open();
  await drive;
  expect([opened.status(id), root.contextMessages()]).toEqual(['done', ['summary: so far', 'three', 'four']]);
});

test.each([false, true])(
  'a generation that overflows settles and hands its retry to the collapse: nothing live waits for it; aborted meanwhile: %s [10.2-15]',
  async (isAborted) => {
    const gate = new Gate();
    const attempts: number[] = [];
    const generation: TaskKind<{ readonly attempt: number }> = {
      kind: 'generation',
      initialStatus: 'pending',
      roles,
      execute: async (task, context) => {
        attempts.push(task.state.attempt);
        await context.commit((tx) => {
          if (task.state.attempt > 0) return tx.settle(task.id, 'done');
          const state = { head: 0, retainFrom: task.id - 1, retry: task.state.attempt };
          tx.settle(task.id, 'failed');
          return tx.task(summarizing, { state });
        });
      },
      recover: async (task, context) => context.commit((tx) => tx.settle(task.id, 'failed')),
      abort: async (task, context) => context.commit((tx) => tx.settle(task.id, 'aborted')),
    };
    const summarizing = collapse(gate, generation);
    const opened = await Opened.open(onTestFinished, [generation, summarizing]);
    await opened.root.commit((tx) => {
      tx.entry(note, { text: 'too long' });
      tx.task(generation, { state: { attempt: 0 } });
    });
    const drive = opened.root.drive();
    await gate.reached;
    expect(opened.engine.liveTasks()).toMatchObject([{ kind: 'collapse', after: [], status: 'summarizing' }]);
    if (isAborted) await opened.root.abort();
    gate.open();
    await drive;
    const kinds = opened.engine
      .tasks({ conversationIds: [opened.root.id], limit: 9 })
      .items.map(({ kind, status }) => [kind, status]);
    expect(kinds).toEqual([
      ['generation', 'failed'],
      ['collapse', isAborted ? 'aborted' : 'done'],
      ...(isAborted ? [] : [['generation', 'done']]),
    ]);
    expect([attempts, opened.reports]).toEqual([isAborted ? [0] : [0, 1], []]);
  },
);

/** What a UI of an agent wants to be told, and the events that tell it, for every kind of task alike (the table of engine specification 9.4). */
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationValue } from './address.ts';
import type { ConversationHandle } from './conversation.ts';
import { Engine } from './engine.ts';
import { isTask } from './kinds.ts';
import type { TaskKindRoles } from './kinds.ts';
import type { Id } from './records.ts';
import { addressKey } from './storage.ts';
import { entryKinds, note, summary } from './testing/kinds.ts';
import { Puppet, puppetConfig } from './testing/puppet.ts';
import { TempSession } from './testing/session.ts';
import type { ConversationEvent, ConversationView, SessionEvent } from './view.ts';
import type { WatchHandle } from './watch.ts';

const collapse: TaskKindRoles<{ readonly reason: string; readonly summary?: Id }> = {
  kind: 'collapse',
  initialStatus: 'planned',
  roles: { planned: 'start', done: 'terminal' },
};
const asked = conversationValue<string>('plugin.mode', { rewind: false });

class Lane {
  readonly told: ConversationEvent[] = [];
  readonly session: SessionEvent[] = [];
  readonly generation: Puppet;
  readonly tool: Puppet;
  readonly engine: Engine<string>;
  readonly root: ConversationHandle<string>;
  readonly watch: WatchHandle<ConversationView, ConversationEvent>;
  /** A generation that streams. */
  readonly run: Id;

  private constructor(parts: Pick<Lane, 'generation' | 'tool' | 'engine' | 'root' | 'watch' | 'run'>) {
    ({
      generation: this.generation,
      tool: this.tool,
      engine: this.engine,
      root: this.root,
      watch: this.watch,
      run: this.run,
    } = parts);
  }

  static async open(): Promise<Lane> {
    const kinds = { generation: new Puppet('generation'), tool: new Puppet('tool') };
    const engine = await Engine.open(new TempSession(onTestFinished).store.session('s'), {
      entryKinds,
      taskKinds: [kinds.generation.kind, kinds.tool.kind, collapse],
    });
    const root = await engine.root();
    const run = await root.commit((tx) => tx.task(kinds.generation.kind, { state: {} }));
    root.drive().catch(() => undefined);
    await kinds.generation.running(run);
    const watch = await root.watch({ tail: 5, values: [bound(asked, root.id)] });
    const lane = new Lane({ ...kinds, engine, root, watch, run });
    watch.start((event) => lane.told.push(event));
    (await engine.watch()).start((event) => lane.session.push(event));
    return lane;
  }
}

interface Row {
  readonly lane: string;
  /** Returns what the view then has. */
  readonly act: (lane: Lane) => Promise<object>;
  /** Events, in order, maybe with others between them. */
  readonly told?: (lane: Lane) => readonly object[];
  readonly session?: readonly object[];
}

const rows: readonly Row[] = [
  {
    lane: 'run_start, run_end',
    act: async ({ root, generation, run }) => {
      const next = await root.commit((tx) => tx.task(generation.kind, { state: {} }));
      await generation.settle(run);
      return { tasks: [{ id: next }] };
    },
    told: ({ run }) => [
      { type: 'task_start', task: { kind: 'generation' } },
      { type: 'task_end', task: { id: run, kind: 'generation', status: 'done' } },
    ],
  },
  {
    lane: 'retry_scheduled',
    act: async ({ generation, run }) => {
      await generation.putOff(run, 'retry_wait', { attempt: 2, notBefore: 500 });
      return { tasks: [{ id: run, state: { attempt: 2, notBefore: 500 } }] };
    },
    told: () => [
      {
        type: 'task_update',
        task: { status: 'retry_wait', state: { attempt: 2, notBefore: 500 } },
        previous: { status: 'running' },
      },
    ],
  },
  {
    lane: 'run_suspend',
    act: async ({ generation, run }) => {
      await generation.putOff(run, 'deferred', { handle: 'batch-7' });
      return { tasks: [{ id: run, state: { handle: 'batch-7' } }] };
    },
    told: () => [{ type: 'task_update', task: { status: 'deferred', state: { handle: 'batch-7' } } }],
  },
  {
    lane: 'message_update',
    act: async ({ generation, run }) => {
      await generation.stream(run, 'The parser');
      await generation.stream(run, ' reads');
      return { previews: { [run]: { text: 'The parser reads' } }, tasks: [{ id: run }] };
    },
    told: ({ run }) => [
      { type: 'task_output', task: run, ops: [['a', ['text'], 'The parser']] },
      { type: 'task_output', task: run, ops: [['a', ['text'], ' reads']] },
    ],
  },
  {
    lane: 'tool_start, tool_update, tool_end',
    act: async ({ root, tool, run }) => {
      const call = await root.commit((tx) => tx.task(tool.kind, { state: {} }));
      await tool.stream(call, 'ok\n');
      const result = await (
        await tool.running(call)
      ).commit((tx) => {
        const entry = tx.entry(note, { text: 'ok' });
        tx.settle(call, 'done', { result: entry });
        return entry;
      });
      return { entries: [{ id: result }], tasks: [{ id: run }], previews: { [run]: { text: '' } } };
    },
    told: () => [
      { type: 'task_start', task: { kind: 'tool' } },
      { type: 'task_output', ops: [['r', { text: '', lines: [] }]] },
      { type: 'task_update', task: { kind: 'tool', status: 'running' } },
      { type: 'task_output', ops: [['a', ['text'], 'ok\n']] },
      { type: 'entry', entry: { content: { text: 'ok' } } },
      { type: 'task_end', task: { kind: 'tool', state: { result: expect.any(Number) as number } } },
    ],
  },
  {
    lane: 'compaction_start, compaction_end',
    act: async ({ root }) => {
      const task = await root.commit((tx) => {
        tx.entry(note, { text: 'old' });
        return tx.task(collapse, { state: { reason: 'manual' }, background: true });
      });
      const id = await root.commit((tx) => {
        const head = tx.entry(summary, { text: 'short' });
        tx.settle(task, 'done', { summary: head });
        return head;
      });
      return { context: [id] };
    },
    told: () => [
      { type: 'task_start', task: { kind: 'collapse', state: { reason: 'manual' } } },
      { type: 'entry', entry: { kind: 'summary' } },
      { type: 'task_end', task: { kind: 'collapse', state: { summary: expect.any(Number) as number } } },
      { type: 'context', ids: [expect.any(Number) as number] },
    ],
  },
  {
    lane: 'navigation_start, navigation_end',
    act: async ({ root, engine, run }) => {
      await root.fork('start', { abort: true });
      await engine.drive();
      expect(engine.getTask(run)?.status).toBe('aborted');
      return { tasks: [], previews: {} };
    },
    told: ({ run }) => [
      { type: 'task_update', task: { id: run, abort: true } },
      { type: 'task_end', task: { id: run, status: 'aborted' } },
    ],
    session: [{ type: 'conversation', change: 'created', conversation: { parent: { at: 0 } } }],
  },
  {
    lane: 'config_update',
    act: async ({ root, generation }) => {
      await root.config(generation.kind).set({ model: 'large', effort: 3 });
      await root.config(generation.kind).set({ effort: undefined });
      return { values: { [addressKey(bound(puppetConfig.model, root.id))]: 'large' } };
    },
    told: ({ root }) => [
      { type: 'value', addr: bound(puppetConfig.model, root.id), value: 'large' },
      { type: 'value', addr: bound(puppetConfig.effort, root.id), value: 3 },
      { type: 'value', addr: bound(puppetConfig.effort, root.id), value: undefined },
    ],
  },
  {
    lane: 'value_update',
    act: async ({ root }) => {
      await root.value(conversationValue('plugin.other', { rewind: false })).set('not asked for');
      await root.value(asked).set('plan');
      return { values: { [addressKey(bound(asked, root.id))]: 'plan' } };
    },
    told: () => [{ type: 'value', value: 'plan' }],
  },
  {
    lane: 'queue_update',
    act: async ({ root }) => {
      const later = await root.followUp('later');
      const now = await root.steer('now');
      expect([later, now]).toMatchObject([{ queued: expect.any(Number) as number }, { queued: expect.any(Number) as number }]);
      if ('queued' in later) await root.cancelQueued(later.queued);
      return { inbox: [{ value: { mode: 'steer' } }] };
    },
    told: () => [
      { type: 'inbox', items: [{ value: { mode: 'followUp' } }] },
      { type: 'inbox', items: [{ value: { mode: 'followUp' } }, { value: { mode: 'steer' } }] },
      { type: 'inbox', items: [{ value: { mode: 'steer' } }] },
    ],
  },
  {
    lane: 'entry_added, message_end',
    act: async ({ root }) => {
      const id = await root.commit((tx) => tx.entry(note, { text: 'said' }));
      return { entries: [{ id }], context: [id] };
    },
    told: () => [{ type: 'entry', entry: { content: { text: 'said' } } }],
  },
];

test.each(rows)('$lane [9.4-2] [9.4-3] [9.4-4] [9.4-11]', async ({ act, told, session }) => {
  const lane = await Lane.open();
  const view = await act(lane);
  await Promise.resolve();
  expect(lane.watch.view).toMatchObject(view);
  expectInOrder(lane.told, told?.(lane) ?? []);
  expectInOrder(lane.session, session ?? []);
  const fresh = await lane.root.watch({ tail: 5, values: [bound(asked, lane.root.id)] });
  expect({ ...lane.watch.view, readAt: 0 }).toEqual({ ...fresh.view, readAt: 0 });
});

test('which lane a task event belongs to is said by its kind, and its state is typed then [9.4-2]', async () => {
  const { root, told } = await Lane.open();
  await root.commit((tx) => tx.task(collapse, { state: { reason: 'threshold' }, background: true }));
  await Promise.resolve();
  const reasons = told.flatMap((event) =>
    event.type === 'task_start' && isTask(collapse, event.task) ? [event.task.state.reason] : [],
  );
  expect(reasons).toEqual(['threshold']);
});

test('a task that creates conversations is told with all that it owns so far [9.4-2]', async () => {
  const { root, engine, told, run, watch } = await Lane.open();
  const children = [
    await engine.commit((tx) => tx.createConversation({ owner: run })),
    ...(await engine.commit((tx) => [tx.createConversation({ owner: run }), tx.createConversation({ owner: run })])),
  ];
  await Promise.resolve();
  expect(told.map((event) => (event.type === 'task_update' ? event.task.owns : event.type))).toEqual([
    children.slice(0, 1),
    children.slice(0, 2),
    children,
  ]);
  expect(watch.view.tasks).toEqual((await root.watch({ tail: 0 })).view.tasks);
});

function expectInOrder(events: readonly object[], expected: readonly object[]): void {
  let from = 0;
  for (const one of expected) {
    const at = events.findIndex((event, i) => i >= from && matches(event, one));
    expect(at, `${JSON.stringify(one)} in ${JSON.stringify(events.slice(from))}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}

function matches(event: object, expected: object): boolean {
  try {
    expect(event).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
}

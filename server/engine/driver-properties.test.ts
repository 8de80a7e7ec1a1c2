/**
 * Random task graphs under random cancellation, closes and kills: never two calls of one task at once, nothing starts before what it waits for,
 * nothing marked creates, and every drive ends (engine specification 5.3, 5.4, 6.1, 6.3).
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected, TaskPoisoned } from './errors.ts';
import type { TaskKind } from './kinds.ts';
import type { CommitBatch, Id, Task } from './records.ts';
import type { TaskContext } from './task-context.ts';
import { Gate } from './testing/gate.ts';
import { Opened } from './testing/open.ts';
import { withCommit } from './testing/storages.ts';

const endings = ['done', 'failed', 'throw', 'unchanged', 'waits', 'deaf', 'recurs'] as const;
interface Node {
  readonly ending: (typeof endings)[number];
  /** Earlier nodes, by index. */
  readonly after: readonly number[];
  readonly background: boolean;
  /** Tasks that its settlement creates. */
  readonly successors: number;
  /** Creates them although it is marked. */
  readonly careless: boolean;
  readonly abort: 'settles' | 'throws' | 'returns';
}
type Action =
  | { readonly type: 'abort'; readonly node: number }
  | { readonly type: 'abortAll' | 'open' | 'close' | 'kill' | 'drive' }
  | { readonly type: 'turns'; readonly count: number };

const node = fc.record({
  ending: fc.constantFrom(...endings),
  after: fc.array(fc.nat(20), { maxLength: 3 }),
  background: fc.boolean(),
  successors: fc.nat(2),
  careless: fc.boolean(),
  abort: fc.constantFrom('settles' as const, 'settles' as const, 'throws' as const, 'returns' as const),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('abort' as const), node: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('abortAll', 'open', 'close', 'kill', 'drive') }) as fc.Arbitrary<Action>,
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('turns' as const), count: fc.nat(12) }) },
);

interface NodeState {
  readonly node: Node;
  readonly parent?: Id;
  readonly runs?: number;
}

/** What holds in every process and across them, told by the calls and by every batch that becomes durable. */
class Invariants {
  readonly broken: string[] = [];
  readonly marked = new Set<Id>();
  readonly terminal = new Set<Id>();

  durable(batch: CommitBatch): void {
    if (batch.kind !== 'main') return;
    const markedBefore = new Set(this.marked);
    for (const write of batch.writes) {
      if (write.type === 'patch' && write.abort === true) this.marked.add(write.id);
      if (write.type === 'settle') {
        if (this.terminal.has(write.id)) this.broken.push(`${write.id} is settled twice`);
        this.terminal.add(write.id);
      }
      if (write.type === 'task') {
        const { parent } = write.task.state as unknown as NodeState;
        if (parent !== undefined && markedBefore.has(parent)) this.broken.push(`${parent} is marked and makes ${write.task.id}`);
      }
    }
  }
}

/** The kinds of one process. */
function kindOf(invariants: Invariants, gate: Gate, isLast: () => boolean): TaskKind<NodeState> {
  const running = new Set<Id>();
  const calls = new Map<Id, number>();
  const call =
    (name: 'execute' | 'recover' | 'abort', work: (task: Task<NodeState>, context: TaskContext) => Promise<void>) =>
    async (task: Task<NodeState>, context: TaskContext): Promise<void> => {
      if (running.has(task.id)) invariants.broken.push(`${task.id} is called twice at once`);
      running.add(task.id);
      calls.set(task.id, (calls.get(task.id) ?? 0) + 1);
      if (invariants.terminal.has(task.id)) invariants.broken.push(`${name} of ${task.id}, which is settled`);
      if (name !== 'abort' && invariants.marked.has(task.id) && task.abort === true)
        invariants.broken.push(`${name} of a marked task`);
      if (name === 'execute')
        for (const id of task.after) if (!invariants.terminal.has(id)) invariants.broken.push(`${task.id} starts before ${id}`);
      try {
        await work(task, context);
      } finally {
        running.delete(task.id);
      }
    };
  const settle = async (task: Task<NodeState>, context: TaskContext, status: string) => {
    const { successors, careless } = task.state.node;
    const plan = (creates: boolean) =>
      context.commit((tx) => {
        if (creates && task.state.parent === undefined && (careless || tx.getTask(task.id)?.abort !== true))
          for (let i = 0; i < successors; i++)
            tx.task(kind, { state: { node: { ...task.state.node, ending: 'done', successors: 0, after: [] }, parent: task.id } });
        tx.settle(task.id, status);
      });
    try {
      await plan(status !== 'aborted');
    } catch (error) {
      if (!(error instanceof Rejected) || error.code !== 'markedTask') throw error;
      await plan(false);
    }
  };
  const run = async (task: Task<NodeState>, context: TaskContext) => {
    const { ending } = task.state.node;
    if (ending === 'unchanged' && !isLast()) return;
    await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
    if (ending === 'throw' && !isLast()) throw new Error('thrown');
    if (ending === 'waits') await gate.pass(context.signal);
    if (ending === 'deaf') await gate.pass();
    const runs = task.state.runs ?? 0;
    if (ending === 'recurs' && runs < 3)
      await context.commit((tx) => tx.patch<NodeState>(task.id, { status: 'waiting', state: { runs: runs + 1 } }));
    else await settle(task, context, ending === 'failed' ? 'failed' : 'done');
  };
  const kind: TaskKind<NodeState> = {
    kind: 'node',
    initialStatus: 'waiting',
    roles: { waiting: 'start', running: 'inflight', done: 'terminal', failed: 'terminal', aborted: 'terminal' },
    execute: call('execute', run),
    recover: call('recover', async (task, context) => settle(task, context, 'done')),
    abort: call('abort', async (task, context) => {
      if (task.state.node.abort === 'throws' && !isLast()) throw new Error('abort thrown');
      if (task.state.node.abort === 'returns' && !isLast()) return;
      await settle(task, context, 'aborted');
    }),
  };
  return kind;
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

test(
  'graphs of tasks under cancellation, close and kill keep their order and end [5.4-1] [6.1-9] [6.3-6] [10.2-11]',
  { timeout: 180_000 },
  async () => {
    const property = fc.asyncProperty(
      fc.array(node, { minLength: 1, maxLength: 12 }),
      fc.array(action, { maxLength: 14 }),
      async (nodes, actions) => {
        const disposers: (() => void)[] = [];
        const invariants = new Invariants();
        let isLast = false;
        let gate = new Gate();
        const drives: Promise<unknown>[] = [];
        const around = {
          around: (storage: Parameters<typeof withCommit>[0]) =>
            withCommit(storage, async (batch, commit) => {
              const done = await commit();
              invariants.durable(batch);
              return done;
            }),
        };
        let kind = kindOf(invariants, gate, () => isLast);
        let opened = await Opened.open((dispose) => disposers.push(dispose), [kind], around);
        const drive = () => {
          for (const one of [opened.root.drive(), opened.engine.drive()])
            drives.push(one.catch((error: unknown) => (error instanceof TaskPoisoned ? 'poisoned' : 'died')));
        };
        const next = async () => {
          gate = new Gate();
          kind = kindOf(invariants, gate, () => isLast);
          opened = await opened.again([kind], around);
          drive();
        };
        const ids = await opened.root.commit((tx) => {
          const made: Id[] = [];
          for (const spec of nodes)
            made.push(
              tx.task(kind, {
                state: { node: spec },
                after: [...new Set(spec.after.filter((i) => i < made.length).map((i) => made[i] ?? 0))],
                ...(spec.background ? { background: true as const } : {}),
              }),
            );
          return made;
        });
        drive();
        for (const step of actions) {
          const dead = gate;
          switch (step.type) {
            case 'abort':
              await opened.engine.abortTask(ids[step.node % ids.length] ?? 0).catch((error: unknown) => {
                if (!(error instanceof Rejected) || error.code !== 'taskIsTerminal') throw error;
              });
              break;
            case 'abortAll':
              await opened.root.abort();
              break;
            case 'open':
              gate.open();
              break;
            case 'drive':
              drive();
              break;
            case 'turns':
              await turns(step.count);
              break;
            case 'close':
              // The close waits for those that do not listen.
              queueMicrotask(() => dead.open());
              await opened.engine.close();
              await next();
              break;
            case 'kill':
              await next();
              // What is dead writes nothing any more, whatever it still does.
              dead.open();
              break;
          }
        }
        gate.open();
        for (const outcome of await Promise.all(drives)) expect(['idle', 'closed', 'poisoned', 'died']).toContain(outcome);
        await opened.engine.close();
        isLast = true;
        await next();
        gate.open();
        expect(await opened.engine.drive()).toBe('idle');
        expect([opened.engine.liveTasks(), invariants.broken, opened.reports.filter((error) => !isGuard(error))]).toEqual([
          [],
          [],
          [],
        ]);
        await opened.engine.close();
        for (const dispose of disposers.toReversed()) dispose();
      },
    );
    await fc.assert(property, { seed: 61, numRuns: 100 });
  },
);

function isGuard(error: unknown): boolean {
  return error instanceof Rejected && error.code === 'markedTask';
}

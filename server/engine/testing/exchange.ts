/**
 * An exchange as task kinds (engine specification 5.5): a generation publishes its calls, the tools that execute them and the join behind them
 * in one commit; the join starts the next generation. Every one of them stops at a gate that a test may close.
 */
import type { TaskKind } from '../kinds.ts';
import type { Id, Task } from '../records.ts';
import type { TaskContext } from '../task-context.ts';
import { Gate } from './gate.ts';
import { note } from './kinds.ts';

interface GenerationState {
  /** Names of the tools that it calls. */
  readonly calls: readonly string[];
}
interface ToolState {
  readonly name: string;
  readonly output?: string;
}
interface JoinState {
  readonly tools: readonly Id[];
  readonly outputs?: readonly string[];
}

const roles = { pending: 'start', running: 'inflight', done: 'terminal', aborted: 'terminal' } as const;

export class Exchange {
  readonly log: string[] = [];
  readonly #gates = new Map<string, Gate>();
  /** The join does not look for the mark. */
  isCareless = false;

  /** `generation`, `post_tools` or the name of a tool: whoever comes there waits. */
  close(name: string): Gate {
    const gate = new Gate();
    this.#gates.set(name, gate);
    return gate;
  }

  readonly tool: TaskKind<ToolState> = {
    kind: 'tool',
    initialStatus: 'pending',
    roles,
    execute: async (task, context) => {
      this.log.push(task.state.name);
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await this.#gates.get(task.state.name)?.pass(context.signal);
      await context.commit((tx) => {
        tx.entry(note, { text: `result of ${task.state.name}` });
        tx.settle(task, 'done', { output: task.state.name.toUpperCase() });
      });
    },
    recover: async (task, context) => context.commit((tx) => tx.settle(task, 'done', { output: 'interrupted' })),
    abort: async (task, context) => this.#aborted(task, context),
  };

  readonly join: TaskKind<JoinState> = {
    kind: 'post_tools',
    initialStatus: 'pending',
    roles,
    execute: async (task, context) => {
      this.log.push('post_tools');
      await this.#gates.get('post_tools')?.pass();
      await context.commit((tx) => {
        const tools = tx.getTasks(this.tool, task.state.tools);
        const outputs = [...tools.values()].map(({ status, state }) => state.output ?? status);
        if (this.isCareless || tx.getTask(task.id)?.abort !== true) tx.task(this.generation, { state: { calls: [] } });
        tx.settle(task, 'done', { outputs });
      });
    },
    recover: async (task, context) => this.#aborted(task, context),
    abort: async (task, context) => this.#aborted(task, context),
  };

  readonly generation: TaskKind<GenerationState> = {
    kind: 'generation',
    initialStatus: 'pending',
    roles,
    execute: async (task, context) => {
      this.log.push('generation');
      await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
      await this.#gates.get('generation')?.pass(context.signal);
      await this.#publish(task, context);
    },
    recover: async (task, context) => {
      this.log.push('generation again');
      await this.#publish(task, context);
    },
    abort: async (task, context) => this.#aborted(task, context),
  };

  get kinds() {
    return [this.generation, this.tool, this.join];
  }

  async #publish(task: Task<GenerationState>, context: TaskContext): Promise<void> {
    await context.commit((tx) => {
      tx.entry(note, { text: `calls ${task.state.calls.join(', ')}` });
      const tools = task.state.calls.map((name) => tx.task(this.tool, { state: { name } }));
      if (tools.length > 0) tx.task(this.join, { state: { tools }, after: tools });
      tx.settle(task.id, 'done');
    });
  }

  async #aborted(task: Task<unknown>, context: TaskContext): Promise<void> {
    this.log.push(`abort ${task.kind}`);
    await context.commit((tx) => tx.settle(task.id, 'aborted'));
  }
}

/** The tools of the test agent, and the task that joins the tools of one exchange (engine specification 5.5, 8.3). */
import { handoffKind, toolResultKind } from '../built-in/entry-kinds.ts';
import { builtInTasks, startGeneration } from '../built-in-tasks.ts';
import type { TaskKind } from '../kinds.ts';
import { landQueued } from '../landing.ts';
import type { Id, Json, Task } from '../records.ts';
import type { TaskContext } from '../task-context.ts';
import type { UsageRow } from '../usage.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly [name: string]: Json | undefined };
}
export interface ToolOutput {
  readonly text: string;
  readonly terminate?: true;
  /** Asks for a new context that begins with this, once the exchange is complete. */
  readonly handoff?: string;
  readonly usage?: Pick<UsageRow, 'tokens' | 'cost'>;
}
/** Throws: an error result. */
export type AgentTool = (call: ToolCall, context: TaskContext) => string | ToolOutput | Promise<string | ToolOutput>;

export interface ToolState {
  readonly call: ToolCall;
  readonly assistant: Id;
  readonly output?: ToolOutput & { readonly isError: boolean };
}
interface PostToolsState {
  readonly assistant: Id;
  readonly tools: readonly Id[];
  readonly input: Id;
  readonly stopped?: true;
}

const toolRoles: TaskKind<ToolState>['roles'] = {
  planned: 'start',
  running: 'inflight',
  done: 'terminal',
  failed: 'terminal',
  aborted: 'terminal',
};

export function toolKind(tools: Readonly<Record<string, AgentTool>>): TaskKind<ToolState> {
  return {
    kind: builtInTasks.tool,
    initialStatus: 'planned',
    roles: toolRoles,
    async execute(task, context) {
      const { call } = task.state;
      const run = tools[call.name];
      if (run === undefined) return settle(task, context, 'failed', { text: `there is no tool ${call.name}` });
      await context.commit((tx) => tx.patch(task, { status: 'running' }));
      try {
        const output = await run(call, context);
        await settle(task, context, 'done', typeof output === 'string' ? { text: output } : output);
      } catch (error) {
        if (context.signal.aborted) throw error;
        await settle(task, context, 'failed', { text: error instanceof Error ? error.message : String(error) });
      }
    },
    async recover(task, context) {
      await settle(task, context, 'failed', { text: 'interrupted' });
    },
    async abort(task, context) {
      await settle(task, context, 'aborted', { text: 'aborted' });
    },
  };
}

/** The result entry and the outcome; a marked one is aborted, whatever it came to. */
async function settle(
  task: Task<ToolState>,
  context: TaskContext,
  status: 'done' | 'failed' | 'aborted',
  output: ToolOutput,
): Promise<void> {
  const { call } = task.state;
  await context.commit((tx) => {
    const ended = tx.getTask(task.id)?.abort === true ? 'aborted' : status;
    const isError = ended !== 'done';
    const content = [{ type: 'text' as const, text: output.text }];
    tx.entry(toolResultKind, { toolCallId: call.id, toolName: call.name, content, isError }, call.id);
    if (output.usage !== undefined) tx.usage(output.usage);
    tx.settle(task, ended, { output: { ...output, isError } });
  });
}

export const postToolsKind: TaskKind<PostToolsState> = {
  kind: builtInTasks.postTools,
  initialStatus: 'pending',
  roles: { pending: 'start', done: 'terminal', aborted: 'terminal' },
  async execute(task, context) {
    await context.commit((tx) => {
      const tools = tx.getTasks<ToolState>(
        { kind: builtInTasks.tool, initialStatus: 'planned', roles: toolRoles },
        task.state.tools,
      );
      const outputs = [...tools.values()].flatMap(({ state }) => state.output ?? []);
      if (tx.getTask(task.id)?.abort === true) return tx.settle(task, 'aborted', { stopped: true });
      if (outputs.some(({ terminate }) => terminate === true)) return tx.settle(task, 'done', { stopped: true });
      const handoff = outputs.find((output) => output.handoff !== undefined)?.handoff;
      if (handoff !== undefined) tx.entry(handoffKind, { text: handoff });
      const { requestedBy } = landQueued(tx, 'post_tools');
      startGeneration(tx, requestedBy ?? task.state.input);
      tx.settle(task, 'done');
    });
  },
  async recover(task, context) {
    await this.execute(task, context);
  },
  async abort(task, context) {
    await context.commit((tx) => tx.settle(task, 'aborted', { stopped: true }));
  },
};

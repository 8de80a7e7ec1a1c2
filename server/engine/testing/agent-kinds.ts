/**
 * An agent for tests: generation, tool, post_tools and collapse as the engine specification 5.5 and 8 describe them, small, with a
 * scripted model and scripted tools in the place of real ones. Text streams to scratch and to the preview. Each settlement says in one
 * commit what happened and what comes next; a marked task starts nothing.
 */
import type { ContextEntry } from '../context.ts';
import { assistantKind, builtInEntryKinds, summaryKind } from '../built-in/entry-kinds.ts';
import type { AssistantBlock, AssistantMessage, Message } from '../built-in/messages.ts';
import { normalizeExchanges } from '../built-in/normalize.ts';
import { conversationValue, scratchList } from '../address.ts';
import { builtInTasks, startGeneration } from '../built-in-tasks.ts';
import type { CollapseInput, GenerationInput } from '../built-in-tasks.ts';
import type { ConversationTx } from '../conversation-tx.ts';
import type { EngineOptions } from '../engine.ts';
import type { HookPoints } from '../hook-points.ts';
import type { TaskKind } from '../kinds.ts';
import { landQueued } from '../landing.ts';
import type { Entry, Id, Task } from '../records.ts';
import type { TaskContext } from '../task-context.ts';
import type { UsageRow } from '../usage.ts';
import { postToolsKind, toolKind } from './agent-tools.ts';
import type { AgentTool, ToolCall } from './agent-tools.ts';

export interface AgentRequest {
  readonly conversation: Id;
  /** The entry that asked. */
  readonly input: Id;
  readonly messages: readonly Message[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}
/** Text alone: a final answer. */
export type AgentReply =
  | string
  | {
      /** Streamed piece by piece, each one a scratch commit. */
      readonly text: readonly string[];
      readonly calls?: readonly ToolCall[];
      /** The tools run one after the other. */
      readonly sequential?: true;
      readonly usage?: Pick<UsageRow, 'tokens' | 'cost'>;
    };
/** Throws: the attempt failed. */
export type AgentModel = (request: AgentRequest) => AgentReply | Promise<AgentReply>;

export interface AgentScript {
  readonly model: AgentModel;
  readonly tools?: Readonly<Record<string, AgentTool>>;
  /** Absent: says how many entries it replaces. */
  readonly summarize?: (replaced: readonly ContextEntry[], signal: AbortSignal) => string | Promise<string>;
}

export interface GenerationState extends GenerationInput {
  readonly assistant?: Id;
  readonly failure?: string;
}
export interface CollapseState extends CollapseInput {
  readonly summary?: Id;
  readonly failure?: string;
}
export interface Partial {
  text: string;
}

export const agentConfig = {
  model: conversationValue<string>('agent.model', { rewind: true }),
  tools: conversationValue<readonly string[]>('agent.tools', { rewind: true }),
  budgetMs: conversationValue<number>('agent.budget', { rewind: false }),
};
export const frames = scratchList<string>('frames');

/** What `Engine.open` takes for an agent that follows the script. */
export function agent(script: AgentScript): Pick<EngineOptions<Message>, 'entryKinds' | 'taskKinds'> {
  const tools = script.tools ?? {};
  return {
    entryKinds: builtInEntryKinds<Message>(),
    taskKinds: [generationKind(script), toolKind(tools), postToolsKind, collapseKind(script)] as readonly TaskKind[],
  };
}

function generationKind({ model }: AgentScript): TaskKind<GenerationState, HookPoints, typeof agentConfig, Partial> {
  const fail = async (task: Task<GenerationState>, context: TaskContext<Partial>, failure: string) =>
    context.commit((tx) => {
      tx.usage({});
      const partial = tx.whole.committed.readList({ ...frames, scope: { scratch: task.id } }, { limit: 1000 }).items;
      const isMarked = tx.getTask(task.id)?.abort === true;
      const assistant =
        partial.length === 0
          ? undefined
          : tx.entry(assistantKind, {
              content: [{ type: 'text', text: partial.map(({ value }) => value).join('') }],
              stopReason: isMarked ? 'aborted' : 'error',
              errorMessage: failure,
            });
      tx.settle(task, isMarked ? 'aborted' : 'failed', { failure, ...(assistant === undefined ? {} : { assistant }) });
    });
  return {
    kind: builtInTasks.generation,
    initialStatus: 'pending',
    roles: { pending: 'start', streaming: 'inflight', done: 'terminal', failed: 'terminal', aborted: 'terminal' },
    config: agentConfig,
    preview: {
      init: (scratch) => ({
        text: scratch
          .list(frames)
          .items.map(({ value }) => value)
          .join(''),
      }),
    },
    async execute(task, context) {
      await context.commit((tx) => tx.patch(task, { status: 'streaming' }));
      const { input, config = {} } = task.state;
      const messages = contextMessages(context);
      let reply: Exclude<AgentReply, string>;
      try {
        const said = await model({ conversation: task.conversationId, input, messages, config, signal: context.signal });
        reply = typeof said === 'string' ? { text: [said] } : said;
      } catch (error) {
        if (context.signal.aborted) throw error;
        return fail(task, context, error instanceof Error ? error.message : String(error));
      }
      for (const piece of reply.text) {
        context.preview.state.text += piece;
        await context.scratch((scratch) => scratch.list(frames).append(piece));
      }
      await context.commit((tx) => answer(tx, task, reply));
    },
    /** What had been streamed is kept for display; nothing streamed: another attempt. */
    async recover(task, context) {
      const partial = await context.scratch((scratch) => scratch.list(frames).read({ limit: 1 }).items);
      await (partial.length === 0 ? this.execute(task, context) : fail(task, context, 'interrupted'));
    },
    async abort(task, context) {
      await fail(task, context, 'aborted');
    },
  };
}

/** The exchange is published as a whole: the message, its tools, and what joins them. */
function answer(tx: ConversationTx, task: Task<GenerationState>, reply: Exclude<AgentReply, string>): void {
  const { calls = [], usage = {} } = reply;
  const isMarked = tx.getTask(task.id)?.abort === true;
  const model = task.state.config?.['model'];
  tx.usage({ model: typeof model === 'string' ? model : 'default', ...usage });
  const assistant = tx.entry(assistantKind, messageOf(reply, isMarked));
  if (isMarked) return tx.settle(task, 'aborted', { assistant });
  if (calls.length > 0) {
    const tools: Id[] = [];
    for (const call of calls) {
      const after = reply.sequential === true ? tools.slice(-1) : [];
      tools.push(tx.task(tx.whole.kinds.task(builtInTasks.tool), { state: { call, assistant }, after }));
    }
    const state = { assistant, tools, input: task.state.input };
    tx.task(tx.whole.kinds.task(builtInTasks.postTools), { state, after: tools });
  } else {
    const { requestedBy } = landQueued(tx, 'final');
    if (requestedBy !== undefined) startGeneration(tx, requestedBy);
  }
  tx.settle(task, 'done', { assistant });
}

function messageOf({ text, calls = [] }: Exclude<AgentReply, string>, isMarked: boolean): Omit<AssistantMessage, 'role'> {
  const said: AssistantBlock[] = text.length === 0 ? [] : [{ type: 'text', text: text.join('') }];
  const content = [...said, ...calls.map((call) => ({ type: 'toolCall' as const, ...call }))];
  return { content, stopReason: isMarked ? 'aborted' : calls.length > 0 ? 'toolUse' : 'stop' };
}

function collapseKind({ summarize }: AgentScript): TaskKind<CollapseState> {
  return {
    kind: builtInTasks.collapse,
    initialStatus: 'planned',
    roles: { planned: 'start', summarizing: 'inflight', done: 'terminal', failed: 'terminal', aborted: 'terminal' },
    async execute(task, context) {
      await context.commit((tx) => tx.patch(task, { status: 'summarizing' }));
      const inContext = context.conversation()?.contextEntries() ?? [];
      const replaced = inContext.filter(({ entry }) => entry.head === true || entry.id <= task.state.through);
      const text = (await summarize?.(replaced, context.signal)) ?? `${replaced.length} entries`;
      await context.commit((tx) => {
        const { conversationId } = task;
        const newest = tx.whole.committed.newestHead(conversationId, tx.whole.committed.lastSeq);
        if (newest?.id !== task.state.head) return tx.settle(task, 'failed', { failure: 'stale' });
        const [retained] = tx.whole.committed.scanEntries({ conversationId, after: task.state.through, limit: 1 }).items;
        const summary = tx.entry(summaryKind, { text, ...(retained === undefined ? {} : { retainFrom: retained.id }) });
        tx.settle(task, 'done', { summary });
      });
    },
    async recover(task, context) {
      await this.execute(task, context);
    },
    async abort(task, context) {
      await context.commit((tx) => tx.settle(task, 'aborted'));
    },
  };
}

function contextMessages(context: TaskContext<Partial>): readonly Message[] {
  // The engine's own messages: the entry kinds are the built-in ones.
  const entries = (context.conversation()?.contextEntries() ?? []) as readonly ContextEntry<Message>[];
  return normalizeExchanges(entries);
}

/** Text of a message's or an entry's blocks. */
export function textOf(entry: Entry | Message | undefined): string {
  const content: unknown = entry === undefined ? [] : 'role' in entry ? entry.content : entry.content;
  const blocks = Array.isArray(content) ? content : blocksOf(content);
  return blocks.flatMap((block: { readonly text?: string }) => block.text ?? []).join('');
}

function blocksOf(content: unknown): readonly { readonly text?: string }[] {
  const { content: blocks = [], text } = content as {
    readonly content?: readonly { readonly text?: string }[];
    readonly text?: string;
  };
  return text === undefined ? blocks : [{ text }];
}

/**
 * A faux agent for the engine's benchmark: generation, tool, post_tools and collapse as durable task kinds (engine specification 5.5, 8.2 to
 * 8.4), with a provider that answers from a script. Everything that costs is real: statuses before effects, frames to scratch, previews,
 * the context of every request, results as entries. Only the models and tools do nothing.
 */
import { setImmediate } from 'node:timers/promises';
import { conversationList, scratchList, scratchValue } from '../../../server/engine/address.ts';
import type { ConfigSpec } from '../../../server/engine/config-spec.ts';
import type { ConversationTx } from '../../../server/engine/conversation-tx.ts';
import type { HookPoints } from '../../../server/engine/hook-points.ts';
import { entryKind } from '../../../server/engine/kinds.ts';
import type { EntryKind, TaskKind, TaskKindRoles } from '../../../server/engine/kinds.ts';
import type { Id } from '../../../server/engine/records.ts';
import type { TaskContext } from '../../../server/engine/task-context.ts';

export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}
export interface Answer {
  /** The message, in the pieces in which it streams. */
  readonly frames: readonly string[];
  readonly calls: readonly string[];
  /** The calls run one after the other. */
  readonly sequential?: true;
}
/** What the model says to a context. A promise that never settles is a model that takes long; its wait ends with the signal. */
export type Provider = (messages: readonly Message[], signal: AbortSignal) => Answer | Promise<Answer>;

export const user = entryKind<{ readonly text: string }, Message>('user', {
  project: ({ content }) => [{ role: 'user', text: content.text }],
});
export const assistant = entryKind<{ readonly text: string; readonly calls: readonly string[] }, Message>('assistant', {
  project: ({ content }) => [{ role: 'assistant', text: content.text }],
});
export const toolResult = entryKind<{ readonly call: string; readonly text: string }, Message>('tool_result', {
  project: ({ content }) => [{ role: 'tool', text: content.text }],
});
export const summary = entryKind<{ readonly text: string; readonly retainFrom: Id }, Message>('summary', {
  head: ({ content }) => content.retainFrom,
  project: ({ content }) => [{ role: 'user', text: content.text }],
});
export const entryKinds: readonly EntryKind<unknown, Message>[] = [user, assistant, toolResult, summary];

export interface QueuedInput {
  readonly text: string;
}
export const inbox = conversationList<QueuedInput>('bench.inbox', { rewind: false });
const frames = scratchList<string>('frames');
const progress = scratchValue<string>('output');

export interface GenerationState {
  readonly input: Id;
  readonly answer?: Id;
}
interface ToolState {
  readonly call: string;
  readonly assistant: Id;
  readonly output?: string;
}
interface PostToolsState {
  readonly assistant: Id;
  readonly tools: readonly Id[];
}
interface CollapseState {
  readonly retainFrom: Id;
  readonly text: string;
  readonly summary?: Id;
}
type AgentKind<State, Preview extends object = object> = TaskKind<State, HookPoints, ConfigSpec, Preview>;

export interface AgentKinds {
  readonly generation: TaskKindRoles<GenerationState>;
  readonly collapse: TaskKindRoles<CollapseState>;
  readonly job: TaskKindRoles<{ readonly command: string }>;
  readonly record: TaskKindRoles<{ readonly what: string }>;
  readonly all: readonly TaskKind[];
}

/** Work that is done from its first moment. */
const record: TaskKindRoles<{ readonly what: string }> = { kind: 'record', initialStatus: 'done', roles: { done: 'terminal' } };

const roles = { pending: 'start', running: 'inflight', done: 'terminal', failed: 'terminal', aborted: 'terminal' } as const;
const settleAborted = async (task: { readonly id: Id }, context: TaskContext): Promise<void> =>
  context.commit((tx) => tx.settle(task.id, 'aborted'));

export function agentKinds(provider: Provider): AgentKinds {
  const tool: AgentKind<ToolState> = {
    kind: 'tool',
    initialStatus: 'pending',
    roles,
    async execute(task, context) {
      await context.commit((tx) => tx.patch(task, { status: 'running' }));
      await setImmediate();
      const output = `${task.state.call} did what it was asked to do; ${words.slice(0, 400)}`;
      await context.scratch((scratch) => scratch.value(progress).set(output));
      await context.commit((tx) => {
        tx.entry(toolResult, { call: task.state.call, text: output }, task.state.call);
        tx.settle(task, 'done', { output });
      });
    },
    recover: settleAborted,
    abort: settleAborted,
  };
  const postTools: AgentKind<PostToolsState> = {
    kind: 'post_tools',
    initialStatus: 'pending',
    roles,
    async execute(task, context) {
      await context.commit((tx) => {
        const ended = tx.getTasks(tool, task.state.tools);
        const marked = tx.getTask(task.id)?.abort === true;
        landQueued(tx);
        if (ended.size === task.state.tools.length && !marked) tx.task(generation, { state: { input: task.state.assistant } });
        tx.settle(task, 'done');
      });
    },
    recover: settleAborted,
    abort: settleAborted,
  };
  const generation: AgentKind<GenerationState, { text: string }> = {
    kind: 'generation',
    initialStatus: 'pending',
    roles,
    preview: {
      init: (scratch) => ({
        text: scratch
          .list(frames)
          .items.map(({ value }) => value)
          .join(''),
      }),
    },
    async execute(task, context) {
      await context.commit((tx) => tx.patch(task, { status: 'running' }));
      const messages = (context.conversation()?.contextMessages() ?? []) as readonly Message[];
      await setImmediate();
      const answer = await provider(messages, context.signal);
      // Each is a first attempt: there are no frames of an earlier one to clear.
      for (const frame of answer.frames) {
        context.preview.state.text += frame;
        await context.scratch((scratch) => scratch.list(frames).append(frame));
      }
      await context.commit((tx) => {
        const said = tx.entry(assistant, { text: answer.frames.join(''), calls: answer.calls });
        const marked = tx.getTask(task.id)?.abort === true;
        if (answer.calls.length > 0 && !marked) {
          const tools: Id[] = [];
          for (const call of answer.calls) {
            const after = answer.sequential === true ? tools.slice(-1) : [];
            tools.push(tx.task(tool, { state: { call, assistant: said }, after }));
          }
          tx.task(postTools, { state: { assistant: said, tools }, after: tools });
        } else if (landQueued(tx) > 0 && !marked) tx.task(generation, { state: { input: said } });
        tx.settle(task, 'done', { answer: said });
      });
    },
    recover: settleAborted,
    abort: settleAborted,
  };
  const collapse: AgentKind<CollapseState> = {
    kind: 'collapse',
    initialStatus: 'pending',
    roles,
    async execute(task, context) {
      await context.commit((tx) => tx.patch(task, { status: 'running' }));
      await setImmediate();
      await context.commit((tx) => {
        const id = tx.entry(summary, { text: task.state.text, retainFrom: task.state.retainFrom });
        tx.settle(task, 'done', { summary: id });
      });
    },
    recover: settleAborted,
    abort: settleAborted,
  };
  /** Runs until it is cancelled. */
  const job: AgentKind<{ readonly command: string }> = {
    kind: 'job',
    initialStatus: 'pending',
    roles,
    async execute(task, context) {
      await context.commit((tx) => tx.patch(task, { status: 'running' }));
      await untilAborted(context.signal);
      await settleAborted(task, context);
    },
    recover: settleAborted,
    abort: settleAborted,
  };
  const all = [generation, tool, postTools, collapse, job, record] as unknown as readonly TaskKind[];
  return { generation, collapse, job, record, all };
}

/** Everything that waits becomes user entries; how many they are. */
function landQueued(tx: ConversationTx): number {
  const { items } = tx.list(inbox).read();
  for (const { id, value } of items) {
    tx.entry(user, value);
    tx.list(inbox).remove(id);
  }
  return items.length;
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

export const words =
  'the parser reads one line at a time and keeps what is not finished until the rest of it has come; then it tells the tree where the line began and how long it was, so that a reader can go back to it. '.repeat(
    20,
  );

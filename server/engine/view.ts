/**
 * What a watcher sees and the reducers that keep it so (engine specification 9.4). Views and events are JSON; the reducers are
 * pure, need no kinds, and run alike in the engine and in another process. Every event carries the number of the write it
 * tells of. Events of one commit travel together and in order.
 */
import type { Address, Conversation, Entry, Id, Json, Task } from './records.ts';
import { addressKey } from './storage.ts';

export interface ConversationView {
  readonly conversation: Conversation;
  /** The newest `tail` entries, oldest first; older ones are read by pages. */
  readonly entries: readonly Entry[];
  readonly tail: number;
  /** The derived context, as ids; empty when it was not asked for. */
  readonly context: readonly Id[];
  /** Live tasks, oldest first. */
  readonly tasks: readonly Task[];
  /** Those asked for, by `addressKey`; an absent value has no property. */
  readonly values: Readonly<Record<string, Json>>;
  readonly deleted: boolean;
  /** The watcher fell behind, or the session's persistence is uncertain: `resnapshot`, or open the session again. */
  readonly faulted: boolean;
  readonly closed: boolean;
  readonly readAt: Id;
}
export interface SessionView {
  /** Oldest first. */
  readonly conversations: readonly Conversation[];
  readonly values: Readonly<Record<string, Json>>;
  readonly faulted: boolean;
  readonly closed: boolean;
  readonly readAt: Id;
}

type ValueEvent = { readonly type: 'value'; readonly addr: Address; readonly value: Json | undefined };
type EndEvent = { readonly type: 'fault'; readonly reason: 'lagging' | 'uncertain' } | { readonly type: 'closed' };
export type ConversationEvent = { readonly seq: Id } & (
  | { readonly type: 'entry'; readonly entry: Entry; /** It was added at the end of the context. */ readonly inContext?: true }
  /** A head or an edit changed the context. */
  | { readonly type: 'context'; readonly ids: readonly Id[] }
  | { readonly type: 'task_start'; readonly task: Task }
  | { readonly type: 'task_update'; readonly task: Task; readonly previous: Task }
  | { readonly type: 'task_end'; readonly task: Task }
  | { readonly type: 'deleted' }
  | ValueEvent
  | EndEvent
);
export type SessionEvent = { readonly seq: Id } & (
  | { readonly type: 'conversation'; readonly conversation: Conversation; readonly change: 'created' | 'deleted' }
  | ValueEvent
  | EndEvent
);

/**
 * Folds the events of one commit. Returns a new view and never changes the old one; what a commit appends to the context costs
 * one copy of it, whatever the number of its entries.
 */
export function applyEngineEvents(before: ConversationView, events: readonly ConversationEvent[]): ConversationView {
  const view: { -readonly [K in keyof ConversationView]: ConversationView[K] } = { ...before };
  const entries: Entry[] = [];
  let context: Id[] | undefined;
  for (const event of events) {
    view.readAt = Math.max(view.readAt, event.seq);
    switch (event.type) {
      case 'entry':
        entries.push(event.entry);
        if (event.inContext !== undefined) (context ??= [...view.context]).push(event.entry.id);
        break;
      case 'context':
        context = [...event.ids];
        break;
      case 'task_start':
        view.tasks = [...view.tasks, event.task];
        break;
      case 'task_update':
        view.tasks = view.tasks.map((task) => (task.id === event.task.id ? event.task : task));
        break;
      case 'task_end':
        view.tasks = view.tasks.filter((task) => task.id !== event.task.id);
        break;
      case 'deleted':
        view.deleted = true;
        break;
      case 'value':
        view.values = withValue(view.values, event.addr, event.value);
        break;
      case 'fault':
        view.faulted = true;
        break;
      case 'closed':
        view.closed = true;
        break;
    }
  }
  if (entries.length > 0) view.entries = view.tail > 0 ? [...view.entries, ...entries].slice(-view.tail) : [];
  if (context !== undefined) view.context = context;
  return view;
}

export function applyEngineEvent(view: ConversationView, event: ConversationEvent): ConversationView {
  return applyEngineEvents(view, [event]);
}

/** Returns a new view and never changes the old one. */
export function applySessionEvent(before: SessionView, event: SessionEvent): SessionView {
  const view = { ...before, readAt: Math.max(before.readAt, event.seq) };
  switch (event.type) {
    case 'conversation': {
      const others = view.conversations.filter((conversation) => conversation.id !== event.conversation.id);
      return { ...view, conversations: event.change === 'created' ? [...others, event.conversation] : others };
    }
    case 'value':
      return { ...view, values: withValue(view.values, event.addr, event.value) };
    case 'fault':
      return { ...view, faulted: true };
    case 'closed':
      return { ...view, closed: true };
  }
}

export function applySessionEvents(view: SessionView, events: readonly SessionEvent[]): SessionView {
  return events.reduce(applySessionEvent, view);
}

function withValue(
  values: Readonly<Record<string, Json>>,
  addr: Address,
  value: Json | undefined,
): Readonly<Record<string, Json>> {
  const key = addressKey(addr);
  if (value !== undefined) return { ...values, [key]: value };
  const { [key]: _gone, ...rest } = values;
  return rest;
}

/**
 * The one reducer of views (engine specification 9.4): the engine folds its own with it, a UI in another process folds the same events,
 * as JSON, to the same view. Pure: it returns a new view and never changes the old one, nor an event. It needs no kinds. A commit
 * costs what it changes and one shallow copy of each collection that it touches, of the context not even that.
 */
import { applyImmutable } from '@earendil-works/chord/delta';
import { GrowingList } from './growing-list.ts';
import type { Address, Entry, Id, Json, Task } from './records.ts';
import { addressKey } from './storage.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';

type Changing<View> = { -readonly [Field in keyof View]: View[Field] };

/** Contexts of views that were folded, as far as they can go on growing: such a view's `context` is laid out when it is read. */
const contexts = new WeakMap<ConversationView, GrowingList<Id>>();

export function applyEvent(view: ConversationView, event: ConversationEvent): ConversationView {
  return applyEvents(view, [event]);
}

/** Folds the events of one commit. Throws when operations do not fit the preview: the events are not those of this view. */
export function applyEvents(before: ConversationView, events: readonly ConversationEvent[]): ConversationView {
  // Field by field: the context is not to be read.
  const view: Changing<Omit<ConversationView, 'context'>> = {
    conversation: before.conversation,
    entries: before.entries,
    tail: before.tail,
    tasks: before.tasks,
    inbox: before.inbox,
    values: before.values,
    previews: before.previews,
    deleted: before.deleted,
    faulted: before.faulted,
    closed: before.closed,
    readAt: before.readAt,
  };
  const entries: Entry[] = [];
  const appended: Id[] = [];
  let context: readonly Id[] | undefined;
  let tasks: Task[] | undefined;
  let values: Record<string, Json> | undefined;
  let previews: Record<Id, Json> | undefined;
  for (const event of events) {
    view.readAt = Math.max(view.readAt, event.seq);
    switch (event.type) {
      case 'entry':
        entries.push(event.entry);
        if (event.inContext !== undefined) appended.push(event.entry.id);
        break;
      case 'context':
        context = event.ids;
        appended.length = 0;
        break;
      case 'task_start':
        (tasks ??= [...view.tasks]).push(event.task);
        break;
      case 'task_update': {
        tasks ??= [...view.tasks];
        const at = tasks.findIndex((task) => task.id === event.task.id);
        if (at >= 0) tasks[at] = event.task;
        break;
      }
      case 'task_end':
        tasks = (tasks ?? view.tasks).filter((task) => task.id !== event.task.id);
        if (event.task.id in (previews ?? view.previews)) delete (previews ??= { ...view.previews })[event.task.id];
        break;
      case 'task_output':
        previews ??= { ...view.previews };
        previews[event.task] = applyImmutable(previews[event.task], event.ops);
        break;
      case 'inbox':
        view.inbox = event.items;
        break;
      case 'deleted':
        view.deleted = true;
        break;
      case 'value':
        setValue((values ??= { ...view.values }), event.addr, event.value);
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
  if (tasks !== undefined) view.tasks = tasks;
  if (values !== undefined) view.values = values;
  if (previews !== undefined) view.previews = previews;
  return withContext(view, before, context, appended);
}

/** Folds the events of one commit. */
export function applySessionEvents(before: SessionView, events: readonly SessionEvent[]): SessionView {
  const view: Changing<SessionView> = { ...before };
  for (const event of events) {
    view.readAt = Math.max(view.readAt, event.seq);
    switch (event.type) {
      case 'conversation':
        view.conversations =
          event.change === 'created'
            ? [...view.conversations, event.conversation]
            : view.conversations.filter(({ id }) => id !== event.conversation.id);
        break;
      case 'value':
        view.values = { ...view.values };
        setValue(view.values, event.addr, event.value);
        break;
      case 'usage':
      case 'report':
        // Told, not kept: the totals are a value of the view.
        break;
      case 'fault':
        view.faulted = true;
        break;
      case 'closed':
        view.closed = true;
        break;
    }
  }
  return view;
}

export function applySessionEvent(view: SessionView, event: SessionEvent): SessionView {
  return applySessionEvents(view, [event]);
}

function withContext(
  fields: Omit<ConversationView, 'context'>,
  before: ConversationView,
  replaced: readonly Id[] | undefined,
  appended: readonly Id[],
): ConversationView {
  const known = replaced === undefined ? contexts.get(before) : undefined;
  if (known === undefined && appended.length === 0) return { ...fields, context: replaced ?? before.context };
  const grown = known ?? GrowingList.of(replaced ?? before.context);
  const list = appended.length === 0 ? grown : grown.append(appended);
  const view: ConversationView = {
    ...fields,
    get context() {
      return list.items;
    },
  };
  contexts.set(view, list);
  return view;
}

function setValue(values: Record<string, Json>, addr: Address, value: Json | undefined): void {
  const key = addressKey(addr);
  if (value === undefined) delete values[key];
  else values[key] = value;
}

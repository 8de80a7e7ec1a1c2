/**
 * From a durable batch to the events of those who watch (engine specification 9.4). Work is proportional to the batch and to the
 * watchers of what it touched; without watchers it is nothing.
 */
import type { ConversationContext } from './context.ts';
import type { Kinds } from './kinds.ts';
import type { Address, Conversation, Id, Json, MainWrite, Task } from './records.ts';
import { addressKey } from './storage.ts';
import type { Storage } from './storage.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';
import type { Watch } from './watch.ts';

export interface ConversationWatcher<Message> {
  readonly conversation: Id;
  readonly watch: Watch<ConversationView, ConversationEvent>;
  /** Keys of the addresses asked for. */
  readonly values: ReadonlySet<string>;
  /** Undefined: the context was not asked for. Replaced by a new snapshot. */
  context: ConversationContext<Message> | undefined;
}
export interface SessionWatcher {
  readonly watch: Watch<SessionView, SessionEvent>;
  readonly values: ReadonlySet<string>;
}
/** Records that the batch is about to change, as they were. */
export interface Before {
  readonly tasks: ReadonlyMap<Id, Task>;
  readonly conversations: ReadonlyMap<Id, Conversation>;
}

const finalEvent = { uncertain: { type: 'fault', reason: 'uncertain' }, closed: { type: 'closed' } } as const;

export class Publisher<Message> {
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  readonly #report: (error: unknown) => void;
  readonly conversations = new Set<ConversationWatcher<Message>>();
  readonly sessions = new Set<SessionWatcher>();
  #lastSeq: Id;
  #ended = false;

  constructor(storage: Storage, kinds: Kinds<Message>, report: (error: unknown) => void) {
    this.#storage = storage;
    this.#kinds = kinds;
    this.#report = report;
    this.#lastSeq = storage.lastSeq;
  }

  /** To be called before the batch is written. Undefined: nobody watches. */
  before(writes: readonly MainWrite[]): Before | undefined {
    if (this.conversations.size === 0 && this.sessions.size === 0) return undefined;
    const tasks: Id[] = [];
    const conversations: Id[] = [];
    for (const write of writes) {
      if (write.type === 'patch' || write.type === 'settle') tasks.push(write.id);
      if (write.type === 'deleteConversation') conversations.push(write.id);
      if (write.type === 'createConversation' && write.conversation.owner !== undefined) tasks.push(write.conversation.owner);
    }
    return { tasks: this.#storage.getTasks(tasks), conversations: this.#storage.getConversations(conversations) };
  }

  /**
   * To be called once the batch is durable, before anybody learns of its success. Never throws: the batch is committed whatever
   * becomes of its events. Watchers who cannot be told of it have to take a new snapshot.
   */
  publish(writes: readonly MainWrite[], first: Id, before: Before): void {
    this.#lastSeq = first + writes.length - 1;
    try {
      this.#tellAll(writes, first, before);
    } catch (error) {
      // A kind's own code failed on what was written.
      this.#report(error);
      for (const { watch } of this.conversations) watch.lag(this.#lastSeq);
      for (const { watch } of this.sessions) watch.lag(this.#lastSeq);
    }
  }

  #tellAll(writes: readonly MainWrite[], first: Id, before: Before): void {
    const changed = new Set<ConversationWatcher<Message>>();
    const events = new Map<ConversationWatcher<Message>, ConversationEvent[]>();
    const tell = (watcher: ConversationWatcher<Message>, event: ConversationEvent) => {
      const list = events.get(watcher);
      if (list === undefined) events.set(watcher, [event]);
      else list.push(event);
    };
    const sessionEvents: SessionEvent[] = [];
    const tasks = new Map(before.tasks);
    writes.forEach((write, i) => {
      const seq = first + i;
      switch (write.type) {
        case 'entry':
          for (const watcher of this.#watching(write.entry.conversationId)) {
            const change = watcher.context?.add(write.entry) ?? 'same';
            tell(watcher, {
              type: 'entry',
              entry: write.entry,
              seq,
              ...(change === 'appended' ? { inContext: true as const } : {}),
            });
            if (change === 'changed') changed.add(watcher);
          }
          return;
        case 'task':
        case 'patch':
        case 'settle': {
          const event = this.#taskEvent(write, tasks, seq);
          if (event !== undefined) for (const watcher of this.#watching(event.task.conversationId)) tell(watcher, event);
          return;
        }
        case 'createConversation': {
          sessionEvents.push({ type: 'conversation', conversation: write.conversation, change: 'created', seq });
          const event = this.#ownerEvent(write.conversation, tasks, seq);
          if (event !== undefined) for (const watcher of this.#watching(event.task.conversationId)) tell(watcher, event);
          return;
        }
        case 'deleteConversation': {
          const conversation = before.conversations.get(write.id) ?? { id: write.id };
          sessionEvents.push({ type: 'conversation', conversation, change: 'deleted', seq });
          for (const watcher of this.#watching(write.id)) tell(watcher, { type: 'deleted', seq });
          return;
        }
        case 'value.set':
        case 'value.delete': {
          const event = valueEvent(write.addr, write.type === 'value.set' ? write.value : undefined, seq);
          const key = addressKey(write.addr);
          for (const watcher of this.conversations) if (watcher.values.has(key)) tell(watcher, event);
          sessionEvents.push(event);
          return;
        }
        case 'list.append':
        case 'list.remove':
        case 'list.clear':
          return;
      }
    });
    // One for the commit, whatever the number of its heads and edits: it stands for all that went before it.
    for (const watcher of changed) tell(watcher, { type: 'context', ids: watcher.context?.ids ?? [], seq: this.#lastSeq });
    for (const [watcher, list] of events) watcher.watch.push(list);
    for (const { watch, values } of this.sessions)
      watch.push(sessionEvents.filter((event) => event.type !== 'value' || values.has(addressKey(event.addr))));
  }

  /** The last event of every subscription, before the session closes or because persistence is uncertain. */
  end(cause: keyof typeof finalEvent): void {
    if (this.#ended) return;
    this.#ended = true;
    const event = { ...finalEvent[cause], seq: this.#lastSeq };
    for (const { watch } of this.conversations) watch.end(event);
    for (const { watch } of this.sessions) watch.end(event);
  }

  *#watching(conversation: Id): Iterable<ConversationWatcher<Message>> {
    for (const watcher of this.conversations) if (watcher.conversation === conversation) yield watcher;
  }

  /** A live task got one more conversation. */
  #ownerEvent(conversation: Conversation, tasks: Map<Id, Task>, seq: Id) {
    const previous = conversation.owner === undefined ? undefined : tasks.get(conversation.owner);
    if (previous === undefined || !this.#isLive(previous)) return undefined;
    const task: Task = { ...previous, owns: [...(previous.owns ?? []), conversation.id] };
    tasks.set(task.id, task);
    return { type: 'task_update', task, previous, seq } as const;
  }

  #taskEvent(write: MainWrite & { type: 'task' | 'patch' | 'settle' }, tasks: Map<Id, Task>, seq: Id) {
    if (write.type === 'task') {
      tasks.set(write.task.id, write.task);
      return { type: write.role === 'terminal' ? 'task_end' : 'task_start', task: write.task, seq } as const;
    }
    const previous = tasks.get(write.id);
    if (previous === undefined) return undefined;
    const task: Task = {
      ...previous,
      ...(write.status === undefined ? {} : { status: write.status }),
      ...(write.state === undefined ? {} : { state: write.state }),
      ...(write.type === 'patch' && write.abort === true ? { abort: true as const } : {}),
    };
    tasks.set(task.id, task);
    return this.#isLive(task)
      ? ({ type: 'task_update', task, previous, seq } as const)
      : ({ type: 'task_end', task, seq } as const);
  }

  /** Tasks of a kind that nobody knows any more are terminal: the session would not have opened otherwise. */
  #isLive(task: Task): boolean {
    return this.#kinds.hasTask(task.kind) && this.#kinds.role(task.kind, task.status) !== 'terminal';
  }
}

function valueEvent(
  addr: Address,
  value: Json | undefined,
  seq: Id,
): { type: 'value'; addr: Address; value: Json | undefined; seq: Id } {
  return { type: 'value', addr, value, seq };
}

/**
 * From a durable batch to the events of those who watch (engine specification 9.4). Work is proportional to the batch and to the
 * watchers of what it touched; without watchers it is nothing. Called on the line, so what is read of the storage is what the batch
 * left. Never throws: the batch is committed whatever becomes of its events.
 */
import { bound } from './address.ts';
import { touched } from './commit-view.ts';
import { ConversationEvents } from './conversation-events.ts';
import { inbox } from './inbox.ts';
import type { Kinds } from './kinds.ts';
import type { Previewed, Previews } from './previews.ts';
import type { CommitBatch, Conversation, Id, Json, MainWrite, StateWrite, Task } from './records.ts';
import { sessionEvents } from './session-events.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import { TaskEvents } from './task-events.ts';
import { usageTotals } from './usage.ts';
import type { ConversationEvent } from './view.ts';
import { Watchers } from './watchers.ts';
import type { ConversationWatcher } from './watchers.ts';

export interface PublisherOptions<Message> {
  readonly storage: Storage;
  readonly kinds: Kinds<Message>;
  readonly previews: Previews;
  /** The host's: what fails while events are made or told. */
  readonly report: (error: unknown) => void;
}
/** Records that the batch is about to change, as they were. */
export interface Before {
  readonly tasks: ReadonlyMap<Id, Task>;
  readonly conversations: ReadonlyMap<Id, Conversation>;
}
/** An error that belongs to nobody's call. */
export interface Report {
  readonly task?: Id;
  readonly kind?: string;
  readonly error: unknown;
}

const none = new Map<Id, never>();
const finalEvent = { uncertain: { type: 'fault', reason: 'uncertain' }, closed: { type: 'closed' } } as const;

export class Publisher<Message> {
  readonly watchers = new Watchers<Message>();
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  readonly #previews: Previews;
  readonly #report: (error: unknown) => void;
  #ended = false;

  constructor({ storage, kinds, previews, report }: PublisherOptions<Message>) {
    this.#storage = storage;
    this.#kinds = kinds;
    this.#previews = previews;
    this.#report = report;
  }

  /** To be called before the batch is written. Undefined: nobody watches. */
  before(writes: readonly MainWrite[]): Before | undefined {
    if (this.watchers.isEmpty) return undefined;
    const tasks: Id[] = [];
    const conversations: Id[] = [];
    for (const write of writes) {
      if (write.type === 'patch' || write.type === 'settle') tasks.push(write.id);
      if (write.type === 'deleteConversation') conversations.push(write.id);
      if (write.type === 'createConversation' && write.conversation.owner !== undefined) tasks.push(write.conversation.owner);
    }
    return {
      tasks: tasks.length === 0 ? none : this.#storage.getTasks(tasks),
      conversations: conversations.length === 0 ? none : this.#storage.getConversations(conversations),
    };
  }

  /** To be called once the batch is durable, before anybody learns of its success. */
  publish(writes: readonly MainWrite[], first: Id, before: Before): void {
    if (writes.length === 0) return;
    this.#safely(() => {
      this.#tellCommit({ kind: 'main', writes }, first, () => touched(writes, (task) => before.tasks.get(task)?.conversationId));
      this.#tellSession(writes, first, before);
      this.#tellConversations(writes, first, before);
    });
  }

  /** As `publish`, of a scratch commit, with writes or without. What its task mutated in its preview is told with it. */
  publishScratch(task: Id, writes: readonly StateWrite[], first: Id): void {
    this.#safely(() => {
      const conversation = this.#previews.conversationOf(task);
      if (conversation !== undefined && this.watchers.of(conversation).size > 0) this.#tellOutput(task, conversation);
      else this.#previews.rest(task);
      if (writes.length > 0)
        this.#tellCommit({ kind: 'scratch', task, writes }, first, () => {
          const of = conversation ?? this.#storage.getTaskHeaders([task]).get(task)?.conversationId;
          return new Set(of === undefined ? [] : [of]);
        });
    });
  }

  /** A task's preview for a new view, on the line; who watches already is told what is pending. Undefined: it has none. */
  preview(task: Previewed): Json | undefined {
    if (!this.#hasPreview(task)) return undefined;
    if (this.watchers.of(task.conversationId).size > 0) this.#tellOutput(task.id, task.conversationId);
    return this.#previews.copy(task.id);
  }

  leave(watcher: ConversationWatcher<Message>): void {
    this.watchers.remove(watcher);
    if (this.watchers.of(watcher.conversation).size === 0) this.#previews.restAll(watcher.conversation);
  }

  /** An error that belongs to nobody's call, for those who watch the session. */
  report({ task, kind, error }: Report): void {
    if (this.#ended || this.watchers.sessions.size === 0) return;
    const event = {
      type: 'report' as const,
      ...(task === undefined ? {} : { task }),
      ...(kind === undefined ? {} : { kind }),
      error: error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: String(error) },
      seq: this.#storage.lastSeq,
    };
    for (const { watch } of this.watchers.sessions) watch.push([event]);
  }

  /** The last event of every subscription, before the session closes or because persistence is uncertain. */
  end(cause: keyof typeof finalEvent): void {
    if (this.#ended) return;
    this.#ended = true;
    const event = { ...finalEvent[cause], seq: this.#storage.lastSeq };
    for (const watch of this.watchers.all()) watch.end(event);
  }

  #tellCommit(batch: CommitBatch, first: Id, touches: () => ReadonlySet<Id>): void {
    if (this.watchers.commits.size === 0) return;
    const last = first + batch.writes.length - 1;
    const conversations = touches();
    for (const { conversation, watch } of this.watchers.commits)
      if (conversation === undefined || conversations.has(conversation))
        watch.push([{ type: 'commit', first, last, batch, seq: last }]);
  }

  #tellSession(writes: readonly MainWrite[], first: Id, before: Before): void {
    if (this.watchers.sessions.size === 0) return;
    const totals = () => this.#storage.getValue(usageTotals)?.value;
    const events = sessionEvents(writes, first, before.conversations, totals);
    for (const { watch, values } of this.watchers.sessions)
      watch.push(events.filter(({ key }) => key === undefined || values.has(key)).map(({ event }) => event));
  }

  #tellConversations(writes: readonly MainWrite[], first: Id, before: Before): void {
    if (!this.watchers.hasConversations) return;
    const last = first + writes.length - 1;
    const batch = new ConversationEvents<Message>({
      watchers: this.watchers,
      tasks: new TaskEvents(this.#kinds, before.tasks),
      inbox: (conversation) => this.#storage.readList(bound(inbox, conversation), { limit: end }).items,
      base: ({ task, seq }) => (this.#hasPreview(task) ? this.#output(task.id, seq) : undefined),
      report: this.#report,
    });
    writes.forEach((write, i) => batch.take(write, first + i));
    batch.finish(last);
    for (const [{ watch }, events] of batch.events) watch.push(events);
    for (const { watch } of batch.lost) watch.lag(last);
  }

  #tellOutput(task: Id, conversation: Id): void {
    const event = this.#output(task, this.#storage.lastSeq);
    if (event !== undefined) for (const { watch } of this.watchers.of(conversation)) watch.push([event]);
  }

  #output(task: Id, seq: Id): ConversationEvent | undefined {
    const ops = this.#previews.flush(task);
    return ops.length === 0 ? undefined : { type: 'task_output', task, ops, seq };
  }

  /** A kind whose `init` fails costs its preview, not the watch. */
  #hasPreview(task: Previewed): boolean {
    try {
      return this.#previews.tracker(task) !== undefined;
    } catch (error) {
      this.#report(error);
      this.report({ task: task.id, kind: task.kind, error });
      return false;
    }
  }

  /** Who cannot be told of a batch has to take a new snapshot. */
  #safely(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#report(error);
      for (const watch of this.watchers.all()) watch.lag(this.#storage.lastSeq);
    }
  }
}

/**
 * The events of one batch for those who watch its conversations (engine specification 9.4), in the order of the writes. What stands for
 * a whole collection (the context after a head or an edit, the inbox) is told once a commit, after the rest of it.
 */
import { inbox } from './inbox.ts';
import type { InboxItem } from './inbox.ts';
import type { Address, Element, Entry, Id, Json, MainWrite } from './records.ts';
import { addressKey } from './storage.ts';
import type { TaskEvents } from './task-events.ts';
import type { ConversationEvent, TaskEvent } from './view.ts';
import type { ConversationWatcher, Watchers } from './watchers.ts';

export interface ConversationEventSource<Message> {
  readonly watchers: Watchers<Message>;
  readonly tasks: TaskEvents;
  /** What waits in a conversation, as committed. */
  readonly inbox: (conversation: Id) => readonly Element<InboxItem>[];
  /** The first output of a task that just began; undefined: it has no preview. */
  readonly base: (event: TaskEvent) => ConversationEvent | undefined;
  readonly report: (error: unknown) => void;
}

export class ConversationEvents<Message> {
  /** By watcher, in order. */
  readonly events = new Map<ConversationWatcher<Message>, ConversationEvent[]>();
  /** Their kinds' code failed on what was written: they cannot be told. */
  readonly lost = new Set<ConversationWatcher<Message>>();
  readonly #source: ConversationEventSource<Message>;
  readonly #contexts = new Set<ConversationWatcher<Message>>();
  readonly #inboxes = new Set<Id>();

  constructor(source: ConversationEventSource<Message>) {
    this.#source = source;
  }

  /** Every write of the batch, in order. */
  take(write: MainWrite, seq: Id): void {
    switch (write.type) {
      case 'entry':
        for (const watcher of this.#source.watchers.of(write.entry.conversationId)) this.#entry(watcher, write.entry, seq);
        return;
      case 'task':
      case 'patch':
      case 'settle':
      case 'createConversation':
        return this.#task(write, seq);
      case 'deleteConversation':
        return this.#tell(this.#source.watchers.of(write.id), { type: 'deleted', seq });
      case 'value.set':
        return this.#value(write.addr, write.value, seq);
      case 'value.delete':
        return this.#value(write.addr, undefined, seq);
      case 'list.append':
      case 'list.remove':
      case 'list.clear':
        if (isInbox(write.addr)) this.#inboxes.add(write.addr.scope.conversation);
        return;
    }
  }

  /** After the last write; `seq` is its number. */
  finish(seq: Id): void {
    for (const conversation of this.#inboxes) {
      const watchers = this.#source.watchers.of(conversation);
      if (watchers.size > 0) this.#tell(watchers, { type: 'inbox', items: this.#source.inbox(conversation), seq });
    }
    for (const watcher of this.#contexts) this.#tell([watcher], { type: 'context', ids: watcher.context?.ids ?? [], seq });
  }

  #entry(watcher: ConversationWatcher<Message>, entry: Entry, seq: Id): void {
    let change: 'same' | 'appended' | 'changed' = 'same';
    try {
      change = watcher.context?.add(entry) ?? 'same';
    } catch (error) {
      this.lost.add(watcher);
      this.#source.report(error);
    }
    this.#tell([watcher], { type: 'entry', entry, seq, ...(change === 'appended' ? { inContext: true as const } : {}) });
    if (change === 'changed') this.#contexts.add(watcher);
  }

  #task(write: MainWrite, seq: Id): void {
    const event = this.#source.tasks.of(write, seq);
    if (event === undefined) return;
    const watchers = this.#source.watchers.of(event.task.conversationId);
    if (watchers.size === 0) return;
    this.#tell(watchers, event);
    const base = event.type === 'task_start' ? this.#source.base(event) : undefined;
    if (base !== undefined) this.#tell(watchers, base);
  }

  #value(addr: Address, value: Json | undefined, seq: Id): void {
    this.#tell(this.#source.watchers.ofValue(addressKey(addr)), { type: 'value', addr, value, seq });
  }

  #tell(watchers: Iterable<ConversationWatcher<Message>>, event: ConversationEvent): void {
    for (const watcher of watchers) {
      const events = this.events.get(watcher);
      if (events === undefined) this.events.set(watcher, [event]);
      else events.push(event);
    }
  }
}

function isInbox(addr: Address): addr is Address & { readonly scope: { readonly conversation: Id } } {
  return addr.namespace === inbox.namespace && addr.key === inbox.key && 'conversation' in addr.scope && !addr.rewind;
}

/** Who watches what, found by what a commit touches. */
import type { CommitEvent, CommitView } from './commit-view.ts';
import type { ConversationContext } from './context.ts';
import type { Id } from './records.ts';
import type { ConversationEvent, ConversationView, EndEvent, SessionEvent, SessionView } from './view.ts';
import type { Watch } from './watch.ts';

/** What all sorts have in common. */
export interface Subscription {
  lag(at: Id): void;
  end(event: EndEvent & { readonly seq: Id }): void;
}
export interface ConversationWatcher<Message> {
  readonly conversation: Id;
  readonly watch: Watch<ConversationView, ConversationEvent>;
  /** Keys of the addresses whose values the view has. */
  readonly values: ReadonlySet<string>;
  /** Undefined: the context was not asked for. Replaced by a new snapshot. */
  context: ConversationContext<Message> | undefined;
}
export interface SessionWatcher {
  readonly watch: Watch<SessionView, SessionEvent>;
  readonly values: ReadonlySet<string>;
}
export interface CommitWatcher {
  /** Undefined: every commit of the session. */
  readonly conversation: Id | undefined;
  readonly watch: Watch<CommitView, CommitEvent>;
}

export class Watchers<Message> {
  readonly sessions = new Set<SessionWatcher>();
  readonly commits = new Set<CommitWatcher>();
  readonly #conversations = new Map<Id, Set<ConversationWatcher<Message>>>();
  readonly #values = new Map<string, Set<ConversationWatcher<Message>>>();

  add(watcher: ConversationWatcher<Message>): void {
    addTo(this.#conversations, watcher.conversation, watcher);
    for (const key of watcher.values) addTo(this.#values, key, watcher);
  }

  remove(watcher: ConversationWatcher<Message>): void {
    removeFrom(this.#conversations, watcher.conversation, watcher);
    for (const key of watcher.values) removeFrom(this.#values, key, watcher);
  }

  of(conversation: Id): ReadonlySet<ConversationWatcher<Message>> {
    return this.#conversations.get(conversation) ?? nobody;
  }

  /** Those whose view has the value, by `addressKey`. */
  ofValue(key: string): ReadonlySet<ConversationWatcher<Message>> {
    return this.#values.get(key) ?? nobody;
  }

  get hasConversations(): boolean {
    return this.#conversations.size > 0;
  }

  get isEmpty(): boolean {
    return !this.hasConversations && this.sessions.size === 0 && this.commits.size === 0;
  }

  *all(): Iterable<Subscription> {
    for (const watchers of this.#conversations.values()) for (const { watch } of watchers) yield watch;
    for (const { watch } of this.sessions) yield watch;
    for (const { watch } of this.commits) yield watch;
  }
}

const nobody: ReadonlySet<never> = new Set();

function addTo<Key, Item>(map: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, new Set([item]));
  else items.add(item);
}

function removeFrom<Key, Item>(map: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const items = map.get(key);
  items?.delete(item);
  if (items?.size === 0) map.delete(key);
}

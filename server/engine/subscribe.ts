/** Captures a view and registers its watcher in one step on the line (engine specification 9.4). */
import { ConversationContext } from './context.ts';
import { Rejected } from './errors.ts';
import type { Kinds } from './kinds.ts';
import type { Line } from './line.ts';
import type { ConversationWatcher, Publisher, SessionWatcher } from './publish.ts';
import type { Address, Id, Json } from './records.ts';
import { addressKey, end } from './storage.ts';
import type { Storage } from './storage.ts';
import { applyEngineEvents, applySessionEvents } from './view.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';
import { Watch } from './watch.ts';
import type { WatchHandle } from './watch.ts';

export interface SessionWatchOptions {
  readonly values?: readonly Address[];
  /** Events that may wait for delivery before the watcher counts as lagging. */
  readonly buffer?: number;
}
export interface ConversationWatchOptions extends SessionWatchOptions {
  /** How many of the newest entries the view holds. */
  readonly tail: number;
  /** False: the context's ids are not wanted, and not derived. */
  readonly context?: boolean;
}
export interface WatchSource<Message> {
  readonly storage: Storage;
  readonly kinds: Kinds<Message>;
  readonly line: Line;
  readonly publisher: Publisher<Message>;
  readonly report: (error: unknown) => void;
}

const defaultBuffer = 10_000;

/** Rejects with `unknownConversation`. */
export async function watchConversation<Message>(
  { storage, kinds, line, publisher, report }: WatchSource<Message>,
  conversation: Id,
  options: ConversationWatchOptions,
): Promise<WatchHandle<ConversationView, ConversationEvent>> {
  const addresses = options.values ?? [];
  const capture = (): { view: ConversationView; context: ConversationContext<Message> | undefined } => {
    const record = storage.getConversations([conversation]).get(conversation);
    if (record === undefined) throw new Rejected('unknownConversation', `there is no conversation ${conversation}`);
    const context = options.context === false ? undefined : new ConversationContext(storage, kinds, conversation, false);
    context?.advance();
    const entries = storage.readEntries({ conversationId: conversation, before: end, limit: options.tail });
    const view = {
      conversation: record,
      entries: entries.items.toReversed(),
      tail: options.tail,
      context: context?.ids ?? [],
      tasks: storage.scanTasks({ conversationIds: [conversation], live: true, limit: end }).items,
      values: readValues(storage, addresses),
      deleted: false,
      faulted: false,
      closed: false,
      readAt: storage.lastSeq,
    };
    return { view, context };
  };
  return line.run(() => {
    const { view, context } = capture();
    const watch: Watch<ConversationView, ConversationEvent> = new Watch<ConversationView, ConversationEvent>(view, {
      apply: applyEngineEvents,
      capture: () =>
        line.run(() => {
          const fresh = capture();
          watcher.context = fresh.context;
          watch.reset(fresh.view);
          return fresh.view;
        }),
      lagging: (seq) => ({ type: 'fault', reason: 'lagging', seq }),
      buffer: options.buffer ?? defaultBuffer,
      unsubscribe: () => publisher.conversations.delete(watcher),
      report,
    });
    const watcher: ConversationWatcher<Message> = { conversation, watch, values: new Set(addresses.map(addressKey)), context };
    publisher.conversations.add(watcher);
    return watch;
  });
}

export async function watchSession<Message>(
  { storage, line, publisher, report }: WatchSource<Message>,
  options: SessionWatchOptions,
): Promise<WatchHandle<SessionView, SessionEvent>> {
  const addresses = options.values ?? [];
  const capture = (): SessionView => ({
    conversations: storage.scanConversations({ limit: end }).items,
    values: readValues(storage, addresses),
    faulted: false,
    closed: false,
    readAt: storage.lastSeq,
  });
  return line.run(() => {
    const watch: Watch<SessionView, SessionEvent> = new Watch<SessionView, SessionEvent>(capture(), {
      apply: applySessionEvents,
      capture: () =>
        line.run(() => {
          const fresh = capture();
          watch.reset(fresh);
          return fresh;
        }),
      lagging: (seq) => ({ type: 'fault', reason: 'lagging', seq }),
      buffer: options.buffer ?? defaultBuffer,
      unsubscribe: () => publisher.sessions.delete(watcher),
      report,
    });
    const watcher: SessionWatcher = { watch, values: new Set(addresses.map(addressKey)) };
    publisher.sessions.add(watcher);
    return watch;
  });
}

function readValues(storage: Storage, addresses: readonly Address[]): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const addr of addresses) {
    const version = storage.getValue<Json>(addr);
    if (version !== undefined) values[addressKey(addr)] = version.value;
  }
  return values;
}

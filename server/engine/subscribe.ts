/** Captures a view and registers its watcher in one step on the line, so that nothing falls between (engine specification 9.4). */
import { bound } from './address.ts';
import { applyCommitEvents } from './commit-view.ts';
import type { CommitEvent, CommitView } from './commit-view.ts';
import { ConversationContext } from './context.ts';
import { Rejected } from './errors.ts';
import { inbox } from './inbox.ts';
import type { Kinds } from './kinds.ts';
import type { Line } from './line.ts';
import type { Publisher } from './publish.ts';
import type { Address, Conversation, Id, Json, Task } from './records.ts';
import { applyEvents, applySessionEvents } from './reducer.ts';
import { addressKey, end } from './storage.ts';
import type { Storage } from './storage.ts';
import { usageTotals } from './usage.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';
import { Watch } from './watch.ts';
import type { WatchHandle } from './watch.ts';
import type { CommitWatcher, ConversationWatcher, SessionWatcher } from './watchers.ts';

interface Buffered {
  /** Events that may wait for delivery before the watcher counts as lagging; of a raw watch: commits. */
  readonly buffer?: number;
}
export interface SessionWatchOptions extends Buffered {
  readonly values?: readonly Address[];
}
export interface ConversationWatchOptions extends SessionWatchOptions {
  /** How many of the newest entries the view holds. */
  readonly tail: number;
  /** False: the context's ids are not wanted, and not derived. */
  readonly context?: boolean;
}
/** The commits themselves; see commit-view.ts. */
export interface RawWatchOptions extends Buffered {
  readonly raw: true;
}
export interface WatchSource<Message> {
  readonly storage: Storage;
  readonly kinds: Kinds<Message>;
  readonly line: Line;
  readonly publisher: Publisher<Message>;
  readonly report: (error: unknown) => void;
}

/** Rejects with `unknownConversation`. */
export async function watchConversation<Message>(
  source: WatchSource<Message>,
  conversation: Id,
  options: ConversationWatchOptions,
): Promise<WatchHandle<ConversationView, ConversationEvent>> {
  const { storage, kinds, line, publisher } = source;
  const addresses = [...declared(kinds, conversation), ...(options.values ?? [])];
  const capture = (): { view: ConversationView; context: ConversationContext<Message> | undefined } => {
    const record = conversationRecord(storage, conversation);
    const context = options.context === false ? undefined : new ConversationContext(storage, kinds, conversation, false);
    context?.advance();
    const entries = storage.readEntries({ conversationId: conversation, before: end, limit: options.tail });
    const tasks = storage.scanTasks({ conversationIds: [conversation], live: true, limit: end }).items;
    const view = {
      conversation: record,
      entries: entries.items.toReversed(),
      tail: options.tail,
      context: context?.ids ?? [],
      tasks,
      inbox: storage.readList(bound(inbox, conversation), { limit: end }).items,
      values: readValues(storage, addresses),
      previews: readPreviews(publisher, tasks),
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
      apply: applyEvents,
      capture: () =>
        line.run(() => {
          const fresh = capture();
          watcher.context = fresh.context;
          return watch.reset(fresh.view);
        }),
      unsubscribe: () => publisher.leave(watcher),
      ...delivery(source, options),
    });
    const watcher: ConversationWatcher<Message> = { conversation, watch, values: new Set(addresses.map(addressKey)), context };
    publisher.watchers.add(watcher);
    return watch;
  });
}

export async function watchSession<Message>(
  source: WatchSource<Message>,
  options: SessionWatchOptions,
): Promise<WatchHandle<SessionView, SessionEvent>> {
  const { storage, line, publisher } = source;
  const { sessions } = publisher.watchers;
  const addresses = [usageTotals, ...(options.values ?? [])];
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
      capture: () => line.run(() => watch.reset(capture())),
      unsubscribe: () => sessions.delete(watcher),
      ...delivery(source, options),
    });
    const watcher: SessionWatcher = { watch, values: new Set(addresses.map(addressKey)) };
    sessions.add(watcher);
    return watch;
  });
}

/** Of a conversation, or of the session when none is given. Rejects with `unknownConversation`. */
export async function watchCommits<Message>(
  source: WatchSource<Message>,
  conversation: Id | undefined,
  options: RawWatchOptions,
): Promise<WatchHandle<CommitView, CommitEvent>> {
  const { storage, line, publisher } = source;
  const { commits } = publisher.watchers;
  const capture = (): CommitView => {
    if (conversation !== undefined) conversationRecord(storage, conversation);
    return { readAt: storage.lastSeq, faulted: false, closed: false };
  };
  return line.run(() => {
    const watch: Watch<CommitView, CommitEvent> = new Watch<CommitView, CommitEvent>(capture(), {
      apply: applyCommitEvents,
      capture: () => line.run(() => watch.reset(capture())),
      unsubscribe: () => commits.delete(watcher),
      ...delivery(source, options),
    });
    const watcher: CommitWatcher = { conversation, watch };
    commits.add(watcher);
    return watch;
  });
}

const defaultBuffer = 10_000;

function delivery<Message>({ report }: WatchSource<Message>, { buffer = defaultBuffer }: Buffered) {
  return {
    lagging: (seq: Id) => ({ type: 'fault' as const, reason: 'lagging' as const, seq }),
    buffer,
    report,
  };
}

/** Throws Rejected `unknownConversation`. */
function conversationRecord(storage: Storage, conversation: Id): Conversation {
  const record = storage.getConversations([conversation]).get(conversation);
  if (record === undefined) throw new Rejected('unknownConversation', `there is no conversation ${conversation}`);
  return record;
}

/** Every value that a registered kind declares. */
function declared<Message>(kinds: Kinds<Message>, conversation: Id): readonly Address[] {
  return kinds.behaviours.flatMap(({ config = {} }) => Object.values(config).map((addr) => bound(addr, conversation)));
}

function readValues(storage: Storage, addresses: readonly Address[]): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const addr of addresses) {
    const version = storage.getValue<Json>(addr);
    if (version !== undefined) values[addressKey(addr)] = version.value;
  }
  return values;
}

function readPreviews<Message>(publisher: Publisher<Message>, tasks: readonly Task[]): Readonly<Record<Id, Json>> {
  const previews: Record<Id, Json> = {};
  for (const task of tasks) {
    const preview = publisher.preview(task);
    if (preview !== undefined) previews[task.id] = preview;
  }
  return previews;
}

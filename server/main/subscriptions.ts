/**
 * Who watches what: each subscription has a view, captured when it was made, and gets the events of every commit after it, in
 * order, numbered without a gap (engine specification 9.4). Capture and registration happen in one turn of the event loop with
 * no wait between them where the view is read, and entries carry rising ids, so nothing falls between or comes twice.
 */
import type { Committed } from '../ingest/commit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { findThread } from '../ledger/lookup.ts';
import { newestEntries } from '../ledger/transcript.ts';
import type { ViewEvent } from '../protocol/events.ts';
import type { SubscribeThreads, SubscribeTimeline } from '../protocol/requests.ts';
import type { FaultView, HarnessStatus, ImportProgress, ThreadsView, ThreadView, TimelineView, View } from '../protocol/views.ts';
import { conversationViews } from './conversation-view.ts';
import { entryView } from './entry-view.ts';
import { isListed } from './list.ts';
import { threadView } from './thread-view.ts';
import type { Holders } from './thread-view.ts';

/** One connected window or program. */
export interface Client {
  events(subscription: string, seq: number, events: readonly ViewEvent[]): void;
}

interface Common {
  readonly client: Client;
  readonly id: string;
  seq: number;
}
interface ThreadsSubscription extends Common {
  readonly kind: 'threads';
  readonly all: boolean;
}
interface TimelineSubscription extends Common {
  readonly kind: 'timeline';
  readonly thread: number;
  readonly session: string;
  /** Follows the thread's current conversation, whichever that becomes. */
  readonly follows: boolean;
  readonly tail: number;
  conversation: number;
  through: number | null;
  /** First and last entry that the subscriber holds. */
  first: number;
  last: number;
  /** Its view is being read: a commit meanwhile makes it stale, and it is read again before anything is sent. */
  capturing: boolean;
  stale: boolean;
}
type Subscription = ThreadsSubscription | TimelineSubscription;

export interface SubscriptionsOptions {
  readonly ledger: Ledger;
  readonly holders: () => Holders;
  readonly importing: () => ImportProgress | null;
  readonly harnesses: () => readonly HarnessStatus[];
  readonly faults: () => readonly FaultView[];
  /** Somebody looks at that thread. */
  readonly onOpened?: (thread: ThreadRow) => void;
  /** What folders that are one have in common (project-folder.ts). */
  readonly project?: (cwd: string) => string;
}

/** More threads than this are found by search, not by scrolling. */
const listed = 5000;

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #all = new Map<Client, Map<string, Subscription>>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get any(): boolean {
    return this.#all.size > 0;
  }

  async add(client: Client, params: SubscribeThreads | SubscribeTimeline): Promise<View> {
    this.remove(client, params.subscription);
    if (params.kind === 'threads') {
      const subscription: ThreadsSubscription = { client, id: params.subscription, seq: 0, kind: 'threads', all: params.all };
      this.#register(subscription);
      return this.#threadsView(subscription);
    }
    const row = findThread(this.#options.ledger, params.thread);
    const conversation = params.conversation ?? row.current_conversation;
    const subscription: TimelineSubscription = {
      client,
      id: params.subscription,
      seq: 0,
      kind: 'timeline',
      thread: row.number,
      session: row.session,
      follows: params.conversation === null,
      tail: Math.min(Math.max(params.tail, 1), 5000),
      conversation,
      through: conversation === row.current_conversation ? row.current_entry : null,
      first: 0,
      last: 0,
      capturing: false,
      stale: false,
    };
    this.#register(subscription);
    this.#options.onOpened?.(row);
    return this.#capture(subscription);
  }

  remove(client: Client, id: string): void {
    const of = this.#all.get(client);
    of?.delete(id);
    if (of?.size === 0) this.#all.delete(client);
  }

  drop(client: Client): void {
    this.#all.delete(client);
  }

  /** Sends the page before what the subscriber holds, as an `older` event. */
  async older(client: Client, id: string, limit: number): Promise<void> {
    const subscription = this.#all.get(client)?.get(id);
    if (subscription?.kind !== 'timeline' || subscription.first === 0) return;
    const { entries, older } = await newestEntries(
      this.#options.ledger,
      subscription.session,
      subscription.conversation,
      Math.min(limit, 2000),
      {
        before: subscription.first,
      },
    );
    const first = entries[0];
    if (first !== undefined) subscription.first = first.id;
    this.#send(subscription, [{ type: 'older', entries: entries.map((entry) => entryView(entry)), older }]);
  }

  committed({ thread, entries, branchesChanged }: Committed): void {
    const view = this.#view(thread);
    for (const subscription of this.#each()) {
      if (subscription.kind === 'threads') {
        if (isListed(thread, subscription.all)) this.#send(subscription, [{ type: 'thread', thread: view }]);
        continue;
      }
      if (subscription.thread !== thread.number) continue;
      if (subscription.capturing) {
        subscription.stale = true;
        continue;
      }
      if (
        subscription.follows &&
        (thread.current_conversation !== subscription.conversation || thread.current_entry !== subscription.through)
      ) {
        void this.#restart(subscription);
        continue;
      }
      const fresh =
        subscription.through === null
          ? entries.filter((entry) => entry.conversationId === subscription.conversation && entry.id > subscription.last)
          : [];
      const last = fresh.at(-1);
      if (last !== undefined) subscription.last = last.id;
      if (subscription.first === 0 && fresh[0] !== undefined) subscription.first = fresh[0].id;
      const events: ViewEvent[] = fresh.map((entry) => ({ type: 'entry', entry: entryView(entry) }));
      events.push({ type: 'thread', thread: view });
      if (branchesChanged || entries.length > 0)
        events.push({ type: 'conversations', conversations: conversationViews(this.#options.ledger, thread) });
      this.#send(subscription, events);
    }
  }

  /** Entries came in beside ingest (a hand-over): timelines of the thread begin anew. */
  reread(thread: ThreadRow): void {
    for (const subscription of this.#each())
      if (subscription.kind === 'timeline' && subscription.thread === thread.number) void this.#restart(subscription);
    this.threadChanged(thread);
  }

  /** A thread's row or its liveness changed without new entries. */
  threadChanged(thread: ThreadRow): void {
    const view = this.#view(thread);
    for (const subscription of this.#each()) {
      if (subscription.kind === 'threads' ? isListed(thread, subscription.all) : subscription.thread === thread.number)
        this.#send(subscription, [{ type: 'thread', thread: view }]);
      else if (subscription.kind === 'threads' && thread.current_conversation === 0)
        this.#send(subscription, [{ type: 'threadGone', id: thread.id }]);
    }
  }

  importing(progress: ImportProgress | null): void {
    this.#broadcast({ type: 'importing', progress });
  }
  harnesses(harnesses: readonly HarnessStatus[]): void {
    this.#broadcast({ type: 'harnesses', harnesses });
  }
  faults(faults: readonly FaultView[]): void {
    this.#broadcast({ type: 'faults', faults });
  }

  #broadcast(event: ViewEvent): void {
    for (const subscription of this.#each()) if (subscription.kind === 'threads') this.#send(subscription, [event]);
  }

  async #restart(subscription: TimelineSubscription): Promise<void> {
    const view = await this.#capture(subscription);
    this.#send(subscription, [{ type: 'snapshot', view }]);
  }

  /** The view as of a moment after which every commit is sent as events. */
  async #capture(subscription: TimelineSubscription): Promise<TimelineView> {
    subscription.capturing = true;
    for (;;) {
      subscription.stale = false;
      const row = this.#options.ledger.threads.byNumber(subscription.thread);
      if (row === undefined) throw new Error('a thread that is watched is not there');
      if (subscription.follows) {
        subscription.conversation = row.current_conversation;
        subscription.through = row.current_entry;
      }
      const view = await this.#timelineView(subscription, row);
      if (subscription.stale) continue;
      subscription.capturing = false;
      return view;
    }
  }

  #threadsView({ all }: ThreadsSubscription): ThreadsView {
    const { ledger, importing, harnesses, faults } = this.#options;
    return ledger.snapshot(() => ({
      kind: 'threads',
      threads: ledger.threads
        .newest(listed)
        .filter((row) => isListed(row, all))
        .map((row) => this.#view(row)),
      importing: importing(),
      harnesses: harnesses(),
      faults: faults(),
      readAt: 0,
    }));
  }

  async #timelineView(subscription: TimelineSubscription, row: ThreadRow): Promise<TimelineView> {
    const { ledger } = this.#options;
    const { entries, older } =
      subscription.conversation === 0
        ? { entries: [], older: 0 }
        : await newestEntries(
            ledger,
            subscription.session,
            subscription.conversation,
            subscription.tail,
            subscription.through === null ? {} : { through: subscription.through },
          );
    subscription.first = entries[0]?.id ?? 0;
    subscription.last = entries.at(-1)?.id ?? 0;
    return {
      kind: 'timeline',
      thread: this.#view(ledger.threads.byNumber(row.number) ?? row),
      conversation: subscription.conversation,
      conversations: conversationViews(ledger, row),
      entries: entries.map((entry) => entryView(entry)),
      older,
      readAt: subscription.last,
    };
  }

  #view(row: ThreadRow): ThreadView {
    return threadView(this.#options.ledger, row, this.#options.holders(), this.#options.project);
  }

  #register(subscription: Subscription): void {
    const of = this.#all.get(subscription.client) ?? new Map<string, Subscription>();
    of.set(subscription.id, subscription);
    this.#all.set(subscription.client, of);
  }

  *#each(): Iterable<Subscription> {
    for (const of of this.#all.values()) yield* of.values();
  }

  #send(subscription: Subscription, events: readonly ViewEvent[]): void {
    if (events.length === 0) return;
    subscription.client.events(subscription.id, ++subscription.seq, events);
  }
}

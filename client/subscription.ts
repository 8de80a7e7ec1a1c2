/**
 * One subscription, kept alive: it hands on a whole view first and then, in order and without a gap, the events that
 * change it. A gap in `seq`, a restart of the server or a new owner of the ledger make it subscribe anew, under a new
 * name, so that late events of the old one are told apart and dropped. What is done with views is the receiver's matter.
 */
import { requests, type EventsNotification, type SubscribeThreads, type SubscribeTimeline } from '../server/protocol/requests.ts';
import type { ViewEvent } from '../server/protocol/events.ts';
import type { View } from '../server/protocol/views.ts';
import type { Closeable, Link } from './link.ts';

/** What is subscribed to; the name of the subscription is chosen here. */
export type Topic = Omit<SubscribeThreads, 'subscription'> | Omit<SubscribeTimeline, 'subscription'>;

export interface Receiver {
  /** A first view, or a new one after a gap: it replaces whatever was held. */
  view(view: View): void;
  events(events: readonly ViewEvent[]): void;
  /** Subscribing failed. It is tried again when the server is renewed, or by `open()`. */
  failed(error: unknown): void;
}

export class Subscription implements Closeable {
  readonly #link: Link;
  readonly #receiver: Receiver;
  readonly #newName: () => string;
  readonly #listeners: readonly Closeable[];
  #topic: Topic;
  #name: string | null = null;
  /** Events that came before the answer that holds their view. */
  #early: EventsNotification[] | null = null;
  #seq = 0;
  #closed = false;

  constructor(link: Link, topic: Topic, receiver: Receiver, newName: () => string) {
    this.#link = link;
    this.#topic = topic;
    this.#receiver = receiver;
    this.#newName = newName;
    this.#listeners = [
      link.onEvents((notification) => {
        this.#take(notification);
      }),
      link.onRenew(() => {
        if (this.#name !== null) void this.open();
      }),
    ];
  }

  /** The name under which requests such as `older` go; null while there is none. */
  get name(): string | null {
    return this.#early === null ? this.#name : null;
  }

  /** Subscribes, anew if it already was, to another topic if one is given. Settles when the view is there or has failed; never rejects. */
  async open(topic: Topic = this.#topic): Promise<void> {
    if (this.#closed) return;
    this.#leave();
    this.#topic = topic;
    const name = this.#newName();
    this.#name = name;
    this.#early = [];
    try {
      const view = await this.#link.request(requests.subscribe, { ...topic, subscription: name });
      if (this.#name !== name) return this.#forget(name);
      const early = this.#early;
      this.#early = null;
      this.#seq = 0;
      this.#receiver.view(view);
      for (const notification of early) this.#take(notification);
    } catch (error) {
      if (this.#name !== name) return;
      this.#early = null;
      this.#receiver.failed(error);
    }
  }

  /** Ends it at the server; `open` begins it again. */
  pause(): void {
    this.#leave();
  }

  dispose(): void {
    this.#closed = true;
    this.#leave();
    for (const listener of this.#listeners) listener.dispose();
  }

  #take(notification: EventsNotification): void {
    if (notification.subscription !== this.#name) return;
    if (this.#early !== null) {
      this.#early.push(notification);
      return;
    }
    if (notification.seq <= this.#seq) return;
    if (notification.seq !== this.#seq + 1) {
      void this.open();
      return;
    }
    this.#seq = notification.seq;
    this.#receiver.events(notification.events);
  }

  #leave(): void {
    const name = this.#name;
    this.#name = null;
    this.#early = null;
    if (name !== null) this.#forget(name);
  }

  /** The server forgets it; when there is no server, it has done so already. */
  #forget(name: string): void {
    this.#link.request(requests.unsubscribe, { subscription: name }).catch(() => undefined);
  }
}

/**
 * One subscription (engine specification 9.4). The view is captured on the line together with the registration, so nothing falls
 * between them; the events of a commit are folded into it together and then told, so that no listener sees half a commit. Delivery
 * runs in a microtask of its own, never inside a commit. The buffer is bounded: a watcher that fell behind is told so, gets nothing more and takes a new snapshot.
 */
import type { Id } from './records.ts';

export interface WatchHandle<View, Event> {
  /** As of the commits delivered so far. */
  readonly view: View;
  /** Delivers what came since the capture, then what comes. The event's whole commit is in `view` when the listener runs. */
  start(listener: (event: Event) => void): void;
  /** As `start`, all events of one commit in one call. */
  startCommits(listener: (events: readonly Event[]) => void): void;
  /** A fresh capture under the same subscription; what was buffered before it is dropped. May be called by the listener. */
  resnapshot(): Promise<View>;
  unsubscribe(): void;
}

interface Shape<View, Event> {
  readonly apply: (view: View, events: readonly Event[]) => View;
  /** Takes a new view, on the line. */
  readonly capture: () => Promise<View>;
  readonly lagging: (at: Id) => Event;
  /** Events that may wait for delivery. */
  readonly buffer: number;
  readonly unsubscribe: () => void;
  /** Where an error of a listener goes; delivery continues. */
  readonly report: (error: unknown) => void;
}

export class Watch<View, Event extends { readonly seq: Id }> implements WatchHandle<View, Event> {
  readonly #shape: Shape<View, Event>;
  #view: View;
  /** Events by commit; those before `#next` are delivered. */
  #commits: (readonly Event[])[] = [];
  #next = 0;
  /** Events that wait. */
  #waiting = 0;
  #lagging = false;
  #delivering = false;
  #ended = false;
  #listener: ((events: readonly Event[]) => void) | undefined;

  constructor(view: View, shape: Shape<View, Event>) {
    this.#view = view;
    this.#shape = shape;
  }

  get view(): View {
    return this.#view;
  }

  start(listener: (event: Event) => void): void {
    this.startCommits((events) => {
      for (const event of events) if (!this.#ended) this.#tell(() => listener(event));
    });
  }

  startCommits(listener: (events: readonly Event[]) => void): void {
    this.#listener = listener;
    this.#schedule();
  }

  async resnapshot(): Promise<View> {
    return this.#shape.capture();
  }

  unsubscribe(): void {
    this.#ended = true;
    this.#replaceBuffer([]);
    this.#shape.unsubscribe();
  }

  /** The events of one commit. Called on the line, after the commit is durable. */
  push(events: readonly Event[]): void {
    const last = events.at(-1);
    if (this.#ended || this.#lagging || last === undefined) return;
    if (this.#waiting + events.length > this.#shape.buffer) return this.lag(last.seq);
    this.#waiting += events.length;
    this.#commits.push(events);
    this.#schedule();
  }

  /** Drops what waits: the watcher is told, once, and gets nothing until it takes a new snapshot. */
  lag(at: Id): void {
    if (this.#ended || this.#lagging) return;
    this.#lagging = true;
    this.#replaceBuffer([[this.#shape.lagging(at)]]);
    this.#schedule();
  }

  /** The last event: also told to a watcher that fell behind. */
  end(event: Event): void {
    if (this.#ended) return;
    this.#commits.push([event]);
    this.#schedule();
  }

  /** Starts anew from a view that was captured on the line. Never during a delivery: that does not give up the thread. */
  reset(view: View): View {
    this.#view = view;
    this.#lagging = false;
    this.#replaceBuffer([]);
    return view;
  }

  #replaceBuffer(commits: (readonly Event[])[]): void {
    this.#commits = commits;
    this.#next = 0;
    this.#waiting = 0;
  }

  #schedule(): void {
    if (this.#delivering || this.#listener === undefined || this.#commits.length === 0) return;
    this.#delivering = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    for (let events = this.#take(); events !== undefined; events = this.#take()) {
      const told = events;
      if (this.#fold(told)) this.#tell(() => this.#listener?.(told));
    }
    this.#commits = [];
    this.#next = 0;
    this.#delivering = false;
  }

  #take(): readonly Event[] | undefined {
    const events = this.#commits[this.#next];
    if (events === undefined) return undefined;
    this.#next++;
    this.#waiting = Math.max(0, this.#waiting - events.length);
    return events;
  }

  /** False: they do not fit the view, and the watcher has to take a new snapshot. */
  #fold(events: readonly Event[]): boolean {
    try {
      this.#view = this.#shape.apply(this.#view, events);
      return true;
    } catch (error) {
      this.#shape.report(error);
      this.lag(events.at(-1)?.seq ?? 0);
      return false;
    }
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      // A listener's own bug: it must not end the others' delivery nor the line.
      this.#shape.report(error);
    }
  }
}

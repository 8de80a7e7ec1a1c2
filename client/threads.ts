/** The `threads` view that this window holds, folded from events, and who is to know when it changes. */
import * as vscode from 'vscode';
import { applyEvent } from '../server/protocol/events.ts';
import type { ThreadView, ThreadsView } from '../server/protocol/views.ts';
import type { Link } from './link.ts';
import { Subscription } from './subscription.ts';
import { troubleOf, type Trouble } from './fault-of.ts';

export class Threads implements vscode.Disposable {
  readonly #trouble = new vscode.EventEmitter<void>();
  readonly onTrouble = this.#trouble.event;
  readonly #change = new vscode.EventEmitter<ThreadsView>();
  /** Fires at most once for the events of one commit. */
  readonly onChange = this.#change.event;
  readonly #subscription: Subscription;
  #view: ThreadsView | null = null;
  #failure: Trouble | null = null;
  #opened: Promise<void> | null = null;

  constructor(link: Link, log: vscode.LogOutputChannel, newName: () => string, all: boolean) {
    this.#subscription = new Subscription(
      link,
      { kind: 'threads', all },
      {
        view: (view) => {
          if (view.kind === 'threads') this.#hold(view);
        },
        events: (events) => {
          let view = this.#view;
          if (view === null) return;
          for (const event of events) {
            const next = applyEvent(view, event);
            if (next.kind === 'threads') view = next;
          }
          this.#hold(view);
        },
        failed: (error) => {
          this.#opened = null;
          this.#failure = troubleOf(error);
          log.error(`The list of threads is not there: ${this.#failure.text}`);
          this.#trouble.fire();
        },
      },
      newName,
    );
  }

  /** null until the server has answered once. */
  get view(): ThreadsView | null {
    return this.#view;
  }

  /** Why the list is not there, or is not followed any more; null: it is. */
  get failure(): Trouble | null {
    return this.#failure;
  }

  thread(id: string): ThreadView | undefined {
    return this.#view?.threads.find((thread) => thread.id === id);
  }

  /** Begins to follow the list, if it is not followed already; settles when there is a first answer. */
  async follow(): Promise<void> {
    this.#opened ??= this.#subscription.open();
    await this.#opened;
  }

  /** With or without the threads of automation. */
  async include(all: boolean): Promise<void> {
    this.#opened = this.#subscription.open({ kind: 'threads', all });
    await this.#opened;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#change.dispose();
    this.#trouble.dispose();
  }

  #hold(view: ThreadsView): void {
    this.#view = view;
    this.#failure = null;
    this.#change.fire(view);
  }
}

/**
 * The first import, told while it lasts: a notification with counts, that can be hidden without stopping anything. Later
 * imports are short and show only as the message above the list.
 */
import * as vscode from 'vscode';
import type { ImportProgress, ThreadsView } from '../server/protocol/views.ts';
import { bytes, grouped } from './amounts.ts';
import type { Threads } from './threads.ts';

/** Shorter imports are not worth a notification. */
const patience = 1500;

export class ImportNotice implements vscode.Disposable {
  readonly #threads: Threads;
  readonly #listener: vscode.Disposable;
  #decided = false;
  #waiting: NodeJS.Timeout | null = null;

  constructor(threads: Threads) {
    this.#threads = threads;
    this.#listener = threads.onChange((view) => {
      this.#consider(view);
    });
  }

  dispose(): void {
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    this.#listener.dispose();
  }

  /** Whether this is a first import is told by the first view: it had no threads yet. */
  #consider(view: ThreadsView): void {
    if (this.#decided) return;
    this.#decided = true;
    if (view.threads.length > 0) return;
    this.#waiting = setTimeout(() => {
      if (importing(this.#threads) !== null) void this.#show();
    }, patience);
  }

  async #show(): Promise<void> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: 'Loom reads the sessions of your agents',
      cancellable: true,
    };
    await vscode.window.withProgress(options, async (progress, hidden) => {
      let reported = 0;
      const report = (now: ImportProgress): void => {
        const done = now.bytesTotal === 0 ? 0 : (now.bytesDone / now.bytesTotal) * 100;
        const message = `${grouped(now.filesDone)} of ${grouped(now.filesTotal)} files, ${bytes(now.bytesDone)} of ${bytes(now.bytesTotal)}. Threads can be used already.`;
        progress.report({ message, increment: Math.max(0, done - reported) });
        reported = Math.max(reported, done);
      };
      const first = importing(this.#threads);
      if (first === null) return;
      report(first);
      await new Promise<void>((resolve) => {
        const listener = this.#threads.onChange((view) => {
          if (view.importing !== null) report(view.importing);
          else finish();
        });
        const finish = (): void => {
          listener.dispose();
          resolve();
        };
        hidden.onCancellationRequested(finish);
      });
    });
  }
}

function importing(threads: Threads): ImportProgress | null {
  return threads.view?.importing ?? null;
}

/**
 * The first import, told while it lasts, in the status bar: nothing has to be closed or decided, and threads can be used meanwhile. Later
 * imports are short and show only as the message above the list.
 */
import * as vscode from 'vscode';
import type { ImportProgress, ThreadsView } from '../server/protocol/views.ts';
import { bytes, grouped } from './amounts.ts';
import type { Threads } from './threads.ts';

/** Shorter imports are not worth a word. */
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
    const options = { location: vscode.ProgressLocation.Window, title: 'Loom' };
    await vscode.window.withProgress(options, async (progress) => {
      const report = (now: ImportProgress): void => {
        progress.report({
          message: `${grouped(now.filesDone)} of ${grouped(now.filesTotal)} session files read, ${bytes(now.bytesDone)} of ${bytes(now.bytesTotal)}`,
        });
      };
      const first = importing(this.#threads);
      if (first === null) return;
      report(first);
      await new Promise<void>((resolve) => {
        const listener = this.#threads.onChange((view) => {
          if (view.importing !== null) report(view.importing);
          else {
            listener.dispose();
            resolve();
          }
        });
      });
    });
  }
}

function importing(threads: Threads): ImportProgress | null {
  return threads.view?.importing ?? null;
}

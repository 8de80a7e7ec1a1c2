/** The status-bar item: who drives this workspace. A click opens that thread. Gone when nobody does. */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ThreadView, ThreadsView } from '../server/protocol/views.ts';
import { conflictSentence, leaseSentence } from './conflict-words.ts';
import { driversHere } from './drivers.ts';
import { oneLine } from './plain-text.ts';
import type { Threads } from './threads.ts';
import { stateSign, stateWords, titleOf } from './thread-words.ts';
import type { WorkspaceFolders } from './workspace-folders.ts';

export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #threads: Threads;
  readonly #folders: WorkspaceFolders;
  readonly #disposables: vscode.Disposable[];

  constructor(threads: Threads, folders: WorkspaceFolders) {
    this.#threads = threads;
    this.#folders = folders;
    this.#item = vscode.window.createStatusBarItem('loom.driver', vscode.StatusBarAlignment.Left, 0);
    this.#item.name = 'Loom: who drives this workspace';
    this.#disposables = [
      this.#item,
      threads.onChange((view) => {
        this.#draw(view);
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('loom.statusBar')) this.#draw(this.#threads.view);
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #draw(view: ThreadsView | null): void {
    const wanted = vscode.workspace.getConfiguration('loom').get<boolean>('statusBar') !== false;
    const live = view === null || !wanted ? [] : driversHere(view.threads, (thread) => this.#folders.holds(thread));
    const first = live[0];
    if (first === undefined) {
      this.#item.hide();
      return;
    }
    const more = live.length > 1 ? ` +${live.length - 1}` : '';
    const who = harnessNames[first.driver?.harness ?? first.harness];
    this.#item.text = `${stateSign(first)} ${who}: ${stateWords(first)}${more}`;
    this.#item.tooltip = live.map(line).join('\n');
    this.#item.accessibilityInformation = { label: `Loom: ${live.map(line).join(', ')}` };
    this.#item.command = { command: 'loom.openThread', title: 'Open thread', arguments: [first.id] };
    this.#item.show();
  }
}

function line(thread: ThreadView): string {
  const who = `${harnessNames[thread.driver?.harness ?? thread.harness]}, ${stateWords(thread)}: ${oneLine(titleOf(thread), 80)}`;
  const more = [leaseSentence(thread, Date.now()), thread.conflict === null ? '' : conflictSentence(thread.conflict)];
  return [who, ...more.filter((part) => part !== '')].join('. ');
}

/** Says, if the person wants it said, that an agent in this workspace began to wait. Off unless switched on. */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { newlyWaiting } from './drivers.ts';
import type { Threads } from './threads.ts';
import { titleOf } from './thread-words.ts';
import type { WorkspaceFolders } from './workspace-folders.ts';

export class WaitingNotice implements vscode.Disposable {
  readonly #folders: WorkspaceFolders;
  readonly #listener: vscode.Disposable;
  #before: readonly ThreadView[] = [];

  constructor(threads: Threads, folders: WorkspaceFolders) {
    this.#folders = folders;
    this.#listener = threads.onChange((view) => {
      const waiting = newlyWaiting(this.#before, view.threads);
      this.#before = view.threads;
      if (vscode.workspace.getConfiguration('loom').get<boolean>('notifyWhenWaiting') !== true) return;
      for (const thread of waiting) if (this.#folders.holds(thread)) void tell(thread);
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

async function tell(thread: ThreadView): Promise<void> {
  const open = 'Open thread';
  const chosen = await vscode.window.showInformationMessage(
    `${harnessNames[thread.harness]} waits for you: ${titleOf(thread)}`,
    open,
  );
  if (chosen === open) await vscode.commands.executeCommand('loom.openThread', thread.id);
}

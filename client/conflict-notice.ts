/** Says, once for each, that a session of this workspace that had lost its thread went on all the same, with both ways out. */
import * as vscode from 'vscode';
import type { ThreadView } from '../server/protocol/views.ts';
import { conflictChoices, conflictSentence, leaseSentence, newConflicts } from './conflict-words.ts';
import { label } from './plain-text.ts';
import type { Threads } from './threads.ts';
import { titleOf } from './thread-words.ts';
import { Told } from './told.ts';
import type { WorkspaceFolders } from './workspace-folders.ts';

export class ConflictNotice implements vscode.Disposable {
  readonly #listener: vscode.Disposable;

  constructor(threads: Threads, folders: WorkspaceFolders, memory: vscode.Memento) {
    const told = new Told(memory, 'toldConflicts');
    this.#listener = threads.onChange((view) => {
      const here = view.threads.filter((thread) => thread.conflict !== null && folders.holds(thread));
      const fresh = newConflicts(here, told.keys);
      told.add(fresh.map(({ key }) => key));
      for (const { thread, conflict } of fresh) void tell(thread, conflict);
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

async function tell(thread: ThreadView, conflict: NonNullable<ThreadView['conflict']>): Promise<void> {
  const see = 'See it';
  const { keep, follow } = conflictChoices(thread, conflict);
  const holds = leaseSentence(thread, Date.now());
  const text = `“${label(titleOf(thread), 60)}”: ${conflictSentence(conflict)}.${holds === '' ? '' : ` ${holds}.`}`;
  const commands = { [see]: 'loom.seeConflict', [keep]: 'loom.keepLease', [follow]: 'loom.followConflict' };
  const chosen = await vscode.window.showWarningMessage(text, see, keep, follow);
  const command = chosen === undefined ? undefined : commands[chosen];
  if (command !== undefined) await vscode.commands.executeCommand(command, thread.id);
}

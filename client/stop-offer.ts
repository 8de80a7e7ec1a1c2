/**
 * Offers to continue elsewhere when a limit or a failure ended the newest turn of a thread of this workspace: one notification a stop,
 * never anything by itself, and off for good when the person says so.
 */
import * as vscode from 'vscode';
import { label } from './plain-text.ts';
import { stopSentence, stopsToTell, type StoppedThread } from './stops.ts';
import type { Threads } from './threads.ts';
import { titleOf } from './thread-words.ts';
import { Told } from './told.ts';
import type { WorkspaceFolders } from './workspace-folders.ts';

export class StopOffer implements vscode.Disposable {
  readonly #listener: vscode.Disposable;

  constructor(threads: Threads, folders: WorkspaceFolders, memory: vscode.Memento) {
    const told = new Told(memory, 'toldStops');
    this.#listener = threads.onChange((view) => {
      // While the first import runs, the newest turn that is known of a thread need not be its newest.
      if (view.importing !== null) return;
      if (vscode.workspace.getConfiguration('loom').get<boolean>('offerToContinue') === false) return;
      const { tell, keys } = stopsToTell(view.threads, (thread) => folders.holds(thread), told.keys, Date.now());
      told.add(keys);
      for (const thread of tell) void offer(thread);
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

async function offer(thread: StoppedThread): Promise<void> {
  const go = 'Continue in…';
  const never = "Don't offer again";
  const text = `${stopSentence(thread, clock)} Continue “${label(titleOf(thread), 60)}” in another agent?`;
  const chosen = await vscode.window.showInformationMessage(text, go, 'Not now', never);
  if (chosen === go) await vscode.commands.executeCommand('loom.continueIn', thread.id);
  if (chosen === never)
    await vscode.workspace.getConfiguration('loom').update('offerToContinue', false, vscode.ConfigurationTarget.Global);
}

/** Today by the clock, else with the day. */
function clock(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(vscode.env.language, {
    ...(isToday ? {} : { weekday: 'short' as const }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

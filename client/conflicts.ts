/** The ways out of a thread's conflict, as commands: see what the old session wrote, keep who holds the thread, or follow the old session. */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { conflictChoices } from './conflict-words.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';
import { titleOf } from './thread-words.ts';
import { showTrouble } from './trouble.ts';

export interface ConflictParts {
  readonly link: Link;
  readonly log: vscode.LogOutputChannel;
  /** Shows one line of a thread in its timeline. */
  readonly showLine: (thread: string, conversation: number) => void;
}

export function seeConflict({ showLine }: ConflictParts, thread: ThreadView): void {
  if (thread.conflict === null) tellThereIsNone(thread);
  else showLine(thread.id, thread.conflict.conversation);
}

export async function endConflict(parts: ConflictParts, thread: ThreadView, choice: 'keep' | 'follow'): Promise<void> {
  const { conflict } = thread;
  if (conflict === null) {
    tellThereIsNone(thread);
    return;
  }
  try {
    await parts.link.request(requests.endConflict, { thread: thread.id, choice });
    const done = conflictChoices(thread, conflict)[choice];
    vscode.window.setStatusBarMessage(`${done}: “${label(titleOf(thread), 60)}”. Nothing was lost.`, 6000);
  } catch (error) {
    await showTrouble(parts.log, 'The conflict could not be ended', error);
  }
}

function tellThereIsNone(thread: ThreadView): void {
  void vscode.window.showInformationMessage(`“${label(titleOf(thread), 60)}” has no conflict: one session drives it.`);
}

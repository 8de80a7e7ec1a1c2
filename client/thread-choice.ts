/** Which thread a command is meant for: what it was called with, else the timeline in front, else what the person picks. */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { age } from './amounts.ts';
import { label, shortPath } from './plain-text.ts';
import type { Threads } from './threads.ts';
import { harnessesOf, stateSign, stateWords, titleOf } from './thread-words.ts';

/** `argument`: a tree node, a thread id, or nothing. `inFront`: id of the thread whose timeline is active. `shown`: a thread by its open timeline, for one that the list hides. */
export async function chooseThread(
  threads: Threads,
  shown: (id: string) => ThreadView | undefined,
  argument: unknown,
  inFront: string | undefined,
  title: string,
): Promise<ThreadView | undefined> {
  await threads.follow();
  const named = idOf(argument) ?? inFront;
  if (named !== undefined) {
    const thread = threads.thread(named) ?? shown(named);
    if (thread === undefined)
      void vscode.window.showInformationMessage('That thread is not in the list now. Refresh the list and try again.');
    return thread;
  }
  const items = (threads.view?.threads ?? []).map((thread) => ({ ...pickItem(thread), thread }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      'There is no thread yet. Run a coding agent, or see where Loom looks for sessions.',
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: 'Thread',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.thread;
}

function pickItem(thread: ThreadView): vscode.QuickPickItem {
  const sign = stateSign(thread);
  const facts = [
    harnessesOf(thread)
      .map((harness) => harnessNames[harness])
      .join(' → '),
    stateWords(thread),
    age(thread.updatedAt, Date.now()),
  ];
  return {
    label: `${sign === '' ? '' : `${sign} `}${titleOf(thread)}`,
    description: facts.filter((fact) => fact !== '').join(' · '),
    detail: label(shortPath(thread.cwd), 120),
  };
}

/** Menus of the tree give a node, other commands give the id. */
export function idOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null || !('thread' in argument)) return undefined;
  const { thread } = argument;
  if (typeof thread === 'string') return thread;
  return typeof thread === 'object' && thread !== null && 'id' in thread && typeof thread.id === 'string' ? thread.id : undefined;
}

/** The thread is being driven: who does it, and what the person wants. Each way says what it means before it is taken. */
import * as vscode from 'vscode';
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import { faults } from '../server/protocol/faults.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import type { Trouble } from './fault-of.ts';
import { waitUntilIdle } from './idle-wait.ts';
import { label } from './plain-text.ts';
import type { Threads } from './threads.ts';
import { titleOf } from './thread-words.ts';

export type WhenDriven = 'wait' | 'watch' | 'fork';

export async function chooseWhenDriven(thread: ThreadView, trouble: Trouble): Promise<WhenDriven | undefined> {
  const choices: readonly (vscode.QuickPickItem & { readonly choice: WhenDriven })[] = [
    { choice: 'wait', label: '$(clock) Wait', detail: 'Goes on by itself as soon as the thread is idle. Can be cancelled.' },
    { choice: 'watch', label: '$(eye) Watch', detail: 'Opens its timeline, live. Nothing is handed over.' },
    {
      choice: 'fork',
      label: '$(repo-forked) Fork from the last turn',
      detail: 'Without the turn under way, which goes on there. Both can change the same files.',
    },
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: `“${label(titleOf(thread), 60)}” is being driven`,
    // Who it is comes first: the field is narrow.
    placeHolder: label(trouble.text.replace(faults.C002.message, ''), 300),
    ignoreFocusOut: true,
  });
  return picked?.choice;
}

const secondsBetweenTrials = 15;

/** `attempt`: see idle-wait.ts. A notification shows that it waits, and cancels it. */
export async function waitFor<Result>(
  thread: ThreadView,
  to: HarnessId,
  threads: Threads,
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const title = `Waiting until “${label(titleOf(thread), 60)}” is idle, then it goes on in ${harnessNames[to]}`;
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) =>
    waitUntilIdle({
      attempt,
      looksIdle: () => {
        const now = threads.thread(thread.id);
        return now !== undefined && (!now.live || now.state === 'idle' || now.state === 'ended');
      },
      onChange: (listener) => stopper(threads.onChange(listener)),
      onTick: (listener) => {
        const timer = setInterval(listener, secondsBetweenTrials * 1000);
        return () => {
          clearInterval(timer);
        };
      },
      onCancel: (listener) => stopper(token.onCancellationRequested(listener)),
    }),
  );
}

function stopper(disposable: vscode.Disposable): () => void {
  return () => {
    disposable.dispose();
  };
}

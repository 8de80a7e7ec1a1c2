/**
 * The terminal of a harness that goes on with a thread: in the thread's folder, named after the thread. The program is started with
 * arguments, never through a shell line, so that no text of a transcript is ever a shell word.
 */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ContinueResult } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { label } from './plain-text.ts';
import { shellLine } from './shell-line.ts';
import { titleOf } from './thread-words.ts';

/** `icons`: the folder with each harness's icon, so that two terminals of one thread are told apart. */
export function openAgentTerminal(thread: ThreadView, result: ContinueResult, icons: vscode.Uri): void {
  const [program, ...rest] = result.command.argv;
  if (program === undefined) return;
  const terminal = vscode.window.createTerminal({
    name: label(titleOf(thread), 40),
    shellPath: program,
    shellArgs: rest,
    cwd: result.command.cwd,
    env: { ...result.command.env },
    iconPath: {
      light: vscode.Uri.joinPath(icons, `${result.harness}-light.svg`),
      dark: vscode.Uri.joinPath(icons, `${result.harness}-dark.svg`),
    },
    isTransient: true,
  });
  terminal.show();
}

/** Nothing can be started here: the session is there all the same, and the person is told how to open it. */
export async function tellCommand(result: ContinueResult): Promise<void> {
  const copy = 'Copy Command';
  const written = result.mode === 'prompt' ? 'The brief' : 'The session';
  const text = `${written} is written. The program of ${harnessNames[result.harness]} was not found on this machine, so that it has to be opened by hand, in ${label(result.command.cwd, 200)}.`;
  const chosen = await vscode.window.showInformationMessage(text, copy);
  if (chosen !== copy) return;
  await vscode.env.clipboard.writeText(shellLine(result.command.argv, process.platform === 'win32' ? 'windows' : 'posix'));
}

/** Writes a thread's session files out of the archive: where they lay, or below a folder that the person chooses. Nothing that is there is ever replaced. */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';
import { restorePlaces, restoreWords } from './restore-words.ts';
import { titleOf } from './thread-words.ts';
import { showTrouble } from './trouble.ts';

export interface RestoreParts {
  readonly link: Link;
  readonly log: vscode.LogOutputChannel;
}

export async function restoreNative({ link, log }: RestoreParts, thread: ThreadView): Promise<void> {
  const title = `Restore the session files of “${label(titleOf(thread), 60)}”`;
  const place = await vscode.window.showQuickPick([...restorePlaces(thread)], { title, placeHolder: 'Where to' });
  if (place === undefined) return;
  const folder = place.place === 'back' ? null : await chosenFolder(title);
  if (folder === undefined) return;
  try {
    const result = await link.request(requests.restore, { thread: thread.id, folder: folder?.fsPath ?? null });
    const { text, isWhole } = restoreWords(result);
    for (const file of result.files) log.info(`Restored ${file.path}: ${file.bytes} bytes, sha256 ${file.sha256}`);
    for (const one of result.missing) log.warn(`${one.path} ${one.reason}`);
    const show = 'Show folder';
    const [first] = result.files;
    const shown = folder ?? (first === undefined ? undefined : vscode.Uri.file(first.path));
    const say = isWhole ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    const chosen = await say(text, ...(shown === undefined ? [] : [show]));
    if (chosen === show) await vscode.commands.executeCommand('revealFileInOS', shown);
  } catch (error) {
    await showTrouble(log, 'The session files could not be restored', error);
  }
}

async function chosenFolder(title: string): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: 'Restore here',
    title,
  });
  return chosen?.[0];
}

/** Tells the person what went wrong and what to do, and keeps it in the log. */
import * as vscode from 'vscode';
import { troubleOf } from './fault-of.ts';
import { label } from './plain-text.ts';

/** `doing`: what was tried, as the beginning of a sentence ("The baton could not be made"). */
export async function showTrouble(log: vscode.LogOutputChannel, doing: string, error: unknown): Promise<void> {
  const trouble = troubleOf(error);
  const id = trouble.id === null ? '' : ` (${trouble.id})`;
  log.error(`${doing}${id}: ${trouble.text}`);
  const show = 'Show log';
  const chosen = await vscode.window.showErrorMessage(label(`${doing}${id}: ${trouble.text} ${trouble.fix}`, 500), show);
  if (chosen === show) log.show();
}

/** The last choice again with one confirmation: what leaves, and Enter sends it. Everything else is one step away. */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import { alwaysWords, offersAlways, reviewPieces } from './agreement.ts';
import type { PlannedHandOver } from './hand-over-request.ts';
import { label } from './plain-text.ts';
import { titleOf } from './thread-words.ts';

export type QuickAnswer = 'send' | 'always' | 'review' | 'other';

export async function askOnce({ handOver, result }: PlannedHandOver): Promise<QuickAnswer | undefined> {
  const name = harnessNames[result.harness];
  const pieces = reviewPieces(result).map((piece) => label(piece, 300));
  const send = { answer: 'send' as const, label: `$(send) Send to ${name}`, detail: pieces.join(' · ') };
  const always = {
    answer: 'always' as const,
    label: `$(check-all) ${alwaysWords}`,
    detail: `Sends, and does not ask again for ${harnessNames[result.disclosure.from]} to ${name} here`,
  };
  const choices: readonly (vscode.QuickPickItem & { readonly answer: QuickAnswer })[] = [
    send,
    ...(offersAlways(result) ? [always] : []),
    { answer: 'review', label: '$(edit) Review the baton first' },
    { answer: 'other', label: '$(arrow-swap) Another agent…' },
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: `Continue “${label(titleOf(handOver.thread), 60)}” in ${name}?`,
    placeHolder: 'Nothing was sent yet',
    ignoreFocusOut: true,
  });
  return picked?.answer;
}

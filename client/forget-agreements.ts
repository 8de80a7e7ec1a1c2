/** Takes back what was agreed to for good: to hand threads of this workspace's folders to agents of other vendors. */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import { counted } from './amounts.ts';
import type { Link } from './link.ts';
import { showTrouble } from './trouble.ts';

/** `folders`: absolute; agreements are kept for the folder in which a thread began. */
export async function forgetAgreements(link: Link, log: vscode.LogOutputChannel, folders: readonly string[]): Promise<void> {
  try {
    let count = 0;
    for (const folder of new Set(folders)) count += await link.request(requests.forgetConsents, { folder });
    const text =
      count === 0
        ? 'Nothing was agreed to for good in this workspace.'
        : `${counted(count, 'agreement')} forgotten: Loom asks again before a thread of this workspace leaves for another vendor.`;
    void vscode.window.showInformationMessage(text);
  } catch (error) {
    await showTrouble(log, 'The agreements could not be forgotten', error);
  }
}

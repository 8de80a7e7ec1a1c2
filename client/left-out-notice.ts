/** Tells, once for each worktree in a window, that snapshots do not hold every file, and shows which and why. */
import * as vscode from 'vscode';
import type { SnapshotView } from '../server/protocol/world.ts';
import { leftOutText, leftOutWords } from './left-out-words.ts';
import type { TextDocuments } from './text-documents.ts';

export class LeftOutNotice {
  readonly #texts: TextDocuments;
  readonly #told = new Set<string>();

  constructor(texts: TextDocuments) {
    this.#texts = texts;
  }

  tell(snapshots: readonly SnapshotView[]): void {
    const lacking = snapshots.findLast(({ leftOutTotal }) => leftOutTotal > 0);
    if (lacking === undefined || this.#told.has(lacking.worktree)) return;
    this.#told.add(lacking.worktree);
    void this.#offer(lacking);
  }

  async #offer(lacking: SnapshotView): Promise<void> {
    const show = 'Show which';
    const chosen = await vscode.window.showInformationMessage(leftOutWords(lacking), show);
    if (chosen === show) await this.#texts.show('Not in the snapshots.txt', leftOutText(lacking));
  }
}

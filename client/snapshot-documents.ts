/** Files of snapshots as documents that cannot be changed. A snapshot never changes: what is read once is right as long as it is open. */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import { placeOf, placeQuery, type SnapshotPlace } from './change-target.ts';
import { troubleOf } from './fault-of.ts';
import type { Link } from './link.ts';
import { snapshotText } from './snapshot-text.ts';

export const snapshotScheme = 'loom-snapshot';

export class SnapshotDocuments implements vscode.TextDocumentContentProvider {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const place = placeOf(uri.query);
    if (place === undefined) return '';
    try {
      const path = uri.path.slice(1);
      return snapshotText(await this.#link.request(requests.snapshotContent, { snapshot: place.snapshot, path }));
    } catch (error) {
      const { text, fix } = troubleOf(error);
      return `${text} ${fix}`.trim();
    }
  }
}

/** `path`: in that snapshot; a file that was moved has another one in the other. */
export function snapshotUri(place: SnapshotPlace, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: snapshotScheme, path: `/${path}`, query: placeQuery(place) });
}

/** Menus of editors that hold many files know no address: whether a file of a snapshot is in front is said to them. */
export function watchFront(): vscode.Disposable {
  return vscode.window.onDidChangeActiveTextEditor((editor) => {
    const isFront = editor?.document.uri.scheme === snapshotScheme;
    void vscode.commands.executeCommand('setContext', 'loom.snapshotInFront', isFront);
  });
}

/** The document in front, also before its text is there. */
export function frontUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return vscode.window.activeTextEditor?.document.uri ?? (input instanceof vscode.TabInputTextDiff ? input.modified : undefined);
}

export function snapshotPlaceOf(uri: vscode.Uri): SnapshotPlace | undefined {
  return uri.scheme === snapshotScheme ? placeOf(uri.query) : undefined;
}

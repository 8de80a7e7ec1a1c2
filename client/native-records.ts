/**
 * The record that an entry was made from, in an editor that cannot change it: what the harness wrote, from its file or, when that is gone or
 * rewritten, from the archive; the editor's name says which.
 */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { Link } from './link.ts';
import { decodeEntryPlace, recordText } from './record-text.ts';
import { label } from './plain-text.ts';
import { showTrouble } from './trouble.ts';

export const recordScheme = 'loom-record';

export class NativeRecords implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #link: Link;
  readonly #log: vscode.LogOutputChannel;
  readonly #texts = new Map<string, string>();
  readonly #closing: vscode.Disposable;

  constructor(link: Link, log: vscode.LogOutputChannel) {
    this.#link = link;
    this.#log = log;
    this.#closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === recordScheme) this.#texts.delete(uri.path);
    });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? '';
  }

  /** `argument`: what VS Code gives a command of a webview's context menu. */
  async show(argument: unknown): Promise<void> {
    const place = decodeEntryPlace(argument);
    if (place === undefined) return;
    try {
      const record = await this.#link.request(requests.nativeRecord, place);
      if (!record.ok) {
        void vscode.window.showInformationMessage(label(record.reason, 400));
        return;
      }
      const name = `Entry ${place.entry}${record.from === 'archive' ? ' (from the archive)' : ''}.json`;
      const uri = vscode.Uri.from({ scheme: recordScheme, path: `/${encodeURIComponent(place.thread)}/${name}` });
      this.#texts.set(uri.path, recordText(record.text));
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    } catch (error) {
      await showTrouble(this.#log, 'The native record cannot be shown', error);
    }
  }

  dispose(): void {
    this.#closing.dispose();
    this.#texts.clear();
  }
}

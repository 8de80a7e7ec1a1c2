/** Plain texts that Loom shows in editors that cannot change them. A text lives as long as its editor. */
import * as vscode from 'vscode';

const scheme = 'loom-text';

export class TextDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #change = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#change.event;
  readonly #disposables: readonly vscode.Disposable[];

  constructor() {
    this.#disposables = [
      this.#change,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === scheme) this.#texts.delete(uri.path);
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? '';
  }

  /** `name`: what the editor is called; one that is open under the same name gets the new text. */
  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${name}` });
    this.#texts.set(uri.path, text);
    this.#change.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    this.#texts.clear();
  }
}

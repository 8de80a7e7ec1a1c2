/**
 * Batons under review: each in an editor where it can be changed, with the disclosure and the answers above it and, the same answers, in
 * a notification. Nothing leaves before one of them is given; closing the editor forgets the review.
 */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import { agreementOf, alwaysWords, offersAlways, reviewPieces, reviewQuestion } from './agreement.ts';
import { batonScheme, type BatonFiles } from './baton-files.ts';
import { handOverDetails } from './hand-over-details.ts';
import type { Agreement, PlannedHandOver } from './hand-over-request.ts';
import type { TextDocuments } from './text-documents.ts';
import { titleOf } from './thread-words.ts';

export interface Review {
  readonly uri: vscode.Uri;
  readonly planned: PlannedHandOver;
}
/** Settles when the review is done with: true, it was sent (or replaced by another); false, it stays to be answered again. */
export type Sender = (review: Review, baton: string, agreement: Agreement) => Promise<boolean>;

export class BatonReviews implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #files: BatonFiles;
  readonly #details: TextDocuments;
  readonly #sender: Sender;
  readonly #open = new Map<string, Review>();
  /** Reviews whose notification waits for an answer. */
  readonly #asked = new Set<string>();
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #disposables: readonly vscode.Disposable[];

  constructor(files: BatonFiles, details: TextDocuments, sender: Sender) {
    this.#files = files;
    this.#details = details;
    this.#sender = sender;
    this.#disposables = [
      this.#lenses,
      vscode.languages.registerCodeLensProvider({ scheme: batonScheme }, this),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === batonScheme) this.#forget(document.uri);
      }),
    ];
  }

  /** Opens the editor, or fills the one that is open for the same thread and target, and asks. */
  async open(planned: PlannedHandOver): Promise<void> {
    const { thread, harness } = planned.handOver;
    const path = `/${encodeURIComponent(thread.id)}/Baton for ${harnessNames[harness]}.md`;
    const uri = vscode.Uri.from({ scheme: batonScheme, path });
    this.#files.put(uri, planned.result.baton);
    const review = { uri, planned };
    this.#open.set(uri.path, review);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    this.#lenses.fire();
    void this.#ask(review);
  }

  /** Sends what stands in the editor. `uri`: of the baton; without it, the one in front is meant. */
  async send(uri: vscode.Uri | undefined, always: boolean): Promise<void> {
    const review = this.#reviewOf(uri);
    if (review === undefined) {
      void vscode.window.showInformationMessage('There is no baton to send here. Begin with Continue in… on a thread.');
      return;
    }
    const document = await vscode.workspace.openTextDocument(review.uri);
    this.#open.delete(review.uri.path);
    this.#lenses.fire();
    await this.#hideQuestion(review.uri);
    const isDone = await this.#sender(review, document.getText(), agreementOf(review.planned.result, always));
    if (isDone) {
      // A review that replaced this one has the same editor.
      if (!this.#open.has(review.uri.path)) await this.#close(review.uri);
      return;
    }
    // Still there to be sent again: nothing of the person's edit is lost by a refusal.
    this.#open.set(review.uri.path, review);
    this.#lenses.fire();
  }

  /** Closes the review; nothing was sent. */
  async discard(uri: vscode.Uri | undefined): Promise<void> {
    const review = this.#reviewOf(uri);
    if (review === undefined) return;
    await this.#hideQuestion(review.uri);
    await this.#close(review.uri);
  }

  /** Every named file, every loss, every remark, in an editor beside. */
  async showDetails(uri: vscode.Uri | undefined): Promise<void> {
    const review = this.#reviewOf(uri);
    if (review !== undefined) await this.#details.show('What leaves.txt', detailsOf(review.planned));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#open.get(document.uri.path);
    if (review === undefined) return [];
    const { result } = review.planned;
    // Lenses of one line stand beside each other and are cut off in a narrow editor: the disclosure has a line of its own.
    const lens = (title: string, command: string, tooltip: string, line = 0): vscode.CodeLens =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, tooltip, arguments: [document.uri] });
    const second = Math.min(1, document.lineCount - 1);
    const name = harnessNames[result.harness];
    return [
      lens(`Send to ${name}`, 'loom.sendBaton', 'Writes the session and opens its terminal (Alt+Enter)'),
      ...(offersAlways(result)
        ? [lens(alwaysWords, 'loom.sendBatonAlways', `Sends, and does not ask again for ${pairWords(review)} here`)]
        : []),
      lens('Cancel', 'loom.discardBaton', 'Nothing was sent'),
      ...reviewPieces(result).map((piece) => lens(piece, 'loom.showHandOverDetails', 'Shows all of it', second)),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** The same choice as the lines above the baton, where it is seen first. Hiding the notification leaves those. */
  async #ask(review: Review): Promise<void> {
    const { uri, planned } = review;
    const send = 'Send';
    const cancel = 'Cancel';
    const answers = offersAlways(planned.result) ? [send, alwaysWords, cancel] : [send, cancel];
    this.#asked.add(uri.path);
    const text = reviewQuestion(titleOf(planned.handOver.thread), planned.result);
    const chosen = await vscode.window.showInformationMessage(text, ...answers);
    if (this.#open.get(uri.path) !== review) {
      if (chosen === send || chosen === alwaysWords)
        void vscode.window.showInformationMessage(
          'This hand-over was sent or cancelled before. Begin it anew with Continue in….',
        );
      return;
    }
    this.#asked.delete(uri.path);
    if (chosen === send || chosen === alwaysWords) await this.send(uri, chosen === alwaysWords);
    if (chosen === cancel) await this.discard(uri);
  }

  /** The answer was given elsewhere. VS Code can hide notifications but not close a single one. */
  async #hideQuestion(uri: vscode.Uri): Promise<void> {
    if (this.#asked.delete(uri.path)) await vscode.commands.executeCommand('notifications.hideToasts');
  }

  #reviewOf(uri: vscode.Uri | undefined): Review | undefined {
    const meant = uri ?? vscode.window.activeTextEditor?.document.uri;
    return meant === undefined ? undefined : this.#open.get(meant.path);
  }

  /** Saved first: an editor with nothing unsaved closes without a question. */
  async #close(uri: vscode.Uri): Promise<void> {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    if (document?.isDirty === true) await document.save();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const open = tabs.filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString());
    if (open.length > 0) await vscode.window.tabGroups.close(open);
    this.#forget(uri);
  }

  #forget(uri: vscode.Uri): void {
    this.#open.delete(uri.path);
    this.#files.drop(uri);
    this.#lenses.fire();
  }
}

function detailsOf({ handOver, result }: PlannedHandOver): string {
  return handOverDetails(titleOf(handOver.thread), result, handOver.losses);
}

function pairWords({ planned }: Review): string {
  const { from, to } = planned.result.disclosure;
  return `${harnessNames[from]} to ${harnessNames[to]}`;
}

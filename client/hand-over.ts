/**
 * Continue in…, from the choice to the terminal: pick a harness, review the baton in an editor, send, start. Nothing is
 * written and nothing leaves before the person sends. Every refusal says who, why and what next. The harness is started
 * as a program with arguments, never through a shell line, so that no text of a transcript is ever a shell word.
 */
import * as vscode from 'vscode';
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import { requests, type ContinueResult } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { batonScheme, type BatonFiles } from './baton-files.ts';
import { disclosureLine } from './disclosure-line.ts';
import { troubleOf } from './fault-of.ts';
import { harnessChoices, type HarnessChoice } from './harness-choice.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';
import type { Threads } from './threads.ts';
import { titleOf } from './thread-words.ts';
import { showTrouble } from './trouble.ts';

export interface HandOverParts {
  readonly link: Link;
  readonly threads: Threads;
  readonly files: BatonFiles;
  readonly log: vscode.LogOutputChannel;
  readonly memory: vscode.Memento;
  /** Shows the thread's timeline at its newest line. */
  readonly showThread: (thread: string) => void;
}

interface Review {
  readonly thread: ThreadView;
  readonly harness: HarnessId;
  readonly starts: boolean;
  readonly force: boolean;
  readonly uri: vscode.Uri;
  readonly disclosure: string;
}

export class HandOvers implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #parts: HandOverParts;
  readonly #reviews = new Map<string, Review>();
  /** Reviews whose notification waits for an answer. */
  readonly #asked = new Set<string>();
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #disposables: vscode.Disposable[];

  constructor(parts: HandOverParts) {
    this.#parts = parts;
    this.#disposables = [
      this.#lenses,
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === batonScheme) this.#forget(document.uri);
      }),
    ];
  }

  /** Asks for the harness and opens the review. */
  async begin(thread: ThreadView): Promise<void> {
    const choice = await this.#choose(thread);
    if (choice === undefined) return;
    await this.#parts.memory.update('lastHarness', choice.harness);
    const planned = await this.#plan(thread, choice);
    if (planned === undefined) return;
    await this.#review(thread, choice, planned.result, planned.force);
  }

  /** Sends what stands in the editor. `uri`: of the baton; without it, the one in front is meant. */
  async send(uri: vscode.Uri | undefined): Promise<void> {
    const review = this.#reviewOf(uri);
    if (review === undefined) {
      void vscode.window.showInformationMessage('There is no baton to send here. Begin with Continue in… on a thread.');
      return;
    }
    const document = await vscode.workspace.openTextDocument(review.uri);
    const baton = document.getText();
    this.#reviews.delete(review.uri.path);
    this.#lenses.fire();
    await this.#hideQuestion(review.uri);
    const sent = await this.#send(review, baton, review.force);
    if (sent === undefined) {
      // Still there to be sent again: nothing of the person's edit is lost by a refusal.
      this.#reviews.set(review.uri.path, review);
      this.#lenses.fire();
      return;
    }
    await this.#close(review.uri);
    this.#parts.showThread(review.thread.id);
    if (review.starts) openTerminal(review.thread, sent);
    else void tellCommand(review, sent);
    for (const warning of sent.warnings) void vscode.window.showWarningMessage(label(warning, 400));
  }

  /** Closes the review; nothing was sent. */
  async discard(uri: vscode.Uri | undefined): Promise<void> {
    const review = this.#reviewOf(uri);
    if (review === undefined) return;
    await this.#hideQuestion(review.uri);
    await this.#close(review.uri);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#reviews.get(document.uri.path);
    if (review === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
      new vscode.CodeLens(top, { title, command, tooltip, arguments: [document.uri] });
    return [
      lens(`Send to ${harnessNames[review.harness]}`, 'loom.sendBaton', 'Writes the session and opens its terminal'),
      lens('Cancel', 'loom.discardBaton', 'Nothing was sent'),
      lens(review.disclosure, '', 'What leaves with the hand-over'),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #choose(thread: ThreadView): Promise<HarnessChoice | undefined> {
    const harnesses = this.#parts.threads.view?.harnesses ?? [];
    const choices = harnessChoices(thread, harnesses, this.#parts.memory.get<string>('lastHarness'));
    if (choices.length === 0) {
      void vscode.window.showWarningMessage('Loom does not know yet which agents are installed here. Try again in a moment.');
      return undefined;
    }
    const picked = await vscode.window.showQuickPick(choices, {
      title: `Continue “${label(titleOf(thread), 60)}” in…`,
      placeHolder: 'Agent that goes on with this thread',
      matchOnDetail: true,
    });
    if (picked === undefined || picked.refusal === null) return picked;
    const copy = 'Copy baton instead';
    const chosen = await vscode.window.showWarningMessage(
      `${harnessNames[picked.harness]} cannot take the thread over. ${label(picked.refusal, 300)}`,
      copy,
    );
    if (chosen === copy) await vscode.commands.executeCommand('loom.copyBaton', thread.id);
    return undefined;
  }

  /** The hand-over without doing it; asks what to do when the thread is being driven. */
  async #plan(
    thread: ThreadView,
    choice: HarnessChoice,
  ): Promise<{ readonly result: ContinueResult; readonly force: boolean } | undefined> {
    const ask = async (force: boolean): Promise<ContinueResult> =>
      progress(`Making the baton for ${harnessNames[choice.harness]}`, async () =>
        this.#parts.link.request(requests.continueIn, {
          thread: thread.id,
          harness: choice.harness,
          mode: 'native',
          dryRun: true,
          baton: null,
          force,
          confirmed: 'once',
        }),
      );
    try {
      return { result: await ask(false), force: false };
    } catch (error) {
      if (troubleOf(error).id !== 'C002') {
        await showTrouble(this.#parts.log, 'The baton could not be made', error);
        return undefined;
      }
      if (!(await forkAnyway(error))) return undefined;
    }
    try {
      return { result: await ask(true), force: true };
    } catch (error) {
      await showTrouble(this.#parts.log, 'The baton could not be made', error);
      return undefined;
    }
  }

  async #review(thread: ThreadView, choice: HarnessChoice, result: ContinueResult, force: boolean): Promise<void> {
    const name = harnessNames[choice.harness];
    const uri = vscode.Uri.from({ scheme: batonScheme, path: `/${encodeURIComponent(thread.id)}/Baton for ${name}.md` });
    const disclosure = disclosureLine(result.disclosure);
    this.#parts.files.put(uri, result.baton);
    this.#reviews.set(uri.path, { thread, harness: choice.harness, starts: choice.starts, force, uri, disclosure });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    this.#lenses.fire();
    void this.#confirm(
      uri,
      `Continue “${label(titleOf(thread), 60)}” in ${name}? ${disclosure}. Edit the baton first if you like.`,
    );
  }

  /** The same choice as the lines above the baton, where it is seen first. Hiding the notification leaves those. */
  async #confirm(uri: vscode.Uri, text: string): Promise<void> {
    const send = 'Send';
    const cancel = 'Cancel';
    this.#asked.add(uri.path);
    const chosen = await vscode.window.showInformationMessage(text, send, cancel);
    this.#asked.delete(uri.path);
    if (!this.#reviews.has(uri.path)) {
      if (chosen === send)
        void vscode.window.showInformationMessage(
          'This hand-over was sent or cancelled before. Begin it anew with Continue in….',
        );
      return;
    }
    if (chosen === send) await this.send(uri);
    if (chosen === cancel) await this.discard(uri);
  }

  async #send(review: Review, baton: string, force: boolean): Promise<ContinueResult | undefined> {
    const { thread, harness } = review;
    try {
      return await progress(`Handing “${label(titleOf(thread), 60)}” to ${harnessNames[harness]}`, async (say) => {
        say('Checking who drives it, writing the session and reading it back…');
        const result = await this.#parts.link.request(requests.continueIn, {
          thread: thread.id,
          harness,
          mode: 'native',
          dryRun: false,
          baton,
          force,
          confirmed: 'once',
        });
        say('Opening its terminal…');
        return result;
      });
    } catch (error) {
      if (troubleOf(error).id === 'C002' && !force && (await forkAnyway(error))) return this.#send(review, baton, true);
      if (troubleOf(error).id !== 'C002') await showTrouble(this.#parts.log, 'The hand-over stopped', error);
      return undefined;
    }
  }

  /** The answer was given elsewhere. VS Code can hide notifications but not close a single one. */
  async #hideQuestion(uri: vscode.Uri): Promise<void> {
    if (this.#asked.has(uri.path)) await vscode.commands.executeCommand('notifications.hideToasts');
  }

  #reviewOf(uri: vscode.Uri | undefined): Review | undefined {
    const meant = uri ?? vscode.window.activeTextEditor?.document.uri;
    return meant === undefined ? undefined : this.#reviews.get(meant.path);
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
    this.#reviews.delete(uri.path);
    this.#parts.files.drop(uri);
    this.#lenses.fire();
  }
}

/** True: the person wants to go on from the last finished turn although someone drives the thread. */
async function forkAnyway(error: unknown): Promise<boolean> {
  const trouble = troubleOf(error);
  const fork = 'Fork from the Last Turn';
  const detail =
    'A fork begins a second line of work from the last finished turn. What is being done right now goes on there and is not carried over; both agents can then change the same files.';
  const chosen = await vscode.window.showWarningMessage(label(trouble.text, 300), { modal: true, detail }, fork);
  return chosen === fork;
}

async function progress<Result>(title: string, work: (say: (step: string) => void) => Promise<Result>): Promise<Result> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, async (report) =>
    work((step) => {
      report.report({ message: step });
    }),
  );
}

/** Nothing can be started here: the session is there all the same, and the person is told how to open it. */
async function tellCommand(review: Review, result: ContinueResult): Promise<void> {
  const copy = 'Copy Command';
  const text = `The session is written. The program of ${harnessNames[review.harness]} was not found on this machine, so that it has to be opened by hand, in ${label(result.command.cwd, 200)}.`;
  const chosen = await vscode.window.showInformationMessage(text, copy);
  if (chosen === copy) await vscode.env.clipboard.writeText(result.command.argv.join(' '));
}

function openTerminal(thread: ThreadView, result: ContinueResult): void {
  const [program, ...rest] = result.command.argv;
  if (program === undefined) return;
  const terminal = vscode.window.createTerminal({
    name: label(titleOf(thread), 40),
    shellPath: program,
    shellArgs: rest,
    cwd: result.command.cwd,
    env: { ...result.command.env },
    iconPath: new vscode.ThemeIcon('arrow-swap'),
    isTransient: true,
  });
  terminal.show();
}

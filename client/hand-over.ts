/**
 * Continue in…, from the choice to the terminal: pick a harness, review the baton, send, start. Nothing is written and nothing leaves
 * before the person sends. Every refusal says who, why and what next.
 */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ContinueResult } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { openAgentTerminal, tellCommand } from './agent-terminal.ts';
import { agreementOf } from './agreement.ts';
import type { BatonFiles } from './baton-files.ts';
import { BatonReviews } from './baton-reviews.ts';
import type { ContinueTarget } from './continue-target.ts';
import { chooseWhenDriven, waitFor } from './driven-choice.ts';
import { troubleOf } from './fault-of.ts';
import { failureText, failureWords } from './hand-over-failure.ts';
import { carry, isEdited, plan, type Agreement, type HandOver, type PlannedHandOver } from './hand-over-request.ts';
import { harnessChoices, type HarnessChoice } from './harness-choice.ts';
import { pickHarness } from './harness-picker.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';
import { askOnce } from './quick-hand-over.ts';
import type { TextDocuments } from './text-documents.ts';
import type { Threads } from './threads.ts';
import { titleOf } from './thread-words.ts';

export interface HandOverParts {
  readonly link: Link;
  readonly threads: Threads;
  readonly files: BatonFiles;
  readonly texts: TextDocuments;
  readonly log: vscode.LogOutputChannel;
  readonly memory: vscode.Memento;
  /** The folder with each harness's icon. */
  readonly icons: vscode.Uri;
  /** Shows the thread's timeline at its newest line. */
  readonly showThread: (thread: string) => void;
}

export class HandOvers implements vscode.Disposable {
  readonly #parts: HandOverParts;
  readonly reviews: BatonReviews;

  constructor(parts: HandOverParts) {
    this.#parts = parts;
    this.reviews = new BatonReviews(parts.files, parts.texts, async ({ planned, uri }, baton, agreement) =>
      this.#send(planned, baton, agreement, async () => this.reviews.send(uri, agreement === 'always')),
    );
  }

  dispose(): void {
    this.reviews.dispose();
  }

  /** Asks for the harness unless `target` names it, and opens the review. */
  async begin(thread: ThreadView, target?: ContinueTarget): Promise<void> {
    const { memory, threads } = this.#parts;
    const harnesses = threads.view?.harnesses ?? [];
    const last = memory.get<string>('lastHarness');
    const named = harnessChoices(thread, harnesses, last).find((choice) => choice.harness === target?.harness);
    const choice = named?.refusal === null ? named : await pickHarness(thread, harnesses, last);
    if (choice === undefined) return;
    await memory.update('lastHarness', choice.harness);
    const planned = await this.#plan(handOverOf(thread, choice, target), null);
    if (planned !== undefined) await this.reviews.open(planned);
  }

  /** The last choice of this workspace again, with one confirmation; without one that fits the thread, as `begin`. */
  async again(thread: ThreadView): Promise<void> {
    const { memory, threads } = this.#parts;
    const last = memory.get<string>('lastHarness');
    const choice = harnessChoices(thread, threads.view?.harnesses ?? [], last).find(
      ({ harness, group }) => harness === last && (group === 'installed' || group === 'return'),
    );
    if (choice === undefined) return this.begin(thread);
    const planned = await this.#plan(handOverOf(thread, choice), null);
    if (planned === undefined) return;
    switch (await askOnce(planned)) {
      case 'send':
        return this.#sendUnread(planned, agreementOf(planned.result, false));
      case 'always':
        return this.#sendUnread(planned, agreementOf(planned.result, true));
      case 'review':
        return this.reviews.open(planned);
      case 'other':
        return this.begin(thread);
      case undefined:
        return;
    }
  }

  async #sendUnread(planned: PlannedHandOver, agreement: Agreement): Promise<void> {
    await this.#send(planned, planned.result.baton, agreement, async () => this.#sendUnread(planned, agreement));
  }

  /** The hand-over without doing it. What is in its way is asked about; `undefined`: it goes no further, and the person knows why. */
  async #plan(handOver: HandOver, baton: string | null): Promise<PlannedHandOver | undefined> {
    const title = `Making the baton for ${harnessNames[handOver.harness]}`;
    try {
      return await progress(title, async () => plan(this.#parts.link, handOver, baton));
    } catch (error) {
      return this.#planAround(error, handOver, baton);
    }
  }

  /** `undefined`: gone no further. */
  async #planAround(error: unknown, handOver: HandOver, baton: string | null): Promise<PlannedHandOver | undefined> {
    const trouble = troubleOf(error);
    if (trouble.id !== 'C002' || handOver.force) {
      const anew = await this.#tell(error, true, handOver.mode === 'return' ? 'New session instead' : undefined);
      return anew ? this.#plan({ ...handOver, mode: 'native' }, baton) : undefined;
    }
    switch (await chooseWhenDriven(handOver.thread, trouble)) {
      case 'wait':
        return this.#waitAndPlan(handOver, baton);
      case 'fork':
        return this.#plan({ ...handOver, force: true }, baton);
      case 'watch':
        this.#parts.showThread(handOver.thread.id);
        return undefined;
      case undefined:
        return undefined;
    }
  }

  async #waitAndPlan(handOver: HandOver, baton: string | null): Promise<PlannedHandOver | undefined> {
    const { link, threads } = this.#parts;
    try {
      return await waitFor(handOver.thread, handOver.harness, threads, async () => {
        try {
          return await plan(link, handOver, baton);
        } catch (error) {
          if (troubleOf(error).id === 'C002') return undefined;
          throw error;
        }
      });
    } catch (error) {
      await this.#tell(error, true);
      return undefined;
    }
  }

  /** True: it is done, or another review has taken the place of this one. `again` does it once more, when the person wants that. */
  async #send(planned: PlannedHandOver, baton: string, agreement: Agreement, again: () => Promise<void>): Promise<boolean> {
    const { handOver } = planned;
    try {
      const result = await this.#carry(planned, baton, agreement);
      for (const warning of result.warnings) void vscode.window.showWarningMessage(label(warning, 400));
      return true;
    } catch (error) {
      const { id } = troubleOf(error);
      if (id === 'C002' && !handOver.force) return this.#reviewAnew(error, handOver, isEdited(planned, baton) ? baton : null);
      // Not waited for: a notification may stay unanswered, and the review is there to be answered meanwhile.
      void this.#offerAgain(error, failureWords(id).mayTryAgain, again);
      return false;
    }
  }

  /** The steps, each said while it runs. The first two are two requests, so that what can be refused is refused before anything is written. */
  async #carry(planned: PlannedHandOver, baton: string, agreement: Agreement): Promise<ContinueResult> {
    const { handOver } = planned;
    const { link, showThread, icons } = this.#parts;
    const { thread, harness, starts } = handOver;
    return progress(`Handing “${label(titleOf(thread), 60)}” to ${harnessNames[harness]}`, async (say) => {
      say('1 of 3: checking who drives it and composing the session…');
      await plan(link, handOver, baton);
      say('2 of 3: writing the session and reading it back…');
      const result = await carry(link, planned, baton, agreement);
      say('3 of 3: opening its terminal…');
      showThread(thread.id);
      if (starts) openAgentTerminal(thread, result, icons);
      else void tellCommand(result);
      return result;
    });
  }

  /** The thread began to be driven while its baton was reviewed: what is found after that is another hand-over, and is reviewed as one. */
  async #reviewAnew(error: unknown, handOver: HandOver, baton: string | null): Promise<boolean> {
    const planned = await this.#planAround(error, handOver, baton);
    if (planned === undefined) return false;
    await this.reviews.open(planned);
    return true;
  }

  async #offerAgain(error: unknown, mayTryAgain: boolean, again: () => Promise<void>): Promise<void> {
    if (await this.#tell(error, false, mayTryAgain ? 'Try again' : undefined)) await again();
  }

  /** True: the person chose `way`. */
  async #tell(error: unknown, isDryRun: boolean, way?: string): Promise<boolean> {
    const text = failureText(troubleOf(error), isDryRun);
    this.#parts.log.error(text);
    const show = 'Show log';
    const ways = way === undefined ? [show] : [way, show];
    const chosen = await vscode.window.showErrorMessage(label(text, 700), ...ways);
    if (chosen === show) this.#parts.log.show();
    return chosen !== undefined && chosen === way;
  }
}

function handOverOf(thread: ThreadView, choice: HarnessChoice, target?: ContinueTarget): HandOver {
  const mode = target?.harness === choice.harness ? target.mode : choice.mode;
  return { thread, harness: choice.harness, mode, force: false, starts: choice.starts, losses: choice.losses };
}

async function progress<Result>(title: string, work: (say: (step: string) => void) => Promise<Result>): Promise<Result> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, async (report) =>
    work((step) => {
      report.report({ message: step });
    }),
  );
}

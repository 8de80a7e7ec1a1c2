/**
 * Takes changes back, for a person: shows what will be done, asks once, does it, and offers to undo it. Every refusal says who or what is in
 * the way and what can be done. The server takes a snapshot of everything first, so that no way through here loses anything.
 */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { RestoreParams, RestoreStep, WorldRestoreResult } from '../server/protocol/world.ts';
import type { ChangeTarget } from './change-target.ts';
import { troubleOf } from './fault-of.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';
import { conflictWords, doneWords, planWords, stepWords } from './restore-changes-words.ts';
import { showTrouble } from './trouble.ts';
import { saveOpenFiles } from './unsaved-files.ts';

export interface RestoreChangesParts {
  readonly link: Link;
  readonly log: vscode.LogOutputChannel;
}
export interface Restoring {
  readonly target: Omit<ChangeTarget, 'path'>;
  /** null: every file of it. */
  readonly paths: readonly string[] | null;
  /** What is taken back: "Turn 3 · Fix double charge race". */
  readonly title: string;
  /** Only this part of the one file. */
  readonly hunk: number | null;
  /** Absolute; null: unknown. */
  readonly worktree: string | null;
}

export class ChangesRestore {
  readonly #parts: RestoreChangesParts;
  /** What was restored last in this window. */
  #last: Restoring | null = null;

  constructor(parts: RestoreChangesParts) {
    this.#parts = parts;
  }

  async restore(restoring: Restoring): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage('Files are restored only in a workspace that you trust.');
      return;
    }
    const params = paramsOf(restoring);
    try {
      const plan = await this.#request({ ...params, dryRun: true });
      const words = planWords(plan.steps);
      if (words === undefined) {
        void vscode.window.showInformationMessage('Nothing has to be restored: the files are so already.');
        return;
      }
      const paths = await chooseFiles(restoring, plan.steps, words);
      if (paths === undefined || paths.length === 0) return;
      if (!(await saveOpenFiles(restoring.worktree, paths))) return;
      // The whole of it stays the whole: its list may be longer than what is shown.
      const all = params.paths === null && paths.length === plan.steps.filter(({ action }) => action !== 'none').length;
      await this.#do(restoring, { ...params, paths: all ? null : paths });
    } catch (error) {
      await showTrouble(this.#parts.log, 'The files could not be restored', error);
    }
  }

  /** Takes the last restore of this window back. */
  async undo(): Promise<void> {
    if (this.#last === null) {
      void vscode.window.showInformationMessage('Nothing was restored in this window yet.');
      return;
    }
    await this.#undo(this.#last);
  }

  async #undo(last: Restoring): Promise<void> {
    try {
      if (!(await saveOpenFiles(last.worktree, null))) return;
      await this.#do(last, paramsOf(last), true);
    } catch (error) {
      await showTrouble(this.#parts.log, 'The restore could not be undone', error);
    }
  }

  /** Until it is done, given up, or fails for a reason that no answer changes. */
  async #do(restoring: Restoring, first: RestoreParams, isUndo = false): Promise<void> {
    let params = first;
    for (;;) {
      try {
        const result = await this.#request(params);
        this.#tell(restoring, result, isUndo);
        return;
      } catch (error) {
        const answer = await this.#answer(error, params);
        if (answer === undefined) return;
        params = answer;
      }
    }
  }

  /** What the person wants done about a refusal; undefined: nothing. Throws what is no refusal. */
  async #answer(error: unknown, params: RestoreParams): Promise<RestoreParams | undefined> {
    const trouble = troubleOf(error);
    if (trouble.id === 'G003' && !params.force) {
      const detail = 'Wait until it is idle, or stop it. If you go on now, it may write over what is restored.';
      const go = 'Restore now';
      const chosen = await vscode.window.showWarningMessage(label(trouble.text, 500), { modal: true, detail }, go);
      return chosen === go ? { ...params, force: true } : undefined;
    }
    if (trouble.id === 'G004' && !params.overwrite) {
      const { steps } = await this.#request({ ...params, dryRun: true });
      const conflicts = steps.filter(({ action }) => action === 'conflict');
      const others = steps.filter(({ action }) => action !== 'conflict' && action !== 'none').map(({ path }) => path);
      const [rest, over] = ['Restore the others', 'Overwrite'];
      const detail = `${conflicts
        .map(({ path, note }) => `${label(path, 120)}: ${note}`)
        .slice(0, 10)
        .join(
          '\n',
        )}\n\nOverwrite loses the later changes in these files; a snapshot of everything is taken first, so that it can be undone.`;
      const options = others.length === 0 ? [over] : [rest, over];
      const chosen = await vscode.window.showWarningMessage(
        label(conflictWords(conflicts), 500),
        { modal: true, detail },
        ...options,
      );
      if (chosen === over) return { ...params, overwrite: true };
      return chosen === rest ? { ...params, paths: others } : undefined;
    }
    throw error;
  }

  #tell(restoring: Restoring, { steps, undo }: WorldRestoreResult, isUndo: boolean): void {
    const { log } = this.#parts;
    for (const { path, action, note } of steps) log.info(`${isUndo ? 'Undone' : 'Restored'}: ${path} (${action}) ${note}`);
    const conflicts = steps.filter(({ action }) => action === 'conflict').length;
    const text = isUndo ? `Undone: ${doneWords(steps)}` : doneWords(steps);
    if (undo === null) {
      void vscode.window.showInformationMessage(text);
      return;
    }
    const { target, title, worktree } = restoring;
    const back: Restoring = { target: { ...target, ...undo }, paths: null, title, worktree, hunk: null };
    this.#last = back;
    const left = conflicts === 0 ? '' : ` ${conflicts} were left as they are.`;
    void this.#offer(`${text}${left}`, isUndo ? 'Redo' : 'Undo', back);
  }

  /** The way back stays with this notification, whatever is restored after it. */
  async #offer(text: string, again: string, back: Restoring): Promise<void> {
    if ((await vscode.window.showInformationMessage(text, again)) === again) await this.#undo(back);
  }

  async #request(params: RestoreParams): Promise<WorldRestoreResult> {
    return this.#parts.link.request(requests.snapshotRestore, params);
  }
}

/** The list is what is asked: all of it is chosen, and what is taken out of it stays as it is. undefined: given up. */
async function chooseFiles(
  { title }: Restoring,
  steps: readonly RestoreStep[],
  words: string,
): Promise<readonly string[] | undefined> {
  const items = steps
    .filter(({ action }) => action !== 'none')
    .map((step) => {
      const { label: name, description, detail } = stepWords(step);
      const sign = step.action === 'conflict' ? '$(warning) ' : '';
      return { label: `${sign}${label(name, 200)}`, description, detail: label(detail, 200), picked: true, path: step.path };
    });
  const chosen = await vscode.window.showQuickPick(items, {
    title: label(`Restore before: ${title}`, 100),
    placeHolder: `${words}. Enter restores what is checked; it can be undone.`,
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  return chosen?.map(({ path }) => path);
}

function paramsOf({ target, paths, hunk }: Restoring): RestoreParams {
  return {
    thread: target.thread,
    before: target.before,
    after: target.after,
    paths,
    hunk,
    dryRun: false,
    force: false,
    overwrite: false,
  };
}

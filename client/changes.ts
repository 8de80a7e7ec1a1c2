/**
 * What turns did to files, as commands: seen in the diff editors, walked through file by file, taken back. Everything is asked anew when it
 * is shown: turns are told by their snapshots, which never change.
 */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { ChangedFile, SnapshotView, ThreadChanges, TurnChanges } from '../server/protocol/world.ts';
import type { ChangeTarget } from './change-target.ts';
import { openChanges, openFileChange, type ShownChanges } from './changes-editor.ts';
import { changesTitle, turnName } from './changes-words.ts';
import { fileHistory, neighbour } from './file-history.ts';
import { LeftOutNotice } from './left-out-notice.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';
import type { ChangesRestore } from './restore-changes.ts';
import { chooseExtent } from './restore-extent.ts';
import type { TextDocuments } from './text-documents.ts';
import { turnItem } from './turn-item.ts';
import { showTrouble } from './trouble.ts';

export interface ChangesParts {
  readonly link: Link;
  readonly log: vscode.LogOutputChannel;
  readonly texts: TextDocuments;
  readonly restore: ChangesRestore;
  readonly titleOf: (thread: string) => string;
}

export class Changes {
  readonly #parts: ChangesParts;
  readonly #leftOut: LeftOutNotice;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    this.#leftOut = new LeftOutNotice(parts.texts);
  }

  /** Of a whole thread: from before its first turn that is told to after its last. */
  async showThread(thread: string): Promise<void> {
    await this.#try('The changes cannot be shown', async () => {
      const changes = await this.#changesOf(thread);
      const [first, last] = [changes.turns[0], changes.turns.at(-1)];
      if (first === undefined || last === undefined) {
        void vscode.window.showInformationMessage(label(changes.reason ?? 'No turn of this thread is told yet.', 400));
        return;
      }
      await this.showBetween(first.before, last.after, changesTitle('All turns', this.#parts.titleOf(thread)), thread);
    });
  }

  /** `after` null: the worktree as it is now. */
  async showBetween(before: number, after: number | null, title: string, thread: string | null): Promise<void> {
    const diff = await this.#parts.link.request(requests.snapshotDiff, { before, after });
    if (diff.files.length === 0) {
      void vscode.window.showInformationMessage('There is no difference between the two.');
      return;
    }
    const target = { thread, before, after: diff.after.number, path: null };
    await openChanges({ title, worktree: diff.after.worktree, target, files: diff.files, live: after === null });
    this.#tellRest(diff.files.length, diff.filesTotal, [diff.before, diff.after]);
  }

  /** One turn of a thread, or what lies between two; with a path, that file of it. */
  async show(target: ChangeTarget): Promise<void> {
    await this.#try('The changes cannot be shown', async () => {
      const { shown, turn, files, filesTotal } = await this.#shownOf(target);
      const file = target.path === null ? undefined : fileOf(files, target.path);
      if (file !== undefined) return openFileChange(shown, file);
      await openChanges(shown);
      // Which files no snapshot holds is known to the snapshots alone; nobody waits for it.
      if (turn === undefined) return;
      const diff = await this.#parts.link.request(requests.snapshotDiff, { before: turn.before, after: turn.after });
      this.#tellRest(files.length, filesTotal, [diff.before, diff.after]);
    });
  }

  /** The same file's change in an earlier or a later turn. */
  async step(target: ChangeTarget, path: string, step: 1 | -1): Promise<void> {
    await this.#try('The change cannot be shown', async () => {
      if (target.thread === null) return;
      const { turns, worktree } = await this.#changesOf(target.thread);
      const found = neighbour(fileHistory(turns, path), target, step);
      if (found === undefined) {
        const words = step === 1 ? 'No later turn of the thread' : 'No earlier turn of the thread';
        vscode.window.setStatusBarMessage(`${words} changed this file.`, 4000);
        return;
      }
      await openFileChange(this.#shownTurn(target.thread, worktree, turns, found.turn), found.file);
    });
  }

  /** What is to be taken back of it: all, or of one file the whole or a part. `orAll`: with a file, all may be meant as well. */
  async restore(target: ChangeTarget, orAll = false): Promise<void> {
    await this.#try('The files could not be restored', async () => {
      const { shown, files, filesTotal } = await this.#shownOf(target);
      const { worktree, title } = shown;
      const file = target.path === null ? undefined : fileOf(files, target.path);
      const extent = file === undefined ? 'all' : await chooseExtent(this.#parts.link, shown, file, orAll ? filesTotal : null);
      if (extent === undefined) return;
      if (file === undefined || extent === 'all')
        return this.#parts.restore.restore({ target, paths: null, title, hunk: null, worktree });
      const hunk = extent === 'file' ? null : extent;
      const paths = hunk === null && file.from !== undefined ? [file.path, file.from] : [file.path];
      await this.#parts.restore.restore({ target, paths, title, hunk, worktree });
    });
  }

  /** The thread's turns, newest first, to choose one of. */
  async chooseTurn(thread: string, title: string): Promise<TurnChanges | undefined> {
    return this.#try('The turns cannot be listed', async () => {
      const { turns, reason } = await this.#changesOf(thread);
      const items = turns.toReversed().map((turn) => ({ ...turnItem(turns, turn), turn }));
      if (items.length === 0) {
        void vscode.window.showInformationMessage(label(reason ?? 'No turn of this thread is told yet.', 400));
        return undefined;
      }
      return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Turn', matchOnDetail: true }))?.turn;
    });
  }

  async #shownOf(target: ChangeTarget): Promise<{
    readonly shown: ShownChanges;
    /** undefined: they are of no turn. */
    readonly turn: TurnChanges | undefined;
    readonly files: readonly ChangedFile[];
    readonly filesTotal: number;
  }> {
    if (target.thread !== null) {
      const { turns, worktree } = await this.#changesOf(target.thread);
      const turn = turns.find(({ before, after }) => before === target.before && after === target.after);
      if (turn !== undefined) {
        const { files, filesTotal } = turn;
        return { shown: this.#shownTurn(target.thread, worktree, turns, turn), turn, files, filesTotal };
      }
    }
    const { after, files, filesTotal } = await this.#parts.link.request(requests.snapshotDiff, {
      before: target.before,
      after: target.after,
    });
    const name = `Snapshots ${target.before} and ${target.after}`;
    const title = target.thread === null ? name : changesTitle(name, this.#parts.titleOf(target.thread));
    return { shown: { title, worktree: after.worktree, target, files, live: false }, turn: undefined, files, filesTotal };
  }

  #shownTurn(thread: string, worktree: string | null, turns: readonly TurnChanges[], turn: TurnChanges): ShownChanges {
    const title = changesTitle(turnName(turns, turn), this.#parts.titleOf(thread));
    const target = { thread, before: turn.before, after: turn.after, path: null };
    return { title, worktree, target, files: turn.files, live: false };
  }

  async #changesOf(thread: string): Promise<ThreadChanges> {
    return this.#parts.link.request(requests.threadChanges, { thread });
  }

  #tellRest(shown: number, total: number, snapshots: readonly SnapshotView[]): void {
    if (total > shown) vscode.window.setStatusBarMessage(`${shown} of ${total} files are shown.`, 8000);
    this.#leftOut.tell(snapshots);
  }

  async #try<Result>(doing: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      await showTrouble(this.#parts.log, doing, error);
      return undefined;
    }
  }
}

function fileOf(files: readonly ChangedFile[], path: string): ChangedFile | undefined {
  return files.find((file) => file.path === path) ?? files.find((file) => file.from === path);
}

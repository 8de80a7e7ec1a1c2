/** The commands about what turns did to files. A command is meant for the change it names, else for the file of a snapshot in front, else for a thread that is chosen. */
import * as vscode from 'vscode';
import type { ThreadView } from '../server/protocol/views.ts';
import { changeTargetOf, type ChangeTarget } from './change-target.ts';
import type { Changes } from './changes.ts';
import type { CommandHandlers } from './commands.ts';
import { compareSnapshots, takeSnapshot, type CompareParts } from './compare-snapshots.ts';
import type { ChangesRestore } from './restore-changes.ts';
import { frontUri, snapshotPlaceOf } from './snapshot-documents.ts';

export interface ChangesCommandParts extends CompareParts {
  readonly changes: Changes;
  readonly restore: ChangesRestore;
  /** The thread that a command is meant for, or that the person chooses. */
  readonly chosen: (argument: unknown, title: string) => Promise<ThreadView | undefined>;
}

type ChangesCommand =
  'showChanges' | 'compareSnapshots' | 'takeSnapshot' | 'restoreChanges' | 'undoRestore' | 'previousChange' | 'nextChange';

export function changesHandlers(parts: ChangesCommandParts): Pick<CommandHandlers, ChangesCommand> {
  const { changes, restore, chosen } = parts;
  const step = async (argument: unknown, by: 1 | -1): Promise<void> => {
    const front = inFront(argument);
    if (front === undefined) {
      void vscode.window.showInformationMessage('Open a file of a turn first: Loom: Show changes of a thread.');
      return;
    }
    await changes.step(front.target, front.path, by);
  };
  return {
    showChanges: async (argument) => {
      const target = changeTargetOf(argument);
      if (target !== undefined) return changes.show(target);
      const thread = await chosen(argument, 'Loom: Show changes of a thread');
      if (thread !== undefined) await changes.showThread(thread.id);
    },
    compareSnapshots: (argument) => compareSnapshots(parts, typeof argument === 'string' ? argument : undefined),
    takeSnapshot: () => takeSnapshot(parts),
    restoreChanges: async (argument) => {
      const named = changeTargetOf(argument);
      if (named !== undefined) return changes.restore(named);
      const front = frontTarget(argument);
      if (front !== undefined) return changes.restore(front, true);
      const title = 'Loom: Restore…';
      const thread = await chosen(argument, title);
      const turn = thread === undefined ? undefined : await changes.chooseTurn(thread.id, title);
      if (thread === undefined || turn === undefined) return;
      await changes.restore({ thread: thread.id, before: turn.before, after: turn.after, path: null });
    },
    undoRestore: () => restore.undo(),
    previousChange: (argument) => step(argument, -1),
    nextChange: (argument) => step(argument, 1),
  };
}

interface Front {
  readonly target: ChangeTarget;
  /** In the snapshot that is shown. */
  readonly path: string;
}

/** The document of a snapshot that a menu names, or else the one in front. */
function inFront(argument: unknown): Front | undefined {
  const uri = argument instanceof vscode.Uri ? argument : frontUri();
  const place = uri === undefined ? undefined : snapshotPlaceOf(uri);
  return uri === undefined || place === undefined ? undefined : { target: place.target, path: uri.path.slice(1) };
}

function frontTarget(argument: unknown): ChangeTarget | undefined {
  // A thread of the list is not the file that happens to be open beside it.
  const isElse = argument !== undefined && !(argument instanceof vscode.Uri);
  return isElse ? undefined : inFront(argument)?.target;
}

/**
 * Changes in VS Code's own diff editors: many files in one, or one file. Both sides are documents of snapshots; where the later side is the
 * worktree as it is now, it is the file itself, which can be edited.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ChangedFile } from '../server/protocol/world.ts';
import type { ChangeTarget } from './change-target.ts';
import { baseName, visible } from './plain-text.ts';
import { snapshotUri } from './snapshot-documents.ts';

export interface ShownChanges {
  readonly title: string;
  /** Absolute; null: unknown. */
  readonly worktree: string | null;
  readonly target: ChangeTarget;
  readonly files: readonly ChangedFile[];
  /** The later side is the worktree itself. */
  readonly live: boolean;
}

export async function openChanges(shown: ShownChanges): Promise<void> {
  const rows = shown.files.map((file) => {
    const { before, after } = sidesOf(shown, file);
    return [fileUri(shown.worktree, file.path) ?? after ?? before, before, after];
  });
  await vscode.commands.executeCommand('vscode.changes', shown.title, rows);
}

/** `line`: the first one to be seen on the later side, from 0. */
export async function openFileChange(shown: ShownChanges, file: ChangedFile, line?: number, keepFocus = false): Promise<void> {
  const { before, after } = sidesOf(shown, file);
  const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
  // A side that is not there is an empty document.
  await vscode.commands.executeCommand(
    'vscode.diff',
    before ?? snapshotUri({ snapshot: shown.target.before, target: { ...shown.target, path: file.path } }, file.path),
    after ?? snapshotUri({ snapshot: shown.target.after, target: { ...shown.target, path: file.path } }, file.path),
    `${visible(baseName(file.path))} · ${shown.title}`,
    { preview: true, preserveFocus: keepFocus, ...selection },
  );
}

function sidesOf(
  { worktree, target, live }: ShownChanges,
  file: ChangedFile,
): { readonly before: vscode.Uri | undefined; readonly after: vscode.Uri | undefined } {
  const own = { ...target, path: file.path };
  // What is no text is told of in words on both sides: no editor shows it.
  const now = live && file.added !== null ? fileUri(worktree, file.path) : undefined;
  return {
    before: file.change === 'added' ? undefined : snapshotUri({ snapshot: target.before, target: own }, file.from ?? file.path),
    after: file.change === 'deleted' ? undefined : (now ?? snapshotUri({ snapshot: target.after, target: own }, file.path)),
  };
}

/** undefined: its name is not one that can be written, or where it lies is unknown. */
function fileUri(worktree: string | null, name: string): vscode.Uri | undefined {
  return worktree === null || name.includes('\\') ? undefined : vscode.Uri.file(path.join(worktree, name));
}

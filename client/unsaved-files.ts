/** Files that are open with changes that are not on the disk: they are saved before anything is restored, so that nothing of them is lost. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { counted } from './amounts.ts';
import { baseName, label } from './plain-text.ts';

/** `paths`: inside the worktree; null: every file of it. false: the person wants to see to it first. */
export async function saveOpenFiles(worktree: string | null, paths: readonly string[] | null): Promise<boolean> {
  const unsaved = vscode.workspace.textDocuments.filter(
    (document) => document.isDirty && document.uri.scheme === 'file' && isMeant(worktree, paths, document.uri.fsPath),
  );
  if (unsaved.length === 0) return true;
  const save = 'Save and go on';
  const names = unsaved.slice(0, 5).map(({ uri }) => label(baseName(uri.fsPath), 60));
  const chosen = await vscode.window.showWarningMessage(
    `${counted(unsaved.length, 'file')} to be restored ${unsaved.length === 1 ? 'has' : 'have'} changes that are not saved: ${names.join(', ')}.`,
    { modal: true, detail: 'They are saved first, so that they are in the snapshot that undoes the restore.' },
    save,
  );
  if (chosen !== save) return false;
  const saved = await Promise.all(unsaved.map(async (document) => document.save()));
  return saved.every(Boolean);
}

function isMeant(worktree: string | null, paths: readonly string[] | null, file: string): boolean {
  if (worktree === null) return true;
  // The server names folders behind their links.
  const inside = path.relative(worktree, path.join(realFolder(path.dirname(file)), path.basename(file)));
  if (inside.startsWith('..') || path.isAbsolute(inside)) return false;
  return paths === null || paths.includes(inside.split(path.sep).join('/'));
}

function realFolder(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return folder;
  }
}

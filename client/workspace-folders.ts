/** The folders of this workspace as paths, as they were opened and with their links resolved: harnesses record either. */
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { ThreadView } from '../server/protocol/views.ts';
import { isThreadInWorkspace } from './workspace-scope.ts';

export class WorkspaceFolders implements vscode.Disposable {
  readonly #listener: vscode.Disposable;
  #paths: readonly string[] = readPaths();

  constructor(onChange: () => void) {
    this.#listener = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      this.#paths = readPaths();
      onChange();
    });
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  /** Of a thread: its folder as its record spells it, or what that has in common with other spellings (`ThreadView.project`). */
  holds({ cwd, project }: Pick<ThreadView, 'cwd' | 'project'>): boolean {
    return isThreadInWorkspace(cwd, project, this.#paths, process.platform === 'win32' ? 'windows' : 'posix');
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

function readPaths(): readonly string[] {
  const opened = (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => folder.uri.fsPath);
  return [...new Set([...opened, ...opened.map(resolved)])];
}

/** A folder that is not there (yet) is meant as it is written. */
function resolved(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}

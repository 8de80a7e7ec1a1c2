/**
 * What a person has switched the list to: scope, grouping, automation. Kept by VS Code per workspace, mirrored to context
 * keys for menus. As long as no scope was chosen, it is the workspace when that has threads and else all folders; this is
 * settled once a window, so that the list never changes under the person's eyes.
 */
import * as vscode from 'vscode';
import type { Grouping } from './grouping.ts';

export type Scope = 'workspace' | 'all';

export class Switches implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #change = new vscode.EventEmitter<void>();
  readonly onChange = this.#change.event;
  #settled: Scope | null = null;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#publish();
  }

  get scope(): Scope {
    return this.#chosenScope ?? this.#settled ?? (hasFolders() ? 'workspace' : 'all');
  }

  get grouping(): Grouping {
    const kept: unknown = this.#memory.get('grouping');
    return kept === 'folder' || kept === 'harness' ? kept : 'time';
  }

  get automation(): boolean {
    return this.#memory.get('automation') === true;
  }

  /** Does nothing when a scope was chosen or settled before. */
  settleScope(workspaceHasThreads: boolean): void {
    if (this.#chosenScope !== null || this.#settled !== null) return;
    this.#settled = workspaceHasThreads ? 'workspace' : 'all';
    this.#publish();
  }

  async setScope(scope: Scope): Promise<void> {
    await this.#keep('scope', scope);
  }

  async setGrouping(grouping: Grouping): Promise<void> {
    await this.#keep('grouping', grouping);
  }

  async setAutomation(automation: boolean): Promise<void> {
    await this.#keep('automation', automation);
  }

  dispose(): void {
    this.#change.dispose();
  }

  get #chosenScope(): Scope | null {
    const kept: unknown = this.#memory.get('scope');
    return kept === 'workspace' || kept === 'all' ? kept : null;
  }

  async #keep(name: string, value: string | boolean): Promise<void> {
    await this.#memory.update(name, value);
    this.#publish();
    this.#change.fire();
  }

  #publish(): void {
    void vscode.commands.executeCommand('setContext', 'loom.scope', this.scope);
    void vscode.commands.executeCommand('setContext', 'loom.grouping', this.grouping);
    void vscode.commands.executeCommand('setContext', 'loom.automation', this.automation);
  }
}

function hasFolders(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).length > 0;
}

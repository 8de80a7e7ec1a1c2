/** What a person was told of once and is not to be told again, over reloads of the window: the newest keys, kept by VS Code per workspace. */
import type * as vscode from 'vscode';

const most = 300;

export class Told {
  readonly #memory: vscode.Memento;
  readonly #name: string;
  #keys: readonly string[];

  constructor(memory: vscode.Memento, name: string) {
    this.#memory = memory;
    this.#name = name;
    const kept: unknown = memory.get(name);
    this.#keys = Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : [];
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.#keys);
  }

  add(keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.#keys = [...this.#keys, ...keys].slice(-most);
    void this.#memory.update(this.#name, this.#keys);
  }
}

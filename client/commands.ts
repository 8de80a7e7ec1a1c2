/** Registers every command of command-names.ts with its handler. */
import * as vscode from 'vscode';
import { commandNames, type CommandName } from './command-names.ts';

/** A command's argument comes from a menu, a key, another extension or nobody: it is decoded by the handler. */
export type CommandHandlers = Readonly<Record<CommandName, (argument?: unknown) => unknown>>;

export function registerCommands(handlers: CommandHandlers): readonly vscode.Disposable[] {
  return commandNames.map((name) =>
    vscode.commands.registerCommand(`loom.${name}`, (argument?: unknown) => handlers[name](argument)),
  );
}

/**
 * The extension's entry: builds the parts, wires them by hand and registers everything it makes for disposal. It starts
 * no server and reads no file; that happens when the view is first seen or a command is called.
 */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { ThreadView, ThreadsView } from '../server/protocol/views.ts';
import { bytes, tokens } from './amounts.ts';
import { BatonFiles, batonScheme } from './baton-files.ts';
import { Changes } from './changes.ts';
import { changesHandlers } from './changes-commands.ts';
import { registerCommands, type CommandHandlers } from './commands.ts';
import { ConflictNotice } from './conflict-notice.ts';
import { endConflict, seeConflict, type ConflictParts } from './conflicts.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { targetOf } from './continue-target.ts';
import { forgetAgreements } from './forget-agreements.ts';
import { HandOvers } from './hand-over.ts';
import { ImportNotice } from './import-progress.ts';
import { NativeRecords, recordScheme } from './native-records.ts';
import { label } from './plain-text.ts';
import { ChangesRestore } from './restore-changes.ts';
import { restoreNative } from './restore-native.ts';
import { searchThreads } from './search.ts';
import { SnapshotDocuments, snapshotScheme, watchFront } from './snapshot-documents.ts';
import { StatusBar } from './status-bar.ts';
import { StopOffer } from './stop-offer.ts';
import { Switches } from './switches.ts';
import { TextDocuments } from './text-documents.ts';
import { chooseThread, idOf } from './thread-choice.ts';
import { Threads } from './threads.ts';
import { Timelines } from './timelines.ts';
import { titleOf } from './thread-words.ts';
import { placeNodes } from './tree-items.ts';
import { ThreadTree } from './tree.ts';
import { showTrouble } from './trouble.ts';
import { WaitingNotice } from './waiting-notice.ts';
import { WorkspaceFolders } from './workspace-folders.ts';

/** What other extensions (and tests) may read of Loom. */
export interface LoomApi {
  readonly activationMs: number;
  readonly connection: () => ConnectionState;
  readonly threads: () => ThreadsView | null;
}

export function activate(context: vscode.ExtensionContext): LoomApi {
  const begun = performance.now();
  const own = <Part extends vscode.Disposable>(part: Part): Part => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(vscode.window.createOutputChannel('Loom', { log: true }));
  const connection = own(new Connection(context.asAbsolutePath('dist/server.cjs'), log, ledgerFolder, takesSnapshots));
  const switches = own(new Switches(context.workspaceState));
  const threads = own(new Threads(connection, log, randomUUID, switches.automation));
  const folders = own(
    new WorkspaceFolders(() => {
      tree.refresh();
    }),
  );
  const tree = own(new ThreadTree({ extension: context.extensionUri, connection, threads, switches, folders }));
  const timelines = own(new Timelines({ extension: context.extensionUri, link: connection, folders, log, newName: randomUUID }));
  const files = own(new BatonFiles());
  const records = own(new NativeRecords(connection, log));
  const texts = own(new TextDocuments());
  const restore = new ChangesRestore({ link: connection, log });
  const changes = new Changes({ link: connection, log, texts, restore, titleOf: titleOfId });
  const handOvers = own(
    new HandOvers({
      link: connection,
      threads,
      files,
      texts,
      log,
      memory: context.workspaceState,
      icons: vscode.Uri.joinPath(context.extensionUri, 'media'),
      showThread: (id) => {
        timelines.openAtEnd(id, titleOfId(id));
      },
    }),
  );
  own(new StatusBar(threads, folders));
  own(new ImportNotice(threads));
  own(new WaitingNotice(threads, folders));
  own(new ConflictNotice(threads, folders, context.workspaceState));
  own(new StopOffer(threads, folders, context.workspaceState));
  own(vscode.workspace.registerFileSystemProvider(batonScheme, files, { isCaseSensitive: true }));
  own(vscode.workspace.registerTextDocumentContentProvider(recordScheme, records));
  own(vscode.workspace.registerTextDocumentContentProvider(snapshotScheme, new SnapshotDocuments(connection)));
  own(watchFront());

  function titleOfId(id: string): string {
    const thread = threads.thread(id);
    return thread === undefined ? 'Thread' : label(titleOf(thread), 60);
  }
  const chosen = async (argument: unknown, title: string): Promise<ThreadView | undefined> => {
    // Keys are bound with `focused` while the list has the focus.
    const meant = argument === 'focused' ? await tree.focused() : argument;
    return chooseThread(threads, (id) => timelines.shown(id), meant, timelines.inFront, title);
  };

  const conflicts: ConflictParts = {
    link: connection,
    log,
    showLine: (id, conversation) => {
      timelines.openLine(id, titleOfId(id), conversation);
    },
  };

  const handlers: CommandHandlers = {
    continueIn: async (argument) => {
      const thread = await chosen(argument, 'Loom: Continue in…');
      if (thread !== undefined) await handOvers.begin(thread, targetOf(argument));
    },
    continueAgain: async (argument) => {
      const thread = await chosen(argument, 'Loom: Continue in the last agent');
      if (thread !== undefined) await handOvers.again(thread);
    },
    sendBaton: (argument) => handOvers.reviews.send(uriOf(argument), false),
    sendBatonAlways: (argument) => handOvers.reviews.send(uriOf(argument), true),
    discardBaton: (argument) => handOvers.reviews.discard(uriOf(argument)),
    showHandOverDetails: (argument) => handOvers.reviews.showDetails(uriOf(argument)),
    forgetAgreements: () => {
      const here = (threads.view?.threads ?? []).filter((thread) => folders.holds(thread)).map(({ cwd }) => cwd);
      return forgetAgreements(connection, log, [...folders.paths, ...here]);
    },
    seeConflict: async (argument) => {
      const thread = await chosen(argument, 'Loom: See what the old session wrote');
      if (thread !== undefined) seeConflict(conflicts, thread);
    },
    keepLease: async (argument) => {
      const thread = await chosen(argument, 'Loom: End the conflict');
      if (thread !== undefined) await endConflict(conflicts, thread, 'keep');
    },
    followConflict: async (argument) => {
      const thread = await chosen(argument, 'Loom: End the conflict');
      if (thread !== undefined) await endConflict(conflicts, thread, 'follow');
    },
    ...changesHandlers({ link: connection, log, changes, restore, titleOf: titleOfId, folders: openFolders, chosen }),
    searchThreads: () => {
      searchThreads(connection, (hit) => {
        timelines.open(hit.thread, label(hit.title, 60), { entry: hit.entry, conversation: hit.conversation });
      });
    },
    openThread: async (argument) => {
      if (tree.takeQuiet(argument)) return;
      const named = idOf(argument);
      if (named !== undefined) return timelines.open(named, titleOfId(named));
      const thread = await chooseThread(threads, () => undefined, undefined, undefined, 'Loom: Open thread');
      if (thread !== undefined) timelines.open(thread.id, label(titleOf(thread), 60));
    },
    copyBaton: async (argument) => {
      const thread = await chosen(argument, 'Loom: Copy baton');
      if (thread === undefined) return;
      try {
        const baton = await connection.request(requests.baton, { thread: thread.id, to: null, budget: null });
        await vscode.env.clipboard.writeText(baton.markdown);
        const masked = baton.masked === 0 ? '' : `, ${baton.masked} secrets masked`;
        vscode.window.setStatusBarMessage(
          `Baton copied: ${bytes(baton.bytes)}, about ${tokens(baton.tokens)} tokens${masked}`,
          6000,
        );
      } catch (error) {
        await showTrouble(log, 'The baton could not be made', error);
      }
    },
    copyThreadId: async (argument) => {
      const id = idOf(argument) ?? timelines.inFront;
      if (id !== undefined) await vscode.env.clipboard.writeText(id);
    },
    openTerminal: async (argument) => {
      const thread = await chosen(argument, 'Loom: Open Terminal');
      if (thread === undefined || thread.cwd === '') return;
      vscode.window.createTerminal({ name: label(titleOf(thread), 40), cwd: thread.cwd }).show();
    },
    revealSessionFile: async (argument) => {
      const thread = await chosen(argument, 'Loom: Open session file');
      const path = thread?.native.findLast((native) => native.harness === thread.harness)?.path ?? thread?.native.at(-1)?.path;
      if (path === undefined) return;
      await vscode.commands
        .executeCommand('vscode.open', vscode.Uri.file(path))
        .then(undefined, (error: unknown) => showTrouble(log, 'The session file could not be opened', error));
    },
    restoreNative: async (argument) => {
      const thread = await chosen(argument, 'Loom: Restore session files…');
      if (thread !== undefined) await restoreNative({ link: connection, log }, thread);
    },
    showNativeRecord: (argument) => records.show(argument),
    refresh: async () => {
      try {
        await threads.follow();
        const report = await connection.request(requests.ingest, {});
        log.info(`Read anew: ${report.entries} entries of ${report.sources} sources in ${Math.round(report.ms)} ms.`);
        tree.refresh();
      } catch (error) {
        await showTrouble(log, 'The sessions could not be read anew', error);
      }
    },
    showLog: () => {
      log.show();
    },
    showPlaces: async () => {
      await threads.follow();
      const items = placeNodes(threads.view?.harnesses ?? []).map((place) => ({
        label: `$(${place.icon}) ${place.label}`,
        description: label(place.description, 200),
      }));
      await vscode.window.showQuickPick(items, { title: 'Loom: where sessions are looked for', placeHolder: 'Folders' });
    },
    showThisWorkspace: () => switches.setScope('workspace'),
    showAllFolders: () => switches.setScope('all'),
    groupByTime: () => switches.setGrouping('time'),
    groupByFolder: () => switches.setGrouping('folder'),
    groupByHarness: () => switches.setGrouping('harness'),
    showAutomation: async () => {
      await switches.setAutomation(true);
      await threads.include(true);
    },
    hideAutomation: async () => {
      await switches.setAutomation(false);
      await threads.include(false);
    },
  };
  for (const registration of registerCommands(handlers)) own(registration);

  const activationMs = performance.now() - begun;
  log.info(
    `Loom ${String(context.extension.packageJSON.version)} is ready after ${activationMs.toFixed(1)} ms; its server starts when it is needed.`,
  );
  return { activationMs, connection: () => connection.state, threads: () => threads.view };
}

function ledgerFolder(): string {
  return vscode.workspace.getConfiguration('loom').get<string>('ledgerFolder') ?? '';
}

function takesSnapshots(): boolean {
  return vscode.workspace.getConfiguration('loom').get<boolean>('snapshots') ?? true;
}

function openFolders(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

function uriOf(argument: unknown): vscode.Uri | undefined {
  return argument instanceof vscode.Uri ? argument : undefined;
}

/**
 * The tree of VS Code over tree-items.ts: makes items of its nodes, redraws when their texts change (at most ten times a
 * second, ages every 30 seconds while visible) and keeps the view's badge, message and welcome state true.
 */
import * as vscode from 'vscode';
import type { ThreadView, ThreadsView } from '../server/protocol/views.ts';
import { bytes, counted, grouped } from './amounts.ts';
import type { Connection } from './connection.ts';
import type { Switches } from './switches.ts';
import type { Threads } from './threads.ts';
import { treeNodes, troubleNode, waitingCount, type TreeNode } from './tree-items.ts';
import type { WorkspaceFolders } from './workspace-folders.ts';

export interface TreeParts {
  readonly extension: vscode.Uri;
  readonly connection: Connection;
  readonly threads: Threads;
  readonly switches: Switches;
  readonly folders: WorkspaceFolders;
}

const redrawGap = 100;
const agesGap = 30_000;
const scopeGap = 3000;
/** Within which VS Code opens a row that was selected by a command. */
const selectGap = 1000;

export class ThreadTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #parts: TreeParts;
  readonly #change = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#change.event;
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #disposables: vscode.Disposable[];
  #nodes: readonly TreeNode[] = [];
  #drawn = '';
  #redraw: NodeJS.Timeout | null = null;
  #ages: NodeJS.Timeout | null = null;
  #state = '';
  #quietUntil = 0;
  /** When the list first held a thread of any folder. */
  #firstHeld: number | null = null;
  #settling: NodeJS.Timeout | null = null;

  constructor(parts: TreeParts) {
    this.#parts = parts;
    this.#view = vscode.window.createTreeView('loom.threads', { treeDataProvider: this, showCollapseAll: true });
    const soon = (): void => {
      this.#soon();
    };
    this.#disposables = [
      this.#view,
      this.#change,
      this.#view.onDidChangeVisibility(() => {
        this.#followVisibility();
      }),
      parts.threads.onChange(soon),
      parts.threads.onTrouble(soon),
      parts.switches.onChange(soon),
      parts.connection.onState(soon),
    ];
    this.#followVisibility();
    this.#soon();
  }

  /**
   * Id of the thread whose row has the focus, for a key that was pressed in the list. VS Code tells extensions of the selection only, and
   * arrow keys move just the focus: so that is selected first, without opening the thread as selecting does elsewhere.
   */
  async focused(): Promise<string | undefined> {
    this.#quietUntil = Date.now() + selectGap;
    await vscode.commands.executeCommand('list.selectAndPreserveFocus').then(undefined, () => undefined);
    const [node] = this.#view.selection;
    return node?.kind === 'thread' ? node.thread.id : undefined;
  }

  /** Is the row being selected only to know which it is? Asked by the command of the rows; true once. */
  takeQuiet(argument: unknown): boolean {
    const isRow = typeof argument === 'object' && argument !== null && 'row' in argument;
    const isQuiet = isRow && Date.now() < this.#quietUntil;
    if (isQuiet) this.#quietUntil = 0;
    return isQuiet;
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return [...this.#nodes];
    return node.kind === 'group' ? [...node.children] : [];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const open = this.#nodes.indexOf(node) < 3 ? Expanded : Collapsed;
    const item = new vscode.TreeItem(node.label, node.kind === 'group' ? open : None);
    item.id = node.id;
    item.description = node.description;
    item.tooltip = node.tooltip;
    item.contextValue = node.kind === 'thread' ? node.context : node.kind;
    switch (node.kind) {
      case 'group':
        item.accessibilityInformation = { label: `${node.label}, ${counted(node.children.length, 'thread')}` };
        break;
      case 'line':
        item.iconPath = new vscode.ThemeIcon(node.icon);
        break;
      case 'thread':
        item.iconPath = {
          light: vscode.Uri.joinPath(this.#parts.extension, 'media', `${node.icon}-light.svg`),
          dark: vscode.Uri.joinPath(this.#parts.extension, 'media', `${node.icon}-dark.svg`),
        };
        item.accessibilityInformation = { label: node.spoken };
        item.command = { command: 'loom.openThread', title: 'Open thread', arguments: [{ thread: node.thread.id, row: true }] };
        break;
    }
    return item;
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.#nodes.find((group) => group.kind === 'group' && group.children.some((child) => child.id === node.id));
  }

  /** Follows the list from now on, as the view does when it becomes visible. */
  refresh(): void {
    this.#drawn = '';
    this.#soon();
  }

  dispose(): void {
    if (this.#redraw !== null) clearTimeout(this.#redraw);
    if (this.#settling !== null) clearTimeout(this.#settling);
    if (this.#ages !== null) clearInterval(this.#ages);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #followVisibility(): void {
    if (this.#view.visible) {
      void this.#parts.threads.follow();
      this.#ages ??= setInterval(() => {
        this.#soon();
      }, agesGap);
      this.#soon();
    } else if (this.#ages !== null) {
      clearInterval(this.#ages);
      this.#ages = null;
    }
  }

  #soon(): void {
    this.#redraw ??= setTimeout(() => {
      this.#redraw = null;
      this.#draw();
    }, redrawGap);
  }

  #draw(): void {
    const { threads, switches } = this.#parts;
    const view = threads.view;
    if (view === null) {
      // That there is no server is said by the welcome text, which can start it again.
      this.#nodes = threads.failure === null || threads.failure.id === null ? [] : [troubleNode(threads.failure)];
      const failed = this.#parts.connection.state === 'failed' || threads.failure !== null;
      this.#enterState(failed ? 'failed' : 'starting');
      this.#announce();
      return;
    }
    const here = (thread: ThreadView): boolean => this.#parts.folders.holds(thread);
    this.#settleScope(view.threads.length > 0, view.threads.some(here));
    const all = switches.scope === 'all';
    this.#nodes = treeNodes(view, {
      grouping: switches.grouping,
      shows: (thread) => all || here(thread),
      now: new Date(),
      locale: vscode.env.language,
    });
    this.#view.description = all ? 'all folders' : 'this workspace';
    this.#view.badge = badgeOf(view);
    const followed = this.#parts.connection.state !== 'failed' && threads.failure === null;
    this.#view.message = messageOf(view, followed, this.#nodes.length > 0) ?? '';
    this.#enterState(stateOf(view, this.#nodes.length > 0));
    this.#announce();
  }

  /** The first threads that are read may all be of other folders: only after a moment without one of here are all folders shown. */
  #settleScope(isAny: boolean, isHere: boolean): void {
    if (isHere) this.#parts.switches.settleScope(true);
    else if (this.#firstHeld !== null && Date.now() - this.#firstHeld >= scopeGap) this.#parts.switches.settleScope(false);
    if (!isAny || this.#firstHeld !== null) return;
    this.#firstHeld = Date.now();
    this.#settling = setTimeout(() => {
      this.#soon();
    }, scopeGap);
  }

  /** The tree is drawn anew only when what it shows has changed. */
  #announce(): void {
    const drawn = JSON.stringify(this.#nodes, (key, value: unknown) => (key === 'thread' ? undefined : value));
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#change.fire();
  }

  #enterState(state: string): void {
    if (state === this.#state) return;
    this.#state = state;
    void vscode.commands.executeCommand('setContext', 'loom.state', state);
  }
}

function stateOf(view: ThreadsView, shown: boolean): string {
  if (shown) return 'shown';
  if (view.threads.length > 0) return 'none-here';
  return view.importing === null ? 'empty' : 'importing';
}

function badgeOf(view: ThreadsView): vscode.ViewBadge | undefined {
  const waiting = waitingCount(view);
  return waiting === 0
    ? undefined
    : { value: waiting, tooltip: `${counted(waiting, 'agent')} ${waiting === 1 ? 'waits' : 'wait'} for you` };
}

/** A message would hide the welcome text, so there is one only above a list. */
function messageOf(view: ThreadsView, followed: boolean, shown: boolean): string | undefined {
  if (!shown) return undefined;
  if (!followed) return 'The Loom server is not running; this list is not followed any more.';
  if (view.importing === null) return undefined;
  const { filesDone, filesTotal, bytesDone, bytesTotal } = view.importing;
  return `Reading sessions: ${grouped(filesDone)} of ${grouped(filesTotal)} files, ${bytes(bytesDone)} of ${bytes(bytesTotal)}`;
}

/**
 * One timeline: a webview panel over a `timeline` subscription. Entries pass through without being kept here; only what
 * the panel itself needs of the view is. While the panel is hidden its page does not exist and nothing is subscribed to.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { ViewEvent } from '../server/protocol/events.ts';
import type { ConversationView, ThreadView, View } from '../server/protocol/views.ts';
import { troubleOf } from './fault-of.ts';
import { holdsEntry } from './lineage.ts';
import type { Link } from './link.ts';
import { pathsToTry } from './opened-file.ts';
import { PanelChanges } from './panel-changes.ts';
import { label } from './plain-text.ts';
import { Subscription, type Topic } from './subscription.ts';
import { timelinePage } from './timeline-page.ts';
import { titleOf } from './thread-words.ts';
import { decodeIntent, type HostMessage, type Intent, type PanelState } from './webview/messages.ts';
import type { WorkspaceFolders } from './workspace-folders.ts';

export interface PanelParts {
  readonly extension: vscode.Uri;
  readonly link: Link;
  readonly folders: WorkspaceFolders;
  readonly log: vscode.LogOutputChannel;
  readonly newName: () => string;
}

const firstTail = 300;
const mostTail = 5000;
const mostHits = 1000;

export class TimelinePanel implements vscode.Disposable {
  readonly #parts: PanelParts;
  readonly #panel: vscode.WebviewPanel;
  readonly #subscription: Subscription;
  readonly #changes: PanelChanges;
  readonly #disposables: vscode.Disposable[];
  readonly #thread: string;
  #following: number | null;
  #shown: {
    readonly thread: ThreadView;
    readonly conversation: number;
    readonly conversations: readonly ConversationView[];
  } | null = null;
  #reveal: { readonly entry: number; readonly conversation: number } | null = null;
  #tail = firstTail;
  #fresh = true;

  constructor(parts: PanelParts, panel: vscode.WebviewPanel, state: PanelState) {
    this.#parts = parts;
    this.#panel = panel;
    this.#thread = state.thread;
    this.#following = state.conversation;
    this.#subscription = new Subscription(
      parts.link,
      this.#topic(),
      {
        view: (view) => {
          this.#takeView(view);
        },
        events: (events) => {
          this.#takeEvents(events);
        },
        failed: (error) => {
          const trouble = troubleOf(error);
          parts.log.error(`The timeline is not there: ${trouble.text}`);
          this.#post({ type: 'trouble', text: `${trouble.text} ${trouble.fix}`.trim() });
        },
      },
      parts.newName,
    );
    this.#changes = new PanelChanges(
      async () => parts.link.request(requests.threadChanges, { thread: this.#thread }),
      (changes) => {
        this.#post({ type: 'changes', changes });
      },
      (error) => {
        parts.log.warn(`What the turns did to files is not known: ${troubleOf(error).text}`);
      },
    );
    this.#disposables = [
      this.#subscription,
      this.#changes,
      panel.webview.onDidReceiveMessage((message: unknown) => {
        const intent = decodeIntent(message);
        if (intent !== undefined) void this.#do(intent).catch((error: unknown) => this.#tellTrouble(error));
      }),
      panel.onDidChangeViewState(() => {
        if (panel.visible) return;
        this.#subscription.pause();
        this.#changes.pause();
      }),
    ];
    this.#panel.iconPath = vscode.Uri.joinPath(parts.extension, 'media', 'thread.svg');
    const resources = vscode.Uri.joinPath(parts.extension, 'dist', 'webview');
    panel.webview.options = { enableScripts: true, localResourceRoots: [resources] };
    panel.webview.html = timelinePage({
      cspSource: panel.webview.cspSource,
      script: panel.webview.asWebviewUri(vscode.Uri.joinPath(resources, 'timeline.js')).toString(),
      style: panel.webview.asWebviewUri(vscode.Uri.joinPath(resources, 'timeline.css')).toString(),
      nonce: parts.newName(),
      language: vscode.env.language,
    });
  }

  get thread(): string {
    return this.#thread;
  }

  /** As last seen; undefined before the first view. */
  get shown(): ThreadView | undefined {
    return this.#shown?.thread;
  }

  get active(): boolean {
    return this.#panel.active;
  }

  /** Brings the panel to the front and, if an entry is given, that entry into view, in a conversation that holds it. */
  show(entry: { readonly entry: number; readonly conversation: number } | null, preserveFocus: boolean): void {
    this.#reveal = entry;
    const wasVisible = this.#panel.visible;
    this.#panel.reveal(undefined, preserveFocus);
    if (wasVisible) this.#revealWanted();
  }

  /** Follows a conversation from now on, at its newest line. null: whichever is current. */
  follow(conversation: number | null): void {
    this.#reveal = null;
    this.#following = conversation;
    this.#fresh = true;
    if (this.#panel.visible) void this.#subscription.open(this.#topic());
  }

  onDidDispose(listener: () => void): void {
    this.#panel.onDidDispose(listener);
  }

  close(): void {
    this.#panel.dispose();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #topic(): Topic {
    return { kind: 'timeline', thread: this.#thread, conversation: this.#following, tail: this.#tail };
  }

  #takeView(view: View): void {
    if (view.kind !== 'timeline') return;
    this.#hold(view);
    this.#post({ type: 'trouble', text: '' });
    this.#post({ type: 'view', view, following: this.#following, fresh: this.#fresh });
    this.#changes.soon();
    this.#fresh = false;
    this.#tail = Math.min(mostTail, Math.max(firstTail, view.entries.length));
    this.#revealWanted();
  }

  #takeEvents(events: readonly ViewEvent[]): void {
    for (const event of events) {
      if (event.type === 'snapshot' && event.view.kind === 'timeline') this.#hold(event.view);
      if (event.type === 'thread' && this.#shown !== null) this.#hold({ ...this.#shown, thread: event.thread });
      if (event.type === 'conversations' && this.#shown !== null)
        this.#hold({ ...this.#shown, conversations: event.conversations });
      if (event.type === 'older') this.#tail = Math.min(mostTail, this.#tail + event.entries.length);
    }
    this.#post({ type: 'events', events });
    this.#changes.take(events);
  }

  #hold(view: {
    readonly thread: ThreadView;
    readonly conversation: number;
    readonly conversations: readonly ConversationView[];
  }): void {
    this.#shown = { thread: view.thread, conversation: view.conversation, conversations: view.conversations };
    this.#panel.title = label(titleOf(view.thread), 60);
  }

  #revealWanted(): void {
    const wanted = this.#reveal;
    const shown = this.#shown;
    if (wanted === null || shown === null) return;
    if (holdsEntry(shown.conversations, shown.conversation, wanted.conversation, wanted.entry)) {
      this.#reveal = null;
      this.#post({ type: 'reveal', entry: wanted.entry });
    } else if (this.#following !== wanted.conversation) {
      this.#following = wanted.conversation;
      this.#fresh = true;
      void this.#subscription.open(this.#topic());
    } else {
      this.#reveal = null;
    }
  }

  async #do(intent: Intent): Promise<void> {
    const { link } = this.#parts;
    switch (intent.type) {
      case 'ready':
        this.#tail = Math.min(mostTail, Math.max(firstTail, intent.tail));
        this.#fresh = true;
        return this.#subscription.open(this.#topic());
      case 'older': {
        const subscription = this.#subscription.name;
        if (subscription === null) return;
        try {
          await link.request(requests.older, { subscription, limit: Math.min(mostTail, intent.limit) });
        } finally {
          this.#post({ type: 'olderDone' });
        }
        return;
      }
      case 'entry':
        return this.#post({
          type: 'entry',
          entry: await link.request(requests.entry, { thread: this.#thread, entry: intent.entry }),
        });
      case 'find': {
        const found = await link.request(requests.search, { words: intent.words, limit: mostHits, thread: this.#thread });
        const hits = found.hits.map(({ entry, conversation }) => ({ entry, conversation }));
        return this.#post({ type: 'found', words: intent.words, hits, hint: found.hint });
      }
      case 'follow':
        this.#following = intent.conversation;
        this.#fresh = true;
        this.#tail = firstTail;
        this.#reveal =
          intent.reveal === null || intent.conversation === null
            ? null
            : { entry: intent.reveal, conversation: intent.conversation };
        return this.#subscription.open(this.#topic());
      case 'openFile':
        return this.#openFile(intent.path, intent.line);
      case 'openLink':
        return openLink(intent.url);
      case 'openThread':
        await vscode.commands.executeCommand('loom.openThread', intent.thread);
        return;
      case 'copy':
        await vscode.env.clipboard.writeText(intent.text);
        return;
      case 'returnTo':
        await vscode.commands.executeCommand('loom.continueIn', {
          thread: this.#thread,
          harness: intent.harness,
          mode: 'return',
        });
        return;
      case 'showChanges':
      case 'restoreChanges': {
        const { before, after, path: file } = intent;
        await vscode.commands.executeCommand(`loom.${intent.type}`, { thread: this.#thread, before, after, path: file });
        return;
      }
      case 'showAllChanges':
        await vscode.commands.executeCommand('loom.showChanges', this.#thread);
        return;
      case 'continueIn':
      case 'copyBaton':
      case 'restoreNative':
      case 'keepLease':
      case 'followConflict':
        await vscode.commands.executeCommand(`loom.${intent.type}`, this.#thread);
        return;
    }
  }

  async #openFile(named: string, line: number | null): Promise<void> {
    const { paths } = this.#parts.folders;
    const folders = [this.#shown?.thread.cwd ?? '', ...paths];
    const rules = process.platform === 'win32' ? 'windows' : 'posix';
    for (const candidate of pathsToTry(named, folders, paths, rules, (folder, name) => path.join(folder, name))) {
      const uri = vscode.Uri.file(candidate);
      if (!(await isFile(uri))) continue;
      const at = line === null ? undefined : new vscode.Range(Math.max(0, line - 1), 0, Math.max(0, line - 1), 0);
      await vscode.commands.executeCommand('vscode.open', uri, { preview: true, ...(at === undefined ? {} : { selection: at }) });
      return;
    }
    void vscode.window.showInformationMessage(`There is no file ${label(named, 200)} on this machine now.`);
  }

  #tellTrouble(error: unknown): void {
    const trouble = troubleOf(error);
    this.#parts.log.warn(`A timeline's request failed: ${trouble.text}`);
    this.#post({ type: 'trouble', text: `${trouble.text} ${trouble.fix}`.trim() });
  }

  #post(message: HostMessage): void {
    // Fails only when the page is gone; its next one asks anew. A webview's messages have no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    void this.#panel.webview.postMessage(message).then(undefined, () => undefined);
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    const stat = await vscode.workspace.fs.stat(uri);
    return (stat.type & vscode.FileType.Directory) === 0;
  } catch {
    return false;
  }
}

/** Only web addresses, and only after the person saw the whole of it. */
async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (uri.scheme !== 'http' && uri.scheme !== 'https') return;
  const open = 'Open';
  const copy = 'Copy';
  const chosen = await vscode.window.showInformationMessage(
    'Open this address in the browser?',
    { modal: true, detail: uri.toString(true) },
    open,
    copy,
  );
  if (chosen === open) await vscode.env.openExternal(uri);
  if (chosen === copy) await vscode.env.clipboard.writeText(url);
}

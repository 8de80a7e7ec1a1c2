/** The timelines that are open in this window: at most one for each thread, restored after a reload. */
import * as vscode from 'vscode';
import type { ThreadView } from '../server/protocol/views.ts';
import { TimelinePanel, type PanelParts } from './timeline-panel.ts';
import { decodePanelState, type PanelState } from './webview/messages.ts';

export const timelineType = 'loom.timeline';

export class Timelines implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #parts: PanelParts;
  readonly #panels = new Map<string, TimelinePanel>();
  readonly #registration: vscode.Disposable;

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#registration = vscode.window.registerWebviewPanelSerializer(timelineType, this);
  }

  /** The thread whose timeline is in front. */
  get inFront(): string | undefined {
    return [...this.#panels.values()].find((panel) => panel.active)?.thread;
  }

  /** The thread as its open timeline shows it. */
  shown(thread: string): ThreadView | undefined {
    return this.#panels.get(thread)?.shown;
  }

  open(
    thread: string,
    title: string,
    entry: { readonly entry: number; readonly conversation: number } | null = null,
    preserveFocus = false,
  ): void {
    const known = this.#panels.get(thread);
    if (known !== undefined) {
      known.show(entry, preserveFocus);
      return;
    }
    this.#create({ thread, conversation: null, title }, preserveFocus).show(entry, preserveFocus);
  }

  /** As `open`, and at the newest line of the conversation that is current. */
  openAtEnd(thread: string, title: string): void {
    const known = this.#panels.get(thread);
    this.open(thread, title, null, true);
    known?.follow(null);
  }

  /** As `open`, on one line of the thread: a branch or a subagent. */
  openLine(thread: string, title: string, conversation: number): void {
    const known = this.#panels.get(thread);
    if (known === undefined) this.#create({ thread, conversation, title }, false).show(null, false);
    else {
      known.show(null, false);
      known.follow(conversation);
    }
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: unknown): Promise<void> {
    const state = decodePanelState(kept);
    const known = state === undefined ? undefined : this.#panels.get(state.thread);
    if (state === undefined || known !== undefined) panel.dispose();
    else this.#adopt(panel, state);
    // The thread was opened anew before its tab of the last window was looked at: one goes, and the other is what was meant.
    known?.show(null, false);
    return Promise.resolve();
  }

  dispose(): void {
    this.#registration.dispose();
    for (const panel of this.#panels.values()) panel.close();
  }

  #create(state: PanelState, preserveFocus: boolean): TimelinePanel {
    const place = { viewColumn: vscode.ViewColumn.Active, preserveFocus };
    const panel = vscode.window.createWebviewPanel(timelineType, state.title, place, {
      enableScripts: true,
      retainContextWhenHidden: false,
    });
    return this.#adopt(panel, state);
  }

  #adopt(panel: vscode.WebviewPanel, state: PanelState): TimelinePanel {
    const timeline = new TimelinePanel(this.#parts, panel, state);
    this.#panels.set(state.thread, timeline);
    timeline.onDidDispose(() => {
      this.#panels.delete(state.thread);
      timeline.dispose();
    });
    return timeline;
  }
}

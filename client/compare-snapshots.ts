/** Takes a snapshot when a person asks for one, and compares any two of a folder, or one with the files as they are now. */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { SnapshotView } from '../server/protocol/world.ts';
import type { Changes } from './changes.ts';
import type { Link } from './link.ts';
import { label, shortPath } from './plain-text.ts';
import { snapshotItem, type SnapshotItem } from './snapshot-item.ts';
import { showTrouble } from './trouble.ts';

export interface CompareParts {
  readonly link: Link;
  readonly log: vscode.LogOutputChannel;
  readonly changes: Changes;
  readonly titleOf: (thread: string) => string;
  /** Absolute folders of the workspace. */
  readonly folders: () => readonly string[];
}

const mostListed = 500;

export async function takeSnapshot(parts: CompareParts): Promise<void> {
  const folder = await chooseFolder(parts, 'Loom: Take snapshot');
  if (folder === undefined) return;
  try {
    const location = vscode.ProgressLocation.Window;
    const taken = await vscode.window.withProgress({ location, title: 'Taking a snapshot' }, async () =>
      parts.link.request(requests.snapshotTake, { folder }),
    );
    const compare = 'Compare…';
    const left = taken.leftOutTotal === 0 ? '' : ` ${taken.leftOutTotal} files are not in it.`;
    const chosen = await vscode.window.showInformationMessage(
      `Snapshot ${taken.number} of ${label(shortPath(taken.worktree), 80)} was taken.${left}`,
      compare,
    );
    if (chosen === compare) await compareSnapshots(parts, taken.worktree);
  } catch (error) {
    await showTrouble(parts.log, 'No snapshot was taken', error);
  }
}

/** `named`: an absolute folder; without it, one of the workspace is chosen. */
export async function compareSnapshots(parts: CompareParts, named?: string): Promise<void> {
  const title = 'Loom: Compare snapshots';
  const folder = named ?? (await chooseFolder(parts, title));
  if (folder === undefined) return;
  try {
    const all = await parts.link.request(requests.snapshotList, { thread: null, folder, limit: mostListed });
    if (all.length === 0) {
      void vscode.window.showInformationMessage('There is no snapshot of this folder yet. Take one, or let an agent work in it.');
      return;
    }
    const items = all.map((snapshot) => ({ ...itemOf(parts, snapshot), snapshot }));
    const first = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: 'The earlier one',
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (first === undefined) return;
    const now = { label: 'The files as they are now', description: 'they can be edited beside it', detail: '', snapshot: null };
    const later = [now, ...items.filter(({ snapshot }) => snapshot.number > first.snapshot.number)];
    const second = await vscode.window.showQuickPick<SnapshotItem & { readonly snapshot: SnapshotView | null }>(later, {
      title,
      placeHolder: 'The later one',
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (second === undefined) return;
    const { number, thread } = first.snapshot;
    const name = second.snapshot === null ? `Snapshot ${number} and now` : `Snapshots ${number} and ${second.snapshot.number}`;
    await parts.changes.showBetween(number, second.snapshot?.number ?? null, `${name} · ${shortPath(folder)}`, thread);
  } catch (error) {
    await showTrouble(parts.log, 'The snapshots could not be compared', error);
  }
}

function itemOf({ titleOf }: CompareParts, snapshot: SnapshotView): SnapshotItem {
  return snapshotItem(snapshot, Date.now(), titleOf, (at) => timeFormat.format(at));
}

async function chooseFolder({ folders }: CompareParts, title: string): Promise<string | undefined> {
  const all = folders();
  if (all.length === 0) void vscode.window.showInformationMessage('There is no folder open in this window.');
  if (all.length < 2) return all[0];
  const items = all.map((folder) => ({ label: label(shortPath(folder), 80), description: label(folder, 200), folder }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Folder' }))?.folder;
}

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

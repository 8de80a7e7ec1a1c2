/** How much is taken back of a change that one looks at: all of it, one file, or one part of that; the diff beside the list moves to what is looked at. */
import * as vscode from 'vscode';
import { requests } from '../server/protocol/requests.ts';
import type { ChangedFile } from '../server/protocol/world.ts';
import { counted } from './amounts.ts';
import { openFileChange, type ShownChanges } from './changes-editor.ts';
import { pathWords, sizeWords, lineWords } from './changes-words.ts';
import { hunksOf, type Hunk } from './hunks.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';

/** A number: only that hunk of the file. */
export type Extent = 'all' | 'file' | number;

/** `total`: files of the change that may be meant as a whole; null: only the file is meant. undefined: given up. */
export async function chooseExtent(
  link: Link,
  shown: ShownChanges,
  file: ChangedFile,
  total: number | null,
): Promise<Extent | undefined> {
  const hunks = await partsOf(link, shown, file);
  const items = [
    ...(total === null || total < 2
      ? []
      : [{ label: `All ${counted(total, 'file')}`, description: label(shown.title, 80), detail: '', extent: 'all' as const }]),
    { label: label(pathWords(file), 120), description: sizeWords(file), detail: '', extent: 'file' as const },
    ...hunks.map((hunk) => ({
      label: `Line ${hunk.line + 1}`,
      description: lineWords(hunk.added, hunk.removed),
      detail: label(hunk.first, 120),
      extent: hunk.number,
      line: hunk.line,
    })),
  ];
  if (items.length === 1) return 'file';
  const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { readonly extent: Extent }>(items, {
    title: label(`Restore in ${pathWords(file)}`, 100),
    placeHolder: 'All of its changes, or one part',
    ignoreFocusOut: true,
    onDidSelectItem: (item) => {
      if (typeof item !== 'string' && 'line' in item && typeof item.line === 'number')
        void openFileChange(shown, file, item.line, true);
    },
  });
  return chosen?.extent;
}

/** Those that can be chosen: none of a file that has only one. */
async function partsOf(link: Link, { target }: ShownChanges, file: ChangedFile): Promise<readonly Hunk[]> {
  // A part of a new, deleted or moved file would be a file of another kind.
  if (file.change !== 'modified' || file.added === null) return [];
  const side = async (snapshot: number): Promise<Uint8Array> => {
    const content = await link.request(requests.snapshotContent, { snapshot, path: file.path });
    return content.ok && !content.binary ? Buffer.from(content.base64, 'base64') : new Uint8Array();
  };
  const [before, after] = await Promise.all([side(target.before), side(target.after)]);
  const hunks = hunksOf(before, after);
  return hunks.length < 2 ? [] : hunks;
}

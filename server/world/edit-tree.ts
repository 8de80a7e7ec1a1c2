/**
 * A tree with a few files changed, made out of another one without an index: only the folders on the way to what changed are read and
 * written. Every object that a new folder names is looked for, so that no tree is made of something that is not there.
 */
import { missingIn } from './held-objects.ts';
import { objectId } from './loose-object.ts';
import { idBytes } from './pack-list.ts';
import { packEntry, packOf, writePack } from './pack.ts';
import type { PackEntry } from './pack.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface TreeFile {
  readonly mode: '100644' | '100755';
  readonly object: string;
}
/** The entries of a tree by their names, as they stand there: `MODE NAME\0` and the twenty bytes of an id. */
interface Folder {
  readonly entries: Map<RawPath, Buffer>;
  /** They may stand in another order than git's. */
  isMixed: boolean;
}

export interface EditedTree {
  readonly id: string;
  /** The folders that changed, by their ids. */
  readonly folders: ReadonlyMap<string, Buffer>;
  /** The ids of what they name, twenty bytes each. */
  readonly named: readonly Buffer[];
}

/** null: the file goes. undefined: it cannot be done this way (names of several lines, another kind of store). Nothing is written. */
export async function editTree(
  store: SnapshotStore,
  base: string,
  changes: ReadonlyMap<RawPath, TreeFile | null>,
): Promise<EditedTree | undefined> {
  if (!store.isPlain) return undefined;
  const paths = foldersOf(changes.keys()).toSorted((a, b) => depthOf(a) - depthOf(b));
  const folders = await readFolders(store, base, paths);
  if (folders === undefined) return undefined;
  for (const [raw, file] of changes) {
    const folder = folders.get(above(raw));
    if (file === null) folder?.entries.delete(nameOf(raw));
    else if (folder !== undefined) place(folder, nameOf(raw), file.mode, file.object);
  }
  const written = new Map<string, Buffer>();
  const named: Buffer[] = [];
  let root = '';
  // The deepest first: a folder names those below it.
  for (const folder of paths.toReversed()) {
    const entries = entriesOf(folders.get(folder));
    const content = entries.length === 0 && folder !== '' ? undefined : Buffer.concat(entries);
    const id = content === undefined ? undefined : objectId('tree', content);
    if (content !== undefined && id !== undefined) written.set(id, content);
    for (const entry of entries) named.push(entry.subarray(-idBytes));
    const parent = folders.get(above(folder));
    if (folder === '') root = id ?? '';
    else if (parent === undefined) continue;
    else if (id !== undefined) place(parent, nameOf(folder), '40000', id);
    else if (isFolder(parent.entries.get(nameOf(folder)))) parent.entries.delete(nameOf(folder));
  }
  return { id: root, folders: written, named };
}

/**
 * Did it go into the store, with those of the files' contents that are not there yet? All of it or nothing: not when something is neither
 * there nor among these that it names. Throws what the file system throws.
 */
export async function keepTree(
  store: SnapshotStore,
  { folders, named }: EditedTree,
  blobs: readonly PackEntry[],
): Promise<boolean> {
  const entries = new Map(blobs.map((blob) => [blob.id, blob]));
  const missing = missingIn(
    store.folder,
    [...named, ...[...folders.keys()].map((id) => Buffer.from(id, 'hex'))],
    store.packLists,
  );
  if (missing.some((id) => !folders.has(id) && !entries.has(id))) return false;
  for (const id of missing) {
    const folder = folders.get(id);
    if (folder !== undefined) entries.set(id, await packEntry('tree', id, folder));
  }
  if (missing.length > 0) writePack(store.folder, packOf(missing.flatMap((id) => entries.get(id) ?? [])));
  for (const [id, content] of folders) store.trees.add(id, content);
  return true;
}

/** An entry that is there keeps its place, unless it is of another kind now. */
function place(folder: Folder, name: RawPath, mode: string, object: string): void {
  const { entries } = folder;
  const before = entries.get(name);
  const entry = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(object, 'hex')]);
  entries.set(name, entry);
  if (before === undefined || isFolder(before) !== isFolder(entry)) folder.isMixed = true;
}

/** Modes of files, links and repositories begin with `1`. */
function isFolder(entry: Buffer | undefined): boolean {
  return entry?.[0] === 0x34;
}

/** `paths`: those above before those below. undefined: one is lost. */
async function readFolders(
  store: SnapshotStore,
  base: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Folder> | undefined> {
  const folders = new Map<string, Folder>();
  for (let depth = 0, from = 0; from < paths.length; depth++) {
    const level = paths.slice(from).filter((folder) => depthOf(folder) === depth);
    from += level.length;
    // A file that became a folder has nothing in it yet, nor has one that is new.
    const ids = level.map((folder) => (folder === '' ? base : folderIn(folders.get(above(folder)), nameOf(folder))));
    const contents = await readTrees(
      store,
      ids.flatMap((id) => id ?? []),
    );
    if (contents === undefined) return undefined;
    for (const [index, folder] of level.entries()) {
      const content = contents.get(ids[index] ?? '');
      const entries = content === undefined ? new Map<RawPath, Buffer>() : parseTree(content);
      if (entries === undefined) return undefined;
      folders.set(folder, { entries, isMixed: false });
    }
  }
  return folders;
}

function folderIn(parent: Folder | undefined, name: string): string | undefined {
  const entry = parent?.entries.get(name);
  return isFolder(entry) ? entry?.toString('hex', entry.length - idBytes) : undefined;
}

/** The contents of these trees, by their ids; undefined: one of them is none, or is not there. */
export async function readTrees(store: SnapshotStore, ids: readonly string[]): Promise<ReadonlyMap<string, Buffer> | undefined> {
  const contents = new Map<string, Buffer>();
  const wanted: string[] = [];
  for (const id of new Set(ids)) {
    const content = store.trees.get(id);
    if (content === undefined) wanted.push(id);
    else contents.set(id, content);
  }
  const found = await store.objects.ask(wanted);
  if (found === undefined) return undefined;
  for (const tree of found) {
    if (tree?.type !== 'tree' || tree.content === null) return undefined;
    store.trees.add(tree.id, tree.content);
    contents.set(tree.id, tree.content);
  }
  return contents;
}

/** undefined: it is no tree. */
function parseTree(bytes: Buffer): Folder['entries'] | undefined {
  const entries: Folder['entries'] = new Map();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const next = end + 1 + idBytes;
    if (space < at || end < space || next > bytes.length) return undefined;
    entries.set(bytes.toString('latin1', space + 1, end), bytes.subarray(at, next));
    at = next;
  }
  return entries;
}

/** In git's order: a folder is sorted as if a slash stood behind its name. */
function entriesOf(folder: Folder | undefined): readonly Buffer[] {
  if (folder?.isMixed !== true) return [...(folder?.entries.values() ?? [])];
  const keyed = [...folder.entries].map(([name, entry]) => ({ entry, key: isFolder(entry) ? `${name}/` : name }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}

/** Every folder above these files, the root ('') among them. */
function foldersOf(paths: Iterable<RawPath>): readonly string[] {
  const out = new Set(['']);
  for (const raw of paths) for (let folder = above(raw); folder !== ''; folder = above(folder)) out.add(folder);
  return [...out];
}
function above(raw: RawPath): RawPath {
  return raw.slice(0, Math.max(0, raw.lastIndexOf('/')));
}
function nameOf(raw: RawPath): string {
  return raw.slice(raw.lastIndexOf('/') + 1);
}
function depthOf(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

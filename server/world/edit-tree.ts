/**
 * A tree with a few files changed, made out of another one without an index: only the folders on the way to what changed are read and
 * written. Every object that a new folder names is looked for, so that no tree is made of something that is not there.
 */
import { missingIn } from './held-objects.ts';
import { objectId, writeLoose } from './loose-object.ts';
import { rawOf } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface TreeFile {
  readonly mode: '100644' | '100755';
  readonly object: string;
}
/** By name: mode and object id. */
type Folder = Map<string, { readonly mode: string; readonly object: string }>;

export interface EditedTree {
  readonly id: string;
  /** The folders that changed, by their ids. */
  readonly folders: ReadonlyMap<string, Buffer>;
  /** What they name. */
  readonly named: ReadonlySet<string>;
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
    if (file === null) folder?.delete(nameOf(raw));
    else folder?.set(nameOf(raw), file);
  }
  const written = new Map<string, Buffer>();
  const named = new Set<string>();
  let root = '';
  // The deepest first: a folder names those below it.
  for (const folder of paths.toReversed()) {
    const entries = folders.get(folder) ?? new Map();
    const content = entries.size === 0 && folder !== '' ? undefined : contentOf(entries);
    const id = content === undefined ? undefined : objectId('tree', content);
    if (content !== undefined && id !== undefined) written.set(id, content);
    for (const { object } of entries.values()) named.add(object);
    if (folder === '') root = id ?? '';
    else place(folders.get(above(folder)), nameOf(folder), id);
  }
  return { id: root, folders: written, named };
}

/** Did it go into the store? Not when something is not there that it names. Throws what the file system throws. */
export async function keepTree(store: SnapshotStore, { folders, named }: EditedTree): Promise<boolean> {
  const missing = missingIn(store.folder, new Set([...named, ...folders.keys()]));
  if (missing.some((id) => !folders.has(id))) return false;
  for (const id of missing) await writeLoose(store.folder, 'tree', folders.get(id) ?? Buffer.alloc(0), id);
  for (const [id, content] of folders) store.trees.add(id, content);
  return true;
}

function place(parent: Folder | undefined, name: string, id: string | undefined): void {
  if (id !== undefined) parent?.set(name, { mode: '40000', object: id });
  else if (parent?.get(name)?.mode === '40000') parent.delete(name);
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
      const entries = content === undefined ? new Map() : parseTree(content);
      if (entries === undefined) return undefined;
      folders.set(folder, entries);
    }
  }
  return folders;
}

function folderIn(parent: Folder | undefined, name: string): string | undefined {
  const entry = parent?.get(name);
  return entry?.mode === '40000' ? entry.object : undefined;
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

/** `MODE NAME\0` and twenty bytes of an id, again and again. undefined: it is something else. */
function parseTree(bytes: Buffer): Folder | undefined {
  const folder: Folder = new Map();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space < at || end < space || end + 21 > bytes.length) return undefined;
    const name = rawOf(bytes.subarray(space + 1, end));
    const object = bytes.toString('hex', end + 1, end + 21);
    folder.set(name, { mode: bytes.toString('latin1', at, space), object });
    at = end + 21;
  }
  return folder;
}

/** In git's order: a folder is sorted as if a slash stood behind its name. */
function sorted(folder: Folder): readonly (readonly [string, { readonly mode: string; readonly object: string }])[] {
  const key = (name: string, mode: string): string => (mode === '40000' ? `${name}/` : name);
  return [...folder].toSorted(([a, one], [b, other]) => (key(a, one.mode) < key(b, other.mode) ? -1 : 1));
}

function contentOf(folder: Folder): Buffer {
  return Buffer.concat(
    sorted(folder).map(([name, { mode, object }]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(object, 'hex')]),
    ),
  );
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

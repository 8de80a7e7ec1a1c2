/**
 * A tree with a few files changed, made out of another one without an index: only the folders on the way to what changed are read and
 * written. Every object that a new folder names is looked for, so that no tree is made of something that is not there.
 */
import { createHash } from 'node:crypto';
import { rawOf } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface TreeFile {
  readonly mode: '100644' | '100755';
  readonly object: string;
}
/** By name: mode and object id. */
type Folder = Map<string, { readonly mode: string; readonly object: string }>;

/** null: the file goes. undefined: it cannot be done this way (names of several lines, another kind of store); nothing is lost by trying. */
export async function editTree(
  store: SnapshotStore,
  base: string,
  changes: ReadonlyMap<RawPath, TreeFile | null>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (base.length !== 40 || [...changes.keys()].some((raw) => raw.includes('\n'))) return undefined;
  const paths = foldersOf(changes.keys());
  const folders = await readFolders(store, base, paths, signal);
  if (folders === undefined) return undefined;
  for (const [raw, file] of changes) {
    const folder = folders.get(above(raw));
    if (file === null) folder?.delete(nameOf(raw));
    else folder?.set(nameOf(raw), file);
  }
  const written: { readonly id: string; readonly text: string }[] = [];
  let root = '';
  // The deepest first: a folder names those below it.
  for (const folder of paths.toSorted((a, b) => depthOf(b) - depthOf(a))) {
    const entries = folders.get(folder) ?? new Map();
    const id = entries.size === 0 && folder !== '' ? undefined : idOf(entries);
    if (id !== undefined) written.push({ id, text: textOf(entries) });
    if (folder === '') root = id ?? '';
    else place(folders.get(above(folder)), nameOf(folder), id);
  }
  const input = Buffer.from(written.map(({ text }) => `${text}\0`).join(''), 'latin1');
  const run = await store.git(['mktree', '-z', '--batch'], { input, signal });
  const made = run.stdout.toString('latin1').trim();
  return run.ok && made === written.map(({ id }) => id).join('\n') ? root : undefined;
}

function place(parent: Folder | undefined, name: string, id: string | undefined): void {
  if (id !== undefined) parent?.set(name, { mode: '40000', object: id });
  else if (parent?.get(name)?.mode === '40000') parent.delete(name);
}

async function readFolders(
  store: SnapshotStore,
  base: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Folder> | undefined> {
  const input = Buffer.from(paths.map((folder) => `${base}${folder === '' ? '' : `:${folder}`}\n`).join(''), 'latin1');
  const run = await store.git(['cat-file', '--batch'], { input, signal });
  if (!run.ok) return undefined;
  const out = new Map<string, Folder>();
  let at = 0;
  for (const folder of paths) {
    const end = run.stdout.indexOf(0x0a, at);
    if (end < 0) return undefined;
    const line = run.stdout.toString('latin1', at, end);
    at = end + 1;
    const [, type, size] = /^[0-9a-f]{40} (\w+) (\d+)$/u.exec(line) ?? [];
    if (size === undefined) {
      if (!line.endsWith(' missing') || folder === '') return undefined;
      out.set(folder, new Map());
      continue;
    }
    // A file that became a folder has none yet.
    out.set(folder, type === 'tree' ? parseTree(run.stdout.subarray(at, at + Number(size))) : new Map());
    at += Number(size) + 1;
  }
  return out;
}

/** `MODE NAME\0` and twenty bytes of an id, again and again. */
function parseTree(bytes: Buffer): Folder {
  const folder: Folder = new Map();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
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

function idOf(folder: Folder): string {
  const body = Buffer.concat(
    sorted(folder).map(([name, { mode, object }]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(object, 'hex')]),
    ),
  );
  return createHash('sha1').update(`tree ${body.length}\0`).update(body).digest('hex');
}

function textOf(folder: Folder): string {
  return sorted(folder)
    .map(([name, { mode, object }]) => `${mode.padStart(6, '0')} ${mode === '40000' ? 'tree' : 'blob'} ${object}\t${name}\0`)
    .join('');
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

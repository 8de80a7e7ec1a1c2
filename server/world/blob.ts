/** The content of a file in a snapshot, bounded. */
import { isPlain } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { sidesOf } from './tree-diff.ts';

export type Blob =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: 'large' | 'missing'; readonly size: number };

export const mostShown = 16 * 1024 * 1024;

/** By its id, or `TREE:PATH`. */
export async function blobOf(store: SnapshotStore, object: string, most = mostShown): Promise<Blob> {
  const blob = (await store.objects.ask([object], most))?.[0];
  if (blob?.type !== 'blob') return { ok: false, reason: 'missing', size: 0 };
  return blob.content === null ? { ok: false, reason: 'large', size: blob.size } : { ok: true, bytes: blob.content };
}

/** What a path of a tree holds; undefined: there is no file. */
export async function blobAt(store: SnapshotStore, tree: string, raw: RawPath): Promise<Blob | undefined> {
  if (isPlain(raw) && !raw.includes('\n')) {
    const blob = await blobOf(store, `${tree}:${raw}`);
    return blob.ok || blob.reason === 'large' ? blob : undefined;
  }
  const side = (await sidesOf(store, tree, [raw])).get(raw);
  return side === undefined ? undefined : blobOf(store, side.object);
}

/** Not text for an editor: a NUL in its first 8,000 bytes, as git tells it. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** Objects that are asked for at once, and the bytes of one from which on it is left away. */
const someObjects = 200;
const someBytes = 1024 * 1024;

/** Many at once, by their ids. One that is missing or large is left away: ask for each of them. */
export async function blobsOf(store: SnapshotStore, objects: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const out = new Map<string, Buffer>();
  const wanted = [...new Set(objects)];
  for (let from = 0; from < wanted.length; from += someObjects)
    for (const blob of (await store.objects.ask(wanted.slice(from, from + someObjects), someBytes)) ?? [])
      if (blob?.type === 'blob' && blob.content !== null) out.set(blob.id, blob.content);
  return out;
}

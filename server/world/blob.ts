/** The content of a file in a snapshot, bounded. */
import type { SnapshotStore } from './snapshot-store.ts';

export type Blob =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: 'large' | 'missing'; readonly size: number };

export const mostShown = 16 * 1024 * 1024;

export async function blobOf(store: SnapshotStore, object: string, most = mostShown): Promise<Blob> {
  const size = await store.git(['cat-file', '-s', object]);
  if (!size.ok) return { ok: false, reason: 'missing', size: 0 };
  const bytes = Number(size.stdout.toString('latin1'));
  if (bytes > most) return { ok: false, reason: 'large', size: bytes };
  const run = await store.git(['cat-file', 'blob', object], { most: bytes + 1024 });
  return run.ok ? { ok: true, bytes: run.stdout } : { ok: false, reason: 'missing', size: bytes };
}

/** Not text for an editor: a NUL in its first 8,000 bytes, as git tells it. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** Objects that one run of git gives. */
const someObjects = 200;
const someBytes = 256 * 1024 * 1024;

/** Many at once, by their ids. One that is missing is left away, and so are all of a run that had too much to give: ask for each of those. */
export async function blobsOf(store: SnapshotStore, objects: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const out = new Map<string, Buffer>();
  const wanted = [...new Set(objects)];
  for (let from = 0; from < wanted.length; from += someObjects) {
    const some = wanted.slice(from, from + someObjects);
    const input = Buffer.from(`${some.join('\n')}\n`, 'latin1');
    const run = await store.git(['cat-file', '--batch'], { input, most: someBytes });
    if (!run.ok) continue;
    // Each is a line "ID blob SIZE", its bytes, a newline; or a line "ID missing".
    for (let at = 0; at < run.stdout.length;) {
      const end = run.stdout.indexOf(0x0a, at);
      const [object = '', type, size = ''] = run.stdout.toString('latin1', at, end).split(' ');
      at = end + 1;
      if (type !== 'blob') continue;
      out.set(object, run.stdout.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
  }
  return out;
}

/**
 * Which trees of a store are kept: each kept snapshot has a ref of its own, so that packing and pruning, which are Loom's own and never the
 * person's, take only what no kept snapshot needs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeFolders } from './loose-object.ts';
import { idsOf } from './pack-list.ts';
import { packsIn } from './pack.ts';
import { clearHalf } from './store-files.ts';
import { setHead, setRef } from './refs.ts';
import type { SnapshotStore } from './snapshot-store.ts';

const refOf = (number: number): string => `refs/loom/${number}`;

/** Each of these snapshots has that tree. */
export async function hold(store: SnapshotStore, numbers: readonly number[], tree: string): Promise<void> {
  if (store.isPlain) {
    for (const number of numbers) setRef(store, refOf(number), tree);
    return;
  }
  const input = Buffer.from(numbers.map((number) => `update ${refOf(number)}\0${tree}\0\0`).join(''), 'latin1');
  const run = await store.git(['update-ref', '-z', '--stdin'], { input });
  if (!run.ok) throw new Error(`a snapshot could not be kept: ${run.stderr.trim().slice(0, 300)}`);
}

export async function letGo(store: SnapshotStore, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  const input = Buffer.from(numbers.map((number) => `delete ${refOf(number)}\0\0`).join(''), 'latin1');
  const run = await store.git(['update-ref', '-z', '--stdin'], { input });
  if (!run.ok) throw new Error(`snapshots could not be let go: ${run.stderr.trim().slice(0, 300)}`);
}

/** Numbers of the snapshots that the store keeps. */
export async function held(store: SnapshotStore): Promise<ReadonlySet<number>> {
  const run = await store.git(['for-each-ref', '--format=%(refname)', 'refs/loom/']);
  return new Set(
    run.stdout
      .toString('latin1')
      .split('\n')
      .flatMap((name) => (/^refs\/loom\/\d+$/u.test(name) ? [Number(name.slice(10))] : [])),
  );
}

/** Packs what is loose, and drops nothing: snapshots may be taken meanwhile. */
export async function packLoose(store: SnapshotStore, signal?: AbortSignal): Promise<void> {
  await store.git(['repack', '-d', '-q', '--window=10', '--threads=1'], { timeoutMs: 30 * 60_000, signal });
  makeFolders(store.folder);
}

/**
 * The small packs, which snapshots leave one by one, become one: git has few to look into. They go once that one is on the disk, and whoever
 * reads one of them meanwhile finds its objects there. Drops nothing. Only of plain stores, in the worktree's lane, and where files that are
 * open can be deleted.
 */
export async function packSmall(store: SnapshotStore, signal?: AbortSignal): Promise<void> {
  const folder = packsIn(store.folder);
  const small = smallIn(folder);
  if ((await becomeOne(store, folder, small, signal)) || signal?.aborted === true) return;
  // A damaged one stays as it is, and does not keep the others from it.
  const damaged = await damagedOf(store, folder, small, signal);
  const whole = small.filter((name) => !damaged.has(name));
  if (damaged.size > 0 && whole.length > 1) await becomeOne(store, folder, whole, signal);
}

/** `small`: names without their ends. Did they? If not, all of them stay. */
async function becomeOne(
  store: SnapshotStore,
  folder: string,
  small: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const ids = new Set(small.flatMap((name) => idsOf(fs.readFileSync(path.join(folder, `${name}.idx`)))));
  const packed = await store.git(
    ['pack-objects', '-q', '--window=10', '--threads=1', '--delta-base-offset', path.join(folder, 'pack')],
    { input: Buffer.from([...ids].map((id) => `${id}\n`).join(''), 'latin1'), signal, timeoutMs: 30 * 60_000 },
  );
  // On a full disk, or broken off by a snapshot each time, they would come to much.
  if (!packed.ok) clearHalf(folder);
  const made = `pack-${packed.stdout.toString('latin1').trim()}`;
  const list = path.join(folder, `${made}.idx`);
  if (!packed.ok || !fs.existsSync(list) || !fs.existsSync(path.join(folder, `${made}.pack`))) return false;
  const has = new Set(idsOf(fs.readFileSync(list)));
  if ([...ids].some((id) => !has.has(id))) return false;
  // It would keep the old ones open.
  store.objects.close();
  // The pack first: a list without one is nothing, and neither is what newer versions of git keep beside it.
  for (const end of ['pack', 'idx', 'rev'])
    for (const name of small) if (name !== made) fs.rmSync(path.join(folder, `${name}.${end}`), { force: true });
  return true;
}

async function damagedOf(
  store: SnapshotStore,
  folder: string,
  small: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const files = small.map((name) => path.join(folder, `${name}.idx`));
  const { stdout } = await store.git(['verify-pack', '-s', ...files], { signal, timeoutMs: 30 * 60_000 });
  const lines = new Set(stdout.toString('utf8').split('\n'));
  return new Set(small.filter((name) => lines.has(`${path.join(folder, name)}.pack: bad`)));
}

const smallPack = 2 * 1024 * 1024;

/** Names without their ends. */
function smallIn(folder: string): readonly string[] {
  const names = new Set(fs.readdirSync(folder));
  return [...names]
    .filter((name) => /^pack-[0-9a-f]{40,64}\.pack$/u.test(name))
    .map((name) => name.slice(0, -'.pack'.length))
    .filter((name) => names.has(`${name}.idx`) && fs.statSync(path.join(folder, `${name}.pack`)).size < smallPack);
}

/** Packs what is loose and drops what nothing keeps. What the index stands for stays: the next snapshot builds on it. */
export async function compact(store: SnapshotStore, signal?: AbortSignal): Promise<void> {
  // What is about to be dropped is not read any more; Windows deletes no file that a process has open.
  store.objects.close();
  if (store.isPlain) {
    // The commit that the index is compared with would keep its tree.
    store.isWarm = false;
    setHead(store, null);
  }
  await store.git(['pack-refs', '--all', '--prune'], { signal });
  // The index keeps its objects: `repack` and `prune` look at it too.
  const bounds = { timeoutMs: 30 * 60_000, signal };
  const packed = await store.git(['repack', '-a', '-d', '-q', '--window=10', '--threads=1'], bounds);
  if (packed.ok) await store.git(['prune', '--expire=now'], bounds);
  makeFolders(store.folder);
  store.objects.close();
}

export interface StoreSize {
  /** On the disk, all of it. */
  readonly bytes: number;
  /** Objects that are not packed yet. */
  readonly loose: number;
  readonly packs: number;
  /** Those of them that `packSmall` makes one. */
  readonly small: number;
  /** Of the largest pack. */
  readonly packed: number;
  /** Of objects that are in no pack, and of all other packs. */
  readonly beside: number;
}

export function sizeOf(store: SnapshotStore): StoreSize {
  let bytes = 0;
  let loose = 0;
  let looseBytes = 0;
  const packs: number[] = [];
  const folders = [store.folder];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(file);
      else {
        const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
        bytes += size;
        if (entry.name.endsWith('.pack')) packs.push(size);
        if (!/^[0-9a-f]{38,62}$/u.test(entry.name)) continue;
        loose++;
        looseBytes += size;
      }
    }
  const packed = Math.max(0, ...packs);
  const small = packs.filter((size) => size < smallPack).length;
  return {
    bytes,
    loose,
    packs: packs.length,
    small,
    packed,
    beside: looseBytes + packs.reduce((sum, size) => sum + size, 0) - packed,
  };
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

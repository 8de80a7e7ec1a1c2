/**
 * Takes a snapshot: the worktree's files as a tree in Loom's own store. One pass of git over the worktree says what differs from the
 * store's index (`listing.ts`); only that is read. What is left out (too large, nested repositories, files that change
 * while they are read) is named, never silently missing: a tree with something left out says so.
 */
import fs from 'node:fs';
import { readTrees } from './edit-tree.ts';
import { quickTake, settle } from './quick-take.ts';
import { differences } from './listing.ts';
import { fileOf, isPlain, listBytes, rawList, shown } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { GitEnd } from './git.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Worktree } from './worktree.ts';

export interface TakeBudget {
  /** Bytes of one file; a larger one is left out. */
  readonly file: number;
  /** Bytes that one snapshot may read. */
  readonly total: number;
  readonly files: number;
  readonly ms: number;
}
export const takeBudget: TakeBudget = { file: 32 * 1024 * 1024, total: 4 * 1024 * 1024 * 1024, files: 200_000, ms: 10 * 60_000 };

export type LeftOutReason = 'large' | 'nested' | 'changing' | 'unreadable' | 'special' | 'budget';
export interface LeftOut {
  /** For people; `rawFrom` gives git's name. */
  readonly path: string;
  readonly reason: LeftOutReason;
  readonly bytes?: number;
}
export interface Taken {
  /** Object id of the tree. */
  readonly tree: string;
  /** Files that were read anew or are gone since the snapshot before. */
  readonly changed: number;
  /** At most `mostNamed`, and how many there were. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutTotal: number;
}
export type TakeFailure = { readonly failed: string };

export interface TakeOptions {
  readonly budget?: TakeBudget;
  /** Milliseconds that only rise. */
  readonly elapsed: () => number;
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

const mostNamed = 200;
const chunkFiles = 500;
const chunkBytes = 64 * 1024 * 1024;

interface Facts {
  readonly size: number;
  readonly mtime: bigint;
  readonly inode: bigint;
  readonly mode: '100644' | '100755' | 'link';
}

function isSame(facts: Facts, now: ReturnType<typeof factsOf>): boolean {
  return (
    typeof now === 'object' &&
    now.size === facts.size &&
    now.mtime === facts.mtime &&
    now.inode === facts.inode &&
    now.mode === facts.mode
  );
}

export async function take(store: SnapshotStore, worktree: Worktree, options: TakeOptions): Promise<Taken | TakeFailure> {
  const taken = await attempt(store, worktree, options);
  if (!('failed' in taken) || taken.retry !== true || options.signal?.aborted === true) return taken;
  // The index names objects that the store has lost: everything is read anew.
  store.dropIndex();
  return attempt(store, worktree, options);
}

async function attempt(
  store: SnapshotStore,
  worktree: Worktree,
  options: TakeOptions,
): Promise<Taken | (TakeFailure & { readonly retry?: true })> {
  const { signal } = options;
  // Git is to look at the worktree before anything else is begun.
  await settle(store);
  const budget = options.budget ?? takeBudget;
  const began = options.elapsed();
  const left = new LeftOuts();
  const listing = differences(store, worktree, signal);
  // Started while git looks at the worktree.
  store.objects.warm();
  if (store.newest !== null) void readTrees(store, [store.newest]);
  const [changes, ignored] = await Promise.all([listing, trackedThoughIgnored(store, worktree)]);
  if (!(changes instanceof Map)) return failed(changes, 'The worktree could not be listed');
  for (const raw of ignored) if (!changes.has(raw)) changes.set(raw, false);

  const added: { readonly raw: RawPath; readonly facts: Facts }[] = [];
  const removed: RawPath[] = [];
  for (const [raw, isHeld] of changes) {
    if (raw.endsWith('/')) left.add(raw.slice(0, -1), 'nested');
    else if (isPlain(raw)) {
      const facts = factsOf(worktree.root, raw);
      if (facts !== undefined && typeof facts !== 'string' && facts.size <= budget.file) added.push({ raw, facts });
      else {
        if (typeof facts === 'string') left.add(raw, facts);
        else if (facts !== undefined) left.add(raw, 'large', facts.size);
        if (isHeld) removed.push(raw);
      }
    }
  }

  if (added.length + removed.length > 0 && fits(added, budget)) {
    const rests = (): boolean => added.every(({ raw, facts }) => isSame(facts, factsOf(worktree.root, raw)));
    const quick = added.map(({ raw, facts }) => ({ raw, mode: facts.mode, size: facts.size }));
    const tree = await quickTake(store, worktree, quick, removed, rests, signal);
    if (tree !== undefined)
      return { tree, changed: added.length + removed.length, leftOut: left.named, leftOutTotal: left.total };
  }
  if (removed.length > 0) {
    const gone = await store.git(['update-index', '-z', '--force-remove', '--stdin'], {
      worktree,
      signal,
      input: listBytes(removed),
    });
    if (!gone.ok) return failed(gone, 'Removed files could not be taken out of the index');
  }
  let bytes = 0;
  let done = 0;
  for (let from = 0; from < added.length;) {
    if (signal?.aborted === true) return { failed: 'The snapshot was cancelled.' };
    const chunk: (typeof added)[number][] = [];
    let size = 0;
    while (from < added.length && chunk.length < chunkFiles && size < chunkBytes) {
      const one = added[from++];
      if (one === undefined) break;
      if (bytes + one.facts.size > budget.total || done + chunk.length >= budget.files || options.elapsed() - began > budget.ms) {
        left.add(one.raw, 'budget', one.facts.size);
        continue;
      }
      chunk.push(one);
      size += one.facts.size;
      bytes += one.facts.size;
    }
    const failure = await addAll(store, worktree, chunk, left, signal);
    if (failure !== undefined) return failure;
    done += chunk.length;
    options.onProgress?.(done, added.length);
  }
  if (store.newest !== null && added.length + removed.length === 0)
    return { tree: store.newest, changed: 0, leftOut: left.named, leftOutTotal: left.total };
  const tree = await store.git(['write-tree'], { worktree, signal });
  if (!tree.ok)
    return {
      ...failed(tree, 'The tree could not be written'),
      ...(tree.failure === 'failed' && !isFull(tree.stderr) ? { retry: true } : {}),
    };
  store.newest = tree.stdout.toString('latin1').trim();
  store.unseen += added.length;
  store.drift += added.length + removed.length;
  return { tree: store.newest, changed: added.length + removed.length, leftOut: left.named, leftOutTotal: left.total };
}

/** Few enough that no budget is met on the way. */
function fits(added: readonly { readonly facts: Facts }[], budget: TakeBudget): boolean {
  const bytes = added.reduce((sum, { facts }) => sum + facts.size, 0);
  return added.length <= budget.files && bytes <= Math.min(chunkBytes, budget.total);
}

class LeftOuts {
  readonly named: LeftOut[] = [];
  readonly #paths = new Set<RawPath>();
  get total(): number {
    return this.#paths.size;
  }
  add(raw: RawPath, reason: LeftOutReason, bytes?: number): void {
    if (this.#paths.has(raw)) return;
    this.#paths.add(raw);
    if (this.named.length < mostNamed) this.named.push({ path: shown(raw), reason, ...(bytes === undefined ? {} : { bytes }) });
  }
}

/** What the person tracks although a pattern ignores it: `--others` does not list it while our index has it not. */
async function trackedThoughIgnored(store: SnapshotStore, worktree: Worktree): Promise<readonly RawPath[]> {
  const stamp = stampOf(worktree.index);
  const known = store.ignored.get(worktree.index);
  if (stamp === undefined) return [];
  if (known?.stamp === stamp) return known.paths.filter((raw) => !known.held.has(raw));
  const run = await store.asPerson(['ls-files', '-z', '--cached', '--ignored', '--exclude-standard', '--full-name'], worktree);
  const paths = run.ok ? rawList(run.stdout).filter((raw) => isPlain(raw)) : [];
  // Once they stand in our index they are found changed like all others.
  store.ignored.set(worktree.index, { stamp, paths, held: new Set(paths) });
  return paths;
}

function stampOf(file: string): string | undefined {
  try {
    const { mtimeNs, size } = fs.statSync(file, { bigint: true });
    return `${mtimeNs}:${size}`;
  } catch {
    return undefined;
  }
}

/** undefined: it is gone. */
function factsOf(root: string, raw: RawPath): Facts | 'special' | 'unreadable' | 'nested' | undefined {
  const file = fileOf(root, raw);
  try {
    const stat = fs.lstatSync(file, { bigint: true });
    if (stat.isDirectory()) return undefined;
    const facts = { size: Number(stat.size), mtime: stat.mtimeNs, inode: stat.ino };
    if (stat.isSymbolicLink()) return { ...facts, mode: 'link' };
    if (!stat.isFile()) return 'special';
    fs.accessSync(file, fs.constants.R_OK);
    return { ...facts, mode: (stat.mode & 0o100n) === 0n ? '100644' : '100755' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unreadable';
  }
}

const attempts = 3;

/** Files that changed while they were read are read again; one that never rests is left out, so that no torn content is kept. */
async function addAll(
  store: SnapshotStore,
  worktree: Worktree,
  chunk: readonly { readonly raw: RawPath; readonly facts: Facts }[],
  left: LeftOuts,
  signal: AbortSignal | undefined,
): Promise<TakeFailure | undefined> {
  let waiting = chunk;
  for (let round = 0; waiting.length > 0 && round < attempts; round++) {
    if (round > 0) await new Promise((resolve) => setTimeout(resolve, 40 * round));
    const run = await store.git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
      worktree,
      signal,
      input: listBytes(waiting.map(({ raw }) => raw)),
      timeoutMs: 10 * 60_000,
    });
    if (!run.ok) {
      if (run.failure !== 'failed' || isFull(run.stderr)) return failed(run, 'Files could not be stored');
      if (waiting.length === 1) {
        left.add(waiting[0]?.raw ?? '', 'unreadable');
        return undefined;
      }
      // One of them stops the others: each half by itself.
      const half = Math.ceil(waiting.length / 2);
      return (
        (await addAll(store, worktree, waiting.slice(0, half), left, signal)) ??
        addAll(store, worktree, waiting.slice(half), left, signal)
      );
    }
    waiting = waiting.flatMap(({ raw, facts }) => {
      const now = factsOf(worktree.root, raw);
      if (now === undefined || typeof now === 'string') return now === undefined ? [] : [{ raw, facts }];
      return isSame(facts, now) ? [] : [{ raw, facts: now }];
    });
  }
  if (waiting.length === 0) return undefined;
  for (const { raw } of waiting) left.add(raw, 'changing');
  const gone = await store.git(['update-index', '-z', '--force-remove', '--stdin'], {
    worktree,
    input: listBytes(waiting.map(({ raw }) => raw)),
  });
  return gone.ok ? undefined : failed(gone, 'Changing files could not be taken out of the index');
}

function isFull(stderr: string): boolean {
  return /No space left|Disk quota/iu.test(stderr);
}

function failed(run: GitEnd, what: string): TakeFailure {
  const why =
    run.failure === 'missing'
      ? 'the git program was not found'
      : run.failure === 'slow'
        ? 'git took too long'
        : run.failure === 'ended'
          ? 'it was cancelled'
          : run.failure === 'large'
            ? 'git had too much to say'
            : isFull(run.stderr)
              ? 'the disk is full'
              : (run.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '');
  return { failed: `${what}: ${why}.` };
}

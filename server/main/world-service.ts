/**
 * The world part of the service: snapshots of worktrees, taken by themselves around turns and when they are asked for, what each turn of a
 * thread did, and restores. Only the owner of the ledger has one that writes; in a ledger of another version there are none.
 */
import type { Committed } from '../ingest/commit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { findThread } from '../ledger/lookup.ts';
import type { SnapshotRow } from '../ledger/snapshots-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { newestEntries } from '../ledger/transcript.ts';
import { Fault } from '../protocol/faults.ts';
import type { FaultId } from '../protocol/faults.ts';
import type {
  DiffResult,
  RestoreParams,
  SnapshotContent,
  SnapshotView,
  ThreadChanges,
  WorldRestoreResult,
} from '../protocol/world.ts';
import { shown } from '../world/raw-path.ts';
import type { Snapshots } from '../world/snapshots.ts';
import { changesOf } from '../world/turn-changes.ts';
import { boundaryAt } from '../world/turn-boundary.ts';
import { freshMs, TurnWatch } from '../world/turn-watch.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { SnapshotKeeper } from './snapshot-keeper.ts';
import { snapshotView } from './snapshot-view.ts';
import { folderOf, ThreadChangesReader } from './thread-changes.ts';
import { harnessAndId } from './thread-view.ts';
import type { Holders } from './thread-view.ts';
import { driversIn } from './worktree-drivers.ts';

export interface WorldServiceOptions {
  readonly ledger: Ledger;
  /** Absent: there can be none in this ledger. */
  readonly snapshots: Snapshots | undefined;
  /** Takes them by itself. */
  readonly automatic: boolean;
  readonly holders: () => Holders;
  /** Harnesses whose processes cannot be seen. */
  readonly unseen: ReadonlySet<HarnessId>;
  /** What is shown of the thread changed. */
  readonly onChanged: (thread: ThreadRow) => void;
  readonly fault: (id: FaultId, detail: string) => void;
  readonly healed: (id: FaultId, about: string) => void;
  readonly onError: (error: unknown) => void;
  readonly log: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A hand-over does not wait longer for its snapshot, which goes on by itself. Milliseconds. */
const handoffMs = 3000;
/** Entries that are looked through for the prompt of a turn that was begun before this process. */
const promptSearch = 400;

export class WorldService {
  readonly #options: WorldServiceOptions;
  readonly #changes: ThreadChangesReader | undefined;
  readonly #keeper: SnapshotKeeper | undefined;
  #watch: TurnWatch | undefined;
  readonly #end = new AbortController();

  constructor(options: WorldServiceOptions) {
    this.#options = options;
    const { ledger, snapshots, now, onError } = options;
    if (snapshots === undefined) return;
    this.#changes = new ThreadChangesReader(ledger, snapshots);
    if (!ledger.readonly) this.#keeper = new SnapshotKeeper({ ledger, snapshots, now, onError });
  }

  /** Begins to take snapshots by itself, and to keep them within bounds. Only for the owner who follows the sources. */
  start(): void {
    const { ledger, snapshots, automatic, now, log, fault, healed, onError } = this.#options;
    if (snapshots === undefined || ledger.readonly || this.#watch !== undefined) return;
    this.#keeper?.start();
    if (!automatic) return;
    this.#watch = new TurnWatch({
      snapshots,
      folderOf: (thread) => folderOf(ledger, thread),
      isChild: (thread, conversation) => isChild(ledger, thread, conversation),
      promptOf: (thread, conversation) => promptOf(ledger, thread, conversation),
      isNew: (root) => isNew(ledger, root),
      onTaken: (rows) => {
        this.#taken(rows).catch(onError);
      },
      onFailed: (_root, failure) => fault(failure.id, failure.detail),
      onHealed: (root) => healed('G002', root),
      onError,
      log,
      now,
    });
    for (const key of this.#options.holders().keys()) {
      const native = ledger.natives.byNativeId(...harnessAndId(key));
      const thread = native === undefined ? undefined : ledger.threads.byNumber(native.thread);
      if (thread !== undefined) this.presence(thread, true);
    }
  }

  /** Snapshots that are under way are broken off; a restore ends first. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watch?.stop();
    await this.#keeper?.stop();
    await this.#options.snapshots?.settled();
  }

  /** Of what an import brings, which is old, no content is looked at. */
  committed({ thread, entries, newestAt }: Pick<Committed, 'thread' | 'entries' | 'newestAt'>): void {
    if (newestAt >= this.#options.now() - freshMs) this.#watch?.committed(thread, entries);
  }

  /** Who holds the thread's session has changed. */
  presence(thread: ThreadRow, isHeld: boolean): void {
    if (isHeld) this.#watch?.met(folderOf(this.#options.ledger, thread), thread);
    else this.#watch?.left(thread);
  }

  /** Before the thread is carried to another harness. Never fails: a hand-over touches no file of the worktree. */
  async beforeHandoff(thread: ThreadRow): Promise<void> {
    const { ledger, snapshots, automatic, onError } = this.#options;
    const folder = folderOf(ledger, thread);
    if (snapshots === undefined || ledger.readonly || !automatic || folder === '') return;
    const { number, current_conversation: conversation } = thread;
    const taken = snapshots.take(folder, { cause: 'handoff', thread: number, conversation }, { signal: this.#end.signal }).then(
      () => undefined,
      (error: unknown) => (error instanceof Fault ? undefined : onError(error)),
    );
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([taken, new Promise<void>((resolve) => (timer = setTimeout(resolve, handoffMs)))]);
    clearTimeout(timer);
  }

  async take(folder: string, baseline = false): Promise<SnapshotView> {
    const snapshots = this.#writable();
    if (baseline) {
      const worktree = await snapshots.worktreeOf(folder);
      const known = 'none' in worktree ? undefined : this.#options.ledger.snapshots?.knownWorktree(worktree.root);
      const newest = known === undefined ? undefined : this.#options.ledger.snapshots?.newestOf(known.number);
      if (newest !== undefined) return this.#view(newest);
    }
    return this.#view(await snapshots.take(folder, { cause: baseline ? 'baseline' : 'asked' }, { signal: this.#end.signal }));
  }

  /** Newest first. */
  async list(thread: string | null, folder: string | null, limit: number): Promise<readonly SnapshotView[]> {
    const { ledger, snapshots } = this.#options;
    const table = ledger.snapshots;
    if (table === undefined) return [];
    let rows: readonly SnapshotRow[];
    if (thread !== null) rows = table.ofThread(findThread(ledger, thread).number).toReversed();
    else if (folder === null) rows = table.newest(limit);
    else {
      const found = await snapshots?.worktreeOf(folder);
      // What is kept of a worktree that is gone can still be listed, by its root.
      const root = found === undefined || 'none' in found ? folder : found.root;
      const worktree = table.knownWorktree(root);
      if (worktree === undefined && found !== undefined && 'none' in found) throw new Fault('G001', found.text);
      rows = worktree === undefined ? [] : table.ofWorktree(worktree.number, -1);
    }
    const worktree = folder === null || thread === null ? undefined : await this.#rootOf(folder);
    return rows
      .filter((row) => row.pruned === 0 && (worktree === undefined || table.worktree(row.worktree)?.root === worktree))
      .slice(0, Math.max(0, limit))
      .map((row) => this.#view(row));
  }

  async diff(before: number, after: number | null): Promise<DiffResult> {
    const snapshots = this.#readable();
    const { row, worktree } = snapshots.snapshot(before);
    const other = after ?? (await this.#writable().current(worktree.root, { cause: 'asked' })).number;
    const { files, filesTotal } = changesOf(await snapshots.diff(before, other), () => 'unclear');
    return { before: this.#view(row), after: this.#view(snapshots.snapshot(other).row), files, filesTotal };
  }

  async content(snapshot: number, file: string): Promise<SnapshotContent> {
    const content = await this.#readable().content(snapshot, file);
    return content.ok ? { ok: true, base64: content.bytes.toString('base64'), binary: content.binary } : content;
  }

  async changes(thread: string): Promise<ThreadChanges> {
    const row = findThread(this.#options.ledger, thread);
    if (this.#changes !== undefined) return this.#changes.of(row);
    const reason = 'The ledger was written by another version of Loom: there are no snapshots in it.';
    return { thread: row.id, worktree: null, reason, turns: [], files: 0, added: 0, removed: 0 };
  }

  /** Throws `Fault` G003 when an agent is at work in the worktree, and what `Snapshots.restore` throws. */
  async restore(params: RestoreParams): Promise<WorldRestoreResult> {
    const { ledger, holders, unseen, now } = this.#options;
    const snapshots = this.#writable();
    const thread = params.thread === null ? undefined : findThread(ledger, params.thread);
    const { worktree } = snapshots.snapshot(params.before);
    if (params.hunk !== null && params.paths?.length !== 1) throw new Error('a part of a file is of one path');
    if (!params.dryRun && !params.force) {
      const drivers = await driversIn(worktree.root, ledger, holders(), snapshots, unseen, now());
      if (drivers.length > 0) throw new Fault('G003', drivers.join('; '));
    }
    const { files, safety, done } = await snapshots.restore(params.before, params.after, {
      paths: params.paths,
      hunk: params.hunk,
      dryRun: params.dryRun,
      overwrite: params.overwrite,
      thread: thread?.number,
    });
    return {
      steps: files.map(({ raw, action, note }) => ({ path: shown(raw), action, note })),
      undo: done === null ? null : { before: safety.number, after: done.number },
    };
  }

  /** What the thread did in all is shown in the list. */
  async #taken(rows: readonly SnapshotRow[]): Promise<void> {
    const { ledger, onChanged } = this.#options;
    this.#keeper?.soon();
    for (const number of new Set(rows.flatMap(({ cause, thread }) => (cause === 'turnEnd' && thread !== null ? [thread] : [])))) {
      const thread = ledger.threads.byNumber(number);
      const changes = thread === undefined ? undefined : await this.#changes?.of(thread);
      if (changes === undefined) continue;
      const { files, added, removed } = changes;
      const known = ledger.snapshots?.totalsOf(number);
      if (known?.files === files && known.added === added && known.removed === removed) continue;
      ledger.snapshots?.putTotals(number, { files, added, removed });
      const shownAnew = ledger.threads.byNumber(number);
      if (shownAnew !== undefined) onChanged(shownAnew);
    }
  }

  async #rootOf(folder: string): Promise<string> {
    const found = await this.#options.snapshots?.worktreeOf(folder);
    return found === undefined || 'none' in found ? folder : found.root;
  }

  #view(row: SnapshotRow): SnapshotView {
    return snapshotView(this.#options.ledger, row);
  }

  #readable(): Snapshots {
    const { snapshots } = this.#options;
    if (snapshots === undefined) throw new Fault('G001', 'The ledger was written by another version of Loom.');
    return snapshots;
  }

  #writable(): Snapshots {
    const { ledger } = this.#options;
    if (ledger.readonly) throw new Fault('L003', ledger.folder);
    return this.#readable();
  }
}

function isChild(ledger: Ledger, thread: ThreadRow, conversation: number): boolean {
  const branch = ledger.branches.get(thread.session, conversation);
  return branch !== undefined && ledger.natives.byNumber(branch.native)?.child_of !== null && thread.child === 0;
}

function isNew(ledger: Ledger, root: string): boolean {
  const worktree = ledger.snapshots?.knownWorktree(root);
  return worktree === undefined || ledger.snapshots?.newestOf(worktree.number) === undefined;
}

async function promptOf(ledger: Ledger, thread: ThreadRow, conversation: number): Promise<number | undefined> {
  const { entries } = await newestEntries(ledger, thread.session, conversation, promptSearch);
  return entries.findLast((entry) => boundaryAt(entry) === 'prompt')?.id;
}

/**
 * Takes snapshots by itself: when a turn begins and ends in a live thread, and when a worktree is met for the first time. It hears of
 * entries once they are durable and keeps nobody waiting; only what was said just now counts, never what an import brings. What is asked
 * for of one worktree while a snapshot is on its way there is one more snapshot. A worktree that failed is told of once and left
 * alone for a minute.
 */
import type { SnapshotRow } from '../ledger/snapshots-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Occasion } from './snapshot-rows.ts';
import type { Snapshots } from './snapshots.ts';
import { boundaryAt, isInherited } from './turn-boundary.ts';

export interface TurnWatchOptions {
  readonly snapshots: Snapshots;
  /** The folder that the thread's agent works in now; '': unknown. */
  readonly folderOf: (thread: ThreadRow) => string;
  /** Is the conversation one of a subagent? Its turns are parts of another one. */
  readonly isChild: (thread: ThreadRow, conversation: number) => boolean;
  /** The newest prompt in the conversation; undefined: there is none near. */
  readonly promptOf: (thread: ThreadRow, conversation: number) => Promise<number | undefined>;
  /** Is there no snapshot of that worktree yet? */
  readonly isNew: (root: string) => boolean;
  readonly onTaken: (rows: readonly SnapshotRow[]) => void;
  /** Told once until it is healed. `root`: of the worktree. */
  readonly onFailed: (root: string, fault: Fault) => void;
  readonly onHealed: (root: string) => void;
  readonly onError: (error: unknown) => void;
  readonly log: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long a turn's end waits for what may come with it. Milliseconds; absent: 60. */
  readonly endMs?: number;
}

/** Entries that are older are no news. Milliseconds. */
export const freshMs = 2 * 60_000;
const pauseMs = 60_000;
/** The harness says that a turn began, and the prompt follows. Milliseconds. */
const startMs = 150;

/** What is to be kept, and filled in while it waits. */
interface Waiting extends Occasion {
  entry?: number | undefined;
}
interface Site {
  readonly root: string;
  waiting: Waiting[];
  timer: NodeJS.Timeout | undefined;
  dueAt: number;
  running: Promise<void> | undefined;
  /** Not before then, since it failed; 0: it works. */
  pausedUntil: number;
}

export class TurnWatch {
  readonly #options: TurnWatchOptions;
  readonly #sites = new Map<string, Site>();
  /** Folders without a worktree, and until when that is believed. */
  readonly #none = new Map<string, number>();
  /** Prompts of the turns that go on, by thread and conversation. */
  readonly #prompts = new Map<string, number>();
  /** Conversations, by the same keys, whose newest turn has ended: what happens after that is not the turn's. */
  readonly #over = new Set<string>();
  readonly #looking = new Set<Promise<void>>();
  readonly #end = new AbortController();

  constructor(options: TurnWatchOptions) {
    this.#options = options;
  }

  /** Entries of that thread are durable. */
  committed(thread: ThreadRow, entries: readonly LedgerEntry[]): void {
    if (this.#end.signal.aborted) return;
    const from = this.#options.now() - freshMs;
    const fresh = entries.filter((entry) => (entry.content.at ?? 0) >= from && !isInherited(entry));
    if (fresh.length === 0) return;
    const told = fresh.filter(({ conversationId }) => !this.#options.isChild(thread, conversationId));
    const boundaries = told.flatMap((entry) => {
      const boundary = boundaryAt(entry);
      return boundary === undefined ? [] : [{ boundary, conversation: entry.conversationId, id: entry.id }];
    });
    const folder = this.#options.folderOf(thread);
    this.#at(folder, async (site) => {
      for (const entry of told) this.#note(`${thread.number}:${entry.conversationId}`, entry);
      for (const { boundary, conversation, id } of boundaries) {
        const key = `${thread.number}:${conversation}`;
        if (boundary === 'prompt') this.#began(site, thread, conversation, id);
        else if (boundary === 'start') this.#plan(site, { cause: 'turnStart', thread: thread.number, conversation }, startMs);
        else {
          const entry = this.#prompts.get(key) ?? (await this.#options.promptOf(thread, conversation));
          this.#plan(site, { cause: 'turnEnd', thread: thread.number, conversation, entry }, this.#options.endMs ?? 60);
        }
      }
      if (boundaries.length === 0) this.#first(site, thread.number);
    });
  }

  /** A thread's program went away, whatever its turn was at. A turn that had ended keeps its end. */
  left(thread: ThreadRow): void {
    const folder = this.#options.folderOf(thread);
    const { current_conversation: conversation, number } = thread;
    if (this.#end.signal.aborted || conversation === 0 || thread.updated_at < this.#options.now() - freshMs) return;
    this.#at(folder, async (site) => {
      if (this.#over.has(`${number}:${conversation}`)) return;
      const entry = this.#prompts.get(`${number}:${conversation}`) ?? (await this.#options.promptOf(thread, conversation));
      this.#plan(site, { cause: 'turnEnd', thread: number, conversation, entry }, this.#options.endMs ?? 60);
    });
  }

  /** A folder that somebody works in was met: there is to be a snapshot to begin with. */
  met(folder: string, thread?: ThreadRow): void {
    this.#at(folder, async (site) => {
      this.#first(site, thread?.number);
      await Promise.resolve();
    });
  }

  /** Everything that waits, now. */
  async flush(): Promise<void> {
    while (this.#looking.size > 0) await Promise.all(this.#looking);
    await Promise.all([...this.#sites.values()].map((site) => this.#run(site)));
  }

  /** A snapshot that is under way is broken off: the next one goes on with what it read. */
  async stop(): Promise<void> {
    this.#end.abort();
    for (const site of this.#sites.values()) clearTimeout(site.timer);
    await Promise.all([...this.#looking, ...[...this.#sites.values()].map(({ running }) => running)]);
  }

  #note(key: string, entry: LedgerEntry): void {
    const boundary = boundaryAt(entry);
    if (boundary === 'end') this.#over.add(key);
    else if (boundary !== undefined || ['assistant', 'tool_result', 'step'].includes(entry.kind)) this.#over.delete(key);
    if (this.#over.size > 1000) for (const oldest of this.#over) if (this.#over.delete(oldest)) break;
  }

  #began(site: Site, thread: ThreadRow, conversation: number, entry: number): void {
    this.#prompts.set(`${thread.number}:${conversation}`, entry);
    if (this.#prompts.size > 1000) for (const oldest of this.#prompts.keys()) if (this.#prompts.delete(oldest)) break;
    // The harness has told of the turn already.
    const told = site.waiting.find(
      (one) =>
        one.cause === 'turnStart' && one.thread === thread.number && one.conversation === conversation && one.entry === undefined,
    );
    if (told === undefined) this.#plan(site, { cause: 'turnStart', thread: thread.number, conversation, entry }, 0);
    else {
      told.entry = entry;
      this.#due(site, 0);
    }
  }

  #first(site: Site, thread: number | undefined): void {
    const { isNew } = this.#options;
    if (site.waiting.length > 0 || site.running !== undefined || !isNew(site.root)) return;
    this.#plan(site, { cause: 'baseline', thread }, 0);
  }

  #plan(site: Site, waiting: Waiting, ms: number): void {
    if (this.#end.signal.aborted) return;
    const same = (one: Waiting): boolean =>
      one.cause === waiting.cause &&
      one.thread === waiting.thread &&
      one.conversation === waiting.conversation &&
      one.entry === waiting.entry;
    if (!site.waiting.some(same)) site.waiting.push(waiting);
    this.#due(site, ms);
  }

  #due(site: Site, ms: number): void {
    const { now } = this.#options;
    const at = now() + ms;
    // While one is taken the next one waits for its end.
    if (site.running !== undefined || (site.timer !== undefined && site.dueAt <= at)) return;
    clearTimeout(site.timer);
    site.dueAt = at;
    site.timer = setTimeout(() => void this.#run(site), ms);
    site.timer.unref();
  }

  async #run(site: Site): Promise<void> {
    clearTimeout(site.timer);
    site.timer = undefined;
    while (site.running !== undefined) await site.running;
    if (this.#end.signal.aborted || site.waiting.length === 0) return;
    site.running = this.#take(site).finally(() => {
      site.running = undefined;
    });
    await site.running;
    if (site.waiting.length > 0) this.#due(site, 0);
  }

  async #take(site: Site): Promise<void> {
    const { snapshots, isNew, now, log, onTaken, onFailed, onHealed, onError } = this.#options;
    const mine = site.waiting;
    site.waiting = [];
    if (site.pausedUntil > now()) return;
    const began = now();
    const isFirst = isNew(site.root);
    if (isFirst) log(`taking the first snapshot of ${site.root}`);
    try {
      const rows = await snapshots.takeFor(site.root, () => mine, { signal: this.#end.signal });
      if (isFirst) log(`took the first snapshot of ${site.root} in ${now() - began} ms`);
      if (site.pausedUntil !== 0) onHealed(site.root);
      site.pausedUntil = 0;
      onTaken(rows);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      if (!(error instanceof Fault)) return onError(error);
      if (site.pausedUntil === 0) onFailed(site.root, error);
      site.pausedUntil = now() + pauseMs;
    }
  }

  /** Once it is known which worktree the folder is in; nothing where there is none. In the order of the calls. */
  #at(folder: string, work: (site: Site) => Promise<void>): void {
    const { now, onError } = this.#options;
    if (this.#end.signal.aborted || folder === '' || (this.#none.get(folder) ?? 0) > now()) return;
    const before = [...this.#looking].at(-1) ?? Promise.resolve();
    const look = async (): Promise<void> => {
      await before;
      try {
        const site = await this.#site(folder);
        if (site !== undefined) await work(site);
      } catch (error) {
        onError(error);
      }
    };
    const mine = look().finally(() => this.#looking.delete(mine));
    this.#looking.add(mine);
  }

  async #site(folder: string): Promise<Site | undefined> {
    const worktree = await this.#options.snapshots.worktreeOf(folder);
    if ('none' in worktree) {
      if (this.#none.size > 1000) this.#none.clear();
      this.#none.set(folder, this.#options.now() + pauseMs);
      return undefined;
    }
    const known = this.#sites.get(worktree.root);
    if (known !== undefined) return known;
    const site: Site = { root: worktree.root, waiting: [], timer: undefined, dueAt: 0, running: undefined, pausedUntil: 0 };
    this.#sites.set(worktree.root, site);
    return site;
  }
}

/**
 * Reads what is new in all sources of all shuttles: a full pass scans the roots, reads newest files first in slices (so that the
 * newest threads are listed at once and one huge file keeps nobody waiting), parents before what was forked from them.
 * Only the ledger's owner runs it; passes never overlap. Never writes below a harness's folder and takes none of its locks.
 */
import type { GroupLimits } from '../ledger/commit-group.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { IngestReport } from '../protocol/requests.ts';
import type { ImportProgress } from '../protocol/views.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import { ArchiveBackfill } from './archive-backfill.ts';
import type { Committed } from './commit.ts';
import { ContainerPace } from './container-pace.ts';
import { Containers } from './containers.ts';
import type { Feed } from './feed.ts';
import type { ReadingThread } from './reading-thread.ts';
import { Refresh } from './refresh.ts';
import type { FoundFile, KnownSource } from './scan.ts';
import { SourceReader } from './source-reader.ts';
import type { ReadRequest, ReadSlice } from './source-reader.ts';
import { Sweep } from './sweep.ts';
import type { Look } from './sweep.ts';

export interface IngestOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  /** The clock that files get their times from. It may jump. */
  readonly now: () => number;
  /** Milliseconds from any start, for pauses and costs: never jumps. Absent: the process's own. */
  readonly elapsed?: () => number;
  readonly onCommit: (committed: Committed) => void;
  readonly onProgress: (progress: ImportProgress | null) => void;
  readonly onFault: (id: FaultId, detail: string) => void;
  /** A thread that reads, for bulk work (reading-worker.ts). Absent: this one reads. */
  readonly readingThread?: () => ReadingThread;
  /** New bytes from which on it pays to start that thread. */
  readonly threadFrom?: number;
  /** New files from which on of each a part comes first. */
  readonly manyFrom?: number;
  /** What one transaction holds at most. */
  readonly groups?: GroupLimits;
  /** What a fault was about is well again. */
  readonly onHealed?: (id: FaultId, detail: string) => void;
  /** New records of that file were taken in; `mtimeMs`: when it was written. */
  readonly onGrown?: (path: string, mtimeMs: number) => void;
  /** A source's threads whose rows changed without new entries (gone, moved). */
  readonly onThreadChanged: (thread: number) => void;
}

interface Job {
  readonly file: FoundFile;
  known: KnownSource | undefined;
  readonly moved: boolean;
  done: boolean;
}

const sliceBytes = 8 * 1024 * 1024;
/**
 * Of each of many files a part comes first: so all are listed, and can be opened, before the longest of them is read. One of at most `shortFile`
 * is read to its end then: coming back for little costs more than it.
 */
const firstSliceBytes = 256 * 1024;
const shortFile = 512 * 1024;
const manyFrom = 33;
/** Before that, of the newest, no more than lists their threads: so many, from so many bytes at least, of no more files than that. */
const headThreads = 200;
const headSliceBytes = 16 * 1024;
const headFiles = 400;
/** From so many new bytes on a thread of its own pays for reading them. */
const threadFrom = 2 * 1024 * 1024;
/** What is read before its turn: files, and bytes of what they give first. */
const mostAhead = 12;
const headsAhead = 32;
const aheadBytes = 3 * 1024 * 1024;

export class Ingest {
  readonly #options: IngestOptions;
  readonly #reader: SourceReader;
  readonly #backfill: ArchiveBackfill;
  readonly #pace: ContainerPace;
  readonly #sweep: Sweep;
  readonly #refresh: Refresh;
  readonly #elapsed: () => number;
  #tail: Promise<unknown> = Promise.resolve();
  #waitingPass: Promise<IngestReport> | null = null;
  #stopped = false;
  /** Files that somebody waits for: they come before their turn. */
  readonly #wanted = new Map<string, PromiseWithResolvers<void>>();
  #isPassing = false;
  /** Of the pass that is running. */
  #filesDone = 0;

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#reader = new SourceReader(options);
    this.#backfill = new ArchiveBackfill(options);
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.#pace = new ContainerPace(this.#elapsed);
    this.#sweep = new Sweep(options);
    this.#refresh = new Refresh(options);
  }

  /** One pass over everything. Passes that are asked for while one waits to begin are that one. */
  pass(): Promise<IngestReport> {
    this.#waitingPass ??= this.#serially(() => {
      this.#waitingPass = null;
      return this.#passing({ at: 'all' });
    });
    return this.#waitingPass;
  }

  /** Looks where something may be new: what grew in a folder that was not named is found when the folder has its turn. */
  sweep(look: Look): Promise<IngestReport> {
    return this.#serially(() => this.#passing(look));
  }

  /** Reads one file that is known to have changed, without a scan. false: it is not known yet, a pass is needed. */
  touch(path: string, root: string, shuttle: Shuttle): Promise<boolean> {
    return this.#serially(async () => {
      const known = this.#options.ledger.sources.byPath(path);
      if (known === undefined || known.status === 'ignored' || this.#stopped) return false;
      await this.#touch(path, root, shuttle, known);
      return true;
    });
  }

  /**
   * Somebody looks at that file: as long as a pass is running, a slice of it is read before each one of the others. Resolves when it is
   * read to its end, or no pass is running (any more). Never rejects.
   */
  prefer(path: string): Promise<void> {
    if (!this.#isPassing) return Promise.resolve();
    const waiting = this.#wanted.get(path) ?? Promise.withResolvers<void>();
    this.#wanted.set(path, waiting);
    return waiting.promise;
  }

  /** Archives a part of what waits for it, while nothing is being read. false: nothing is left that could be archived now. */
  archiveSome(): Promise<boolean> {
    return this.#serially(() => this.#backfill.some());
  }

  /** Runs `work` while nothing is being read: for a hand-over, whose rows must not meet those of a pass. */
  quietly<T>(work: () => Promise<T>): Promise<T> {
    return this.#serially(work);
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work, work);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Ends after the commit that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#tail;
  }

  async #touch(path: string, root: string, shuttle: Shuttle, known: KnownSource): Promise<IngestReport> {
    const report = emptyReport();
    let slice: ReadSlice | undefined;
    do {
      slice = await this.#reader.read(
        { path, root, shuttle, known: this.#options.ledger.sources.byPath(path) ?? known },
        sliceBytes,
      );
      addSlice(report, slice);
      if (slice.kind === 'read') this.#refresh.follow(shuttle, path);
      if (slice.kind === 'read' && slice.records > 0) this.#options.onGrown?.(path, this.#options.now());
    } while (slice.kind === 'read' && slice.more && !this.#stopped);
    this.#reader.flush();
    return report;
  }

  async #passing(look: Look): Promise<IngestReport> {
    // What was asked for behind the end has no ledger any more.
    if (this.#stopped) return emptyReport();
    this.#isPassing = true;
    try {
      return await this.#pass(look);
    } finally {
      this.#isPassing = false;
      for (const { resolve } of this.#wanted.values()) resolve();
      this.#wanted.clear();
    }
  }

  async #pass(look: Look): Promise<IngestReport> {
    const { ledger, onProgress } = this.#options;
    const started = this.#elapsed();
    const report = emptyReport();
    using containers = new Containers({ ...this.#options, pace: this.#pace, asked: look.at === 'all' });
    const { changed, gone, files } = await this.#sweep.run(look, containers);
    report.sources = files;
    this.#markGone(gone);
    const jobs: Job[] = changed.map(({ file, known, moved }) => ({ file, known, moved, done: false }));
    const byName = new Map<string, Job>();
    for (const job of jobs) for (const name of namesIn(job.file.path)) if (!byName.has(name)) byName.set(name, job);
    const bytesTotal = jobs.reduce((sum, job) => sum + Math.max(0, job.file.size - (job.known?.offset ?? 0)), 0);
    const progress = (): ImportProgress => ({
      filesDone: this.#filesDone,
      filesTotal: jobs.length,
      bytesDone: report.bytes,
      bytesTotal,
    });
    this.#filesDone = 0;
    if (jobs.length > 0) onProgress(progress());
    await using thread = bytesTotal >= (this.#options.threadFrom ?? threadFrom) ? this.#options.readingThread?.() : undefined;
    if (thread !== undefined) this.#reader.useThread(thread);
    try {
      if (thread !== undefined) ledger.pileUp(true);
      const areMany = jobs.length >= (this.#options.manyFrom ?? manyFrom);
      if (areMany) await this.#heads(jobs, report, containers, () => onProgress(progress()));
      let queue = jobs;
      let finished = 0;
      let slice = areMany ? firstSliceBytes : sliceBytes;
      while (queue.length > 0 && !this.#stopped) {
        const later: Job[] = [];
        for (const [i, job] of queue.entries()) {
          if (!this.#stopped) await this.#wantedSlice(byName, report, containers);
          if (this.#stopped) break;
          if (job.done) continue;
          this.#readAhead(queue.slice(i, i + mostAhead), slice, containers);
          const more = await this.#job(job, byName, report, sliceOf(job.file, slice), new Set(), containers);
          if (more) later.push(job);
          if (++finished % 8 === 0) onProgress(progress());
        }
        queue = later;
        slice = sliceBytes;
      }
      this.#reader.flush();
      ledger.pileUp(false);
    } catch (error) {
      // Nothing is being imported any more; who asked for the pass is told why.
      onProgress(null);
      throw error;
    } finally {
      this.#reader.ended();
    }
    if (!this.#stopped) await containers.settle();
    if (!this.#stopped) await this.#backfill.compressed();
    await this.#refresh.run(
      async (request, isWhole) =>
        addSlice(report, await this.#reader.read(request, isWhole ? Number.MAX_SAFE_INTEGER : sliceBytes)),
      () => this.#stopped,
    );
    this.#reader.flush();
    onProgress(null);
    report.threads = ledger.threads.count();
    report.ms = Math.round(this.#elapsed() - started);
    return report;
  }

  /** So much of the newest files as lists their threads. What builds on other files, or does not tell so soon, waits for its turn. */
  async #heads(jobs: readonly Job[], report: Mutable<IngestReport>, containers: Containers, told: () => void): Promise<void> {
    const isNew = ({ known }: Job): boolean => known === undefined || known.status === 'new';
    const fresh = jobs.filter((job) => isNew(job) && !containers.holds(job.file.path)).slice(0, headFiles);
    let listed = 0;
    for (const [i, job] of fresh.entries()) {
      if (this.#stopped || listed >= headThreads) break;
      this.#readAhead(fresh.slice(i, i + headsAhead), headSliceBytes, containers, true);
      const shuttle = this.#shuttleOf(job);
      if (shuttle === undefined) continue;
      const slice = await this.#reader.read({ ...this.#request(job, shuttle), head: true }, headSliceBytes);
      if (slice.kind === 'read') listed++;
      if (slice.kind !== 'untold') this.#finish(job, slice, report);
      if (i % 8 === 7) told();
    }
    this.#reader.flush();
  }

  /** Of one of the files that somebody looks at, if this pass reads one of them. */
  async #wantedSlice(byName: ReadonlyMap<string, Job>, report: Mutable<IngestReport>, containers: Containers): Promise<void> {
    for (const [path, { resolve }] of this.#wanted) {
      const job = byName.get(path);
      const isAll = job === undefined || job.done || !(await this.#job(job, byName, report, sliceBytes, new Set(), containers));
      if (!isAll) return;
      this.#wanted.delete(path);
      // It is told of, and then waited for no more.
      this.#reader.flush();
      resolve();
    }
  }

  /** Reads a slice of one file, after all of the files that it builds on. true: there is more. */
  async #job(
    job: Job,
    byName: ReadonlyMap<string, Job>,
    report: Mutable<IngestReport>,
    bytes: number,
    waiting: Set<Job>,
    containers: Containers,
  ): Promise<boolean> {
    const shuttle = this.#shuttleOf(job);
    if (shuttle === undefined) return false;
    waiting.add(job);
    const { path } = job.file;
    const request = (): ReadRequest => this.#request(job, shuttle, containers.feed(path));
    const slice = await this.#reader.read(request(), bytes);
    if (slice.kind !== 'needs') return this.#finish(job, slice, report);
    for (const name of slice.names) {
      const base = byName.get(name);
      if (base === undefined || base.done || waiting.has(base)) continue;
      while (!this.#stopped && (await this.#job(base, byName, report, Number.MAX_SAFE_INTEGER, waiting, containers)));
      this.#done(base);
    }
    if (this.#stopped) return true;
    // What it builds on is in the ledger now, or not on disk: then it is read as it stands.
    return this.#finish(job, await this.#reader.read({ ...request(), alone: true }, bytes), report);
  }

  #shuttleOf({ file }: Job): Shuttle | undefined {
    return this.#options.shuttles.find(({ harness }) => harness === file.harness);
  }

  #request({ file, known, moved }: Job, shuttle: Shuttle, feed?: Feed): ReadRequest {
    const { path, root, size } = file;
    return { path, root, shuttle, known, moved, size, ...(feed === undefined ? {} : { feed }) };
  }

  /** The files whose turn comes next, as far as two batches of each make enough to do. */
  #readAhead(next: readonly Job[], slice: number, containers: Containers, head = false): void {
    let bytes = 0;
    for (const job of next) {
      if (bytes >= aheadBytes) return;
      const shuttle = this.#shuttleOf(job);
      if (shuttle === undefined || job.done || containers.holds(job.file.path)) continue;
      const its = head ? slice : sliceOf(job.file, slice);
      this.#reader.readAhead({ ...this.#request(job, shuttle), head }, its);
      bytes += Math.min(2 * 1024 * 1024, its, Math.max(0, job.file.size - (job.known?.offset ?? 0)));
    }
  }

  #finish(job: Job, slice: ReadSlice, report: Mutable<IngestReport>): boolean {
    addSlice(report, slice);
    if (slice.kind === 'read') this.#follow(job.file.harness, job.file.path);
    if (slice.kind === 'read' && slice.records > 0) this.#options.onGrown?.(job.file.path, job.file.mtimeMs);
    job.known = this.#options.ledger.sources.byPath(job.file.path) ?? job.known;
    const more = slice.kind === 'read' && slice.more;
    if (!more) this.#done(job);
    if (slice.kind === 'skipped') this.#brokenOff(job);
    return more;
  }

  /** Of a thread that was being read no more will come. */
  #brokenOff({ known }: Job): void {
    const { ledger, onThreadChanged } = this.#options;
    const native = known?.native === null || known === undefined ? undefined : ledger.natives.byNumber(known.native);
    if (native !== undefined && known?.status !== 'current') onThreadChanged(native.thread);
  }

  #follow(harness: string, path: string): void {
    const shuttle = this.#options.shuttles.find((one) => one.harness === harness);
    if (shuttle !== undefined) this.#refresh.follow(shuttle, path);
  }

  #done(job: Job): void {
    if (!job.done) this.#filesDone++;
    job.done = true;
  }

  #markGone(gone: readonly KnownSource[]): void {
    const { ledger, onThreadChanged } = this.#options;
    if (gone.length === 0) return;
    const threads = new Set<number>();
    ledger.transact(() => {
      for (const { number } of gone) {
        const source = ledger.sources.byNumber(number);
        if (source === undefined) continue;
        ledger.sources.update({ ...source, status: 'gone' });
        this.#options.onHealed?.('F002', source.path);
        const native = source.native === null ? undefined : ledger.natives.byNumber(source.native);
        if (native === undefined) continue;
        // A session of several files is gone when the last of them is.
        if (ledger.sources.byNative(native.number).some((other) => other.number !== number && other.status !== 'gone')) continue;
        const thread = ledger.threads.byNumber(native.thread);
        if (thread === undefined || native.child_of !== null) continue;
        ledger.threads.update({ ...thread, source_gone: 1 });
        threads.add(thread.number);
      }
    });
    for (const thread of threads) onThreadChanged(thread);
  }
}

function sliceOf({ size }: FoundFile, usual: number): number {
  return size <= shortFile ? Math.max(shortFile, usual) : usual;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function emptyReport(): Mutable<IngestReport> & { warnings: { path: string; offset: number; code: string; text: string }[] } {
  return { sources: 0, bytes: 0, records: 0, entries: 0, threads: 0, opaque: 0, warnings: [], ms: 0 };
}

function addSlice(report: Mutable<IngestReport>, slice: ReadSlice): void {
  if (slice.kind !== 'read') return;
  report.bytes += slice.bytes;
  report.records += slice.records;
  report.entries += slice.entries;
  report.opaque += slice.opaque;
  if (report.warnings.length < 200) report.warnings = [...report.warnings, ...slice.warnings];
}

/** By what other files refer to it: its path, its name without endings, and the last uuid in that name. */
function namesIn(path: string): readonly string[] {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/(\.jsonl|\.zst)+$/u, '');
  const uuids = base.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu) ?? [];
  // A segment's file carries the thread's id too, but is not what others mean by that id.
  const last = uuids.at(-1);
  return [path, base, ...(last === undefined ? [] : [last.toLowerCase()])];
}

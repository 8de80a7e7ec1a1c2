/**
 * Reads what is new in all sources of all shuttles: a full pass scans the roots, reads newest files first in slices (so that the
 * newest threads are listed at once and one huge file keeps nobody waiting), parents before what was forked from them.
 * Only the ledger's owner runs it; passes never overlap. Never writes below a harness's folder and takes none of its locks.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { IngestReport } from '../protocol/requests.ts';
import type { ImportProgress } from '../protocol/views.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import { walk } from '../../shuttles/kit/walk.ts';
import type { Committed } from './commit.ts';
import { difference } from './scan.ts';
import type { FoundFile, KnownSource } from './scan.ts';
import { SourceReader } from './source-reader.ts';
import type { ReadSlice } from './source-reader.ts';

export interface IngestOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  readonly now: () => number;
  readonly onCommit: (committed: Committed) => void;
  readonly onProgress: (progress: ImportProgress | null) => void;
  readonly onFault: (id: FaultId, detail: string) => void;
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

export class Ingest {
  readonly #options: IngestOptions;
  readonly #reader: SourceReader;
  #tail: Promise<unknown> = Promise.resolve();
  #waitingPass: Promise<IngestReport> | null = null;
  #stopped = false;
  /** Of the pass that is running. */
  #filesDone = 0;

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#reader = new SourceReader(options);
  }

  /** One pass over everything. Passes that are asked for while one waits to begin are that one. */
  pass(): Promise<IngestReport> {
    this.#waitingPass ??= this.#serially(() => {
      this.#waitingPass = null;
      return this.#pass();
    });
    return this.#waitingPass;
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
    } while (slice.kind === 'read' && slice.more && !this.#stopped);
    return report;
  }

  async #pass(): Promise<IngestReport> {
    const { ledger, now, onProgress } = this.#options;
    const started = now();
    const report = emptyReport();
    const { found, closed } = this.#scan();
    const { changed, gone } = difference(found, ledger.sources.all(), closed);
    report.sources = found.length;
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
    let queue = jobs;
    let finished = 0;
    while (queue.length > 0 && !this.#stopped) {
      const later: Job[] = [];
      for (const job of queue) {
        if (this.#stopped) break;
        if (job.done) continue;
        const more = await this.#job(job, byName, report, sliceBytes, new Set());
        if (more) later.push(job);
        if (++finished % 8 === 0) onProgress(progress());
      }
      queue = later;
    }
    onProgress(null);
    report.threads = ledger.threads.count();
    report.ms = now() - started;
    return report;
  }

  /** Reads a slice of one file, after all of the files that it builds on. true: there is more. */
  async #job(
    job: Job,
    byName: ReadonlyMap<string, Job>,
    report: Mutable<IngestReport>,
    bytes: number,
    waiting: Set<Job>,
  ): Promise<boolean> {
    const shuttle = this.#options.shuttles.find((candidate) => candidate.harness === job.file.harness);
    if (shuttle === undefined) return false;
    waiting.add(job);
    for (;;) {
      const slice = await this.#reader.read(
        { path: job.file.path, root: job.file.root, shuttle, known: job.known, moved: job.moved },
        bytes,
      );
      if (slice.kind === 'needs') {
        let progressed = false;
        for (const name of slice.names) {
          const base = byName.get(name);
          if (base === undefined || base.done || waiting.has(base)) continue;
          progressed = true;
          while (!this.#stopped && (await this.#job(base, byName, report, Number.MAX_SAFE_INTEGER, waiting)));
          this.#done(base);
        }
        if (progressed) continue;
        // What it builds on is not on disk: it is read as it stands.
        const alone = await this.#reader.read(
          { path: job.file.path, root: job.file.root, shuttle, known: job.known, moved: job.moved, alone: true },
          bytes,
        );
        return this.#finish(job, alone, report);
      }
      return this.#finish(job, slice, report);
    }
  }

  #finish(job: Job, slice: ReadSlice, report: Mutable<IngestReport>): boolean {
    addSlice(report, slice);
    job.known = this.#options.ledger.sources.byPath(job.file.path) ?? job.known;
    const more = slice.kind === 'read' && slice.more;
    if (!more) this.#done(job);
    return more;
  }

  #done(job: Job): void {
    if (!job.done) this.#filesDone++;
    job.done = true;
  }

  #scan(): { readonly found: readonly FoundFile[]; readonly closed: readonly string[] } {
    const { shuttles, environment, onFault } = this.#options;
    const found: FoundFile[] = [];
    const closed: string[] = [];
    for (const shuttle of shuttles) {
      for (const root of shuttle.find.roots(environment)) {
        const walked = walk(root);
        for (const file of walked.files) found.push({ ...file, root: root.path, harness: shuttle.harness });
        for (const { path, code } of walked.unreadable) {
          closed.push(path);
          onFault('F001', `${path} (${code})`);
        }
      }
    }
    const seen = new Set<string>();
    return { found: found.filter((file) => !seen.has(file.path) && seen.add(file.path)), closed };
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

/** Ids in a file's name, by which other files refer to it: whole name without endings, and every uuid in it. */
function namesIn(path: string): readonly string[] {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/(\.jsonl|\.zst)+$/u, '');
  const uuids = base.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu) ?? [];
  // A segment's file carries the thread's id too, but is not what others mean by that id.
  const last = uuids.at(-1);
  return [base, ...(last === undefined ? [] : [last.toLowerCase()])];
}

/**
 * Takes a slice of one source into the ledger: reads it (in this thread or in one of its own), decides whether it is to be read at all, and
 * commits batch by batch, many in one transaction. The cursor only ever stands at the end of a whole record.
 */
import { setImmediate } from 'node:timers/promises';
import { Rejected } from '../engine/errors.ts';
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import { CommitGroup } from '../ledger/commit-group.ts';
import type { GroupLimits } from '../ledger/commit-group.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { SessionFacts, Sidecars, SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { commitBatch } from './commit.ts';
import type { Batch, Committed } from './commit.ts';
import { mayBeExpected } from './expected.ts';
import type { Feed } from './feed.ts';
import { mendSession } from './mending.ts';
import { LocalReading, ReadHere, ReadingFailed, ReadingLost } from './reading.ts';
import type { Reading } from './reading.ts';
import { joins } from './placement.ts';
import type { ReadingThread } from './reading-thread.ts';
import type { KnownSource } from './scan.ts';
import type { BatchOutput, OpenedSource, Opening, TranslatedBatch, TranslationRequest } from './translated-batch.ts';
import { passedOver, standings } from './withdrawal.ts';

export interface SourceReaderOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly sidecars: Sidecars;
  readonly onCommit: (committed: Committed) => void;
  readonly onFault: (id: FaultId, detail: string) => void;
  /** A file of which a fault was told can be read again, or is gone. */
  readonly onHealed?: (id: FaultId, detail: string) => void;
  /** Milliseconds from any start. */
  readonly elapsed?: () => number;
  /** What one transaction holds at most. */
  readonly groups?: GroupLimits;
}
export interface ReadRequest {
  readonly path: string;
  readonly root: string;
  readonly shuttle: Shuttle;
  readonly known: KnownSource | undefined;
  readonly moved?: boolean;
  /** Do not wait for what it builds on. */
  readonly alone?: boolean;
  /** Of a new source as much as lists its thread; nothing when that much does not tell, or when it builds on others. */
  readonly head?: boolean;
  /** Where its records come from; absent: from the lines of the file. Disposed of by the reader. */
  readonly feed?: Feed;
  /** Bytes of the file, as far as known. */
  readonly size?: number;
}
export type ReadSlice =
  | { readonly kind: 'needs'; readonly names: readonly string[] }
  | { readonly kind: 'skipped' }
  /** A head did not tell what there is to list: nothing of it was taken in. */
  | { readonly kind: 'untold' }
  | {
      readonly kind: 'read';
      readonly bytes: number;
      readonly records: number;
      readonly entries: number;
      readonly opaque: number;
      readonly warnings: readonly {
        readonly path: string;
        readonly offset: number;
        readonly code: string;
        readonly text: string;
      }[];
      readonly more: boolean;
    };

/** Of so many new bytes the entries are stored in packs, in bulk work of any: of a session that grows bit by bit they stay rows. */
const packedFrom = 64 * 1024;
/** What one transaction holds at most of a bulk import: native bytes, and milliseconds in which nobody else is answered. */
const groupLimits = { bytes: 4 * 1024 * 1024, ms: 150 };
/** So much is read ahead before a transaction begins, when there is so much. */
const aheadBytes = 2 * 1024 * 1024;

export class SourceReader {
  readonly #options: SourceReaderOptions;
  readonly #group: CommitGroup;
  /** Readings that were begun before their turn, by path. */
  readonly #ahead = new Map<string, Reading>();
  /** What was read and is not durable yet, by path. */
  readonly #unsure = new Map<string, { readonly request: ReadRequest; readonly limit: number }>();
  #thread: ReadingThread | undefined;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    this.#group = new CommitGroup(options.ledger, options.groups ?? groupLimits, options.elapsed ?? (() => performance.now()));
  }

  /** Until `ended`, sources are read in that thread as soon as it is up. */
  useThread(thread: ReadingThread): void {
    this.#thread = thread;
  }

  /** Begins to read what will be asked for soon. Costs nothing without a thread. */
  readAhead(request: ReadRequest, limit: number): void {
    if (this.#thread?.isUp !== true || request.feed !== undefined || this.#ahead.has(request.path)) return;
    this.#ahead.set(request.path, this.#thread.read(this.#translation(request, this.#row(request), limit)));
  }

  async read(request: ReadRequest, limit: number): Promise<ReadSlice> {
    try {
      return await this.#read(request, limit);
    } catch (error) {
      // What went in before is whole; a commit that failed has abandoned it.
      this.#group.flush();
      if (error instanceof ReadHere && request.head === true) return { kind: 'untold' };
      if (error instanceof ReadingLost) this.#thread = undefined;
      else if (!(error instanceof ReadHere)) throw error;
      return await this.#read(request, limit, true);
    }
  }

  /** Makes durable, and tells of, what was read. To be called before anything that waits, and at the end. */
  flush(): void {
    this.#group.flush();
    this.#options.ledger.relieve();
  }

  /** Nothing is read ahead any more. */
  ended(): void {
    this.#dropAhead();
    this.#thread = undefined;
  }

  #dropAhead(): void {
    for (const reading of this.#ahead.values()) reading[Symbol.dispose]();
    this.#ahead.clear();
  }

  /** `here`: in this thread. */
  async #read(request: ReadRequest, limit: number, here = false): Promise<ReadSlice> {
    const { ledger, onFault } = this.#options;
    const row = this.#row(request);
    const reading = this.#reading(request, row, limit, here);
    let kept = false;
    try {
      while (reading.opening() === undefined) await this.#waitFor(reading);
      const opening = reading.opening();
      if (opening?.ok === false) {
        const { refusal } = opening;
        if (refusal.kind === 'unreadable') onFault('F002', refusal.detail);
        else this.#options.onHealed?.('F002', request.path);
        if (refusal.kind !== 'absent') this.#mark(row.number, 'unreadable', refusal.detail);
        return { kind: 'skipped' };
      }
      if (opening === undefined) return { kind: 'skipped' };
      const { source } = opening;
      const { identity, failed } = source;
      if (failed !== undefined) throw new ReadingFailed(failed);
      if (identity === undefined) {
        // Nothing in it says that it is a session: looked at again when it changes. What was archived of it before stays apart.
        const { generation } = source;
        ledger.sources.update({ ...row, ...fileFacts(source), status: 'ignored', offset: 0, generation, fault: null });
        return { kind: 'skipped' };
      }
      const { better, worse } = standings(ledger, request.shuttle.reader.ranked ?? [], row, identity, request.shuttle.harness);
      if (better) {
        ledger.sources.update({ ...row, ...fileFacts(source), part: '', status: 'ignored', fault: passedOver });
        return { kind: 'skipped' };
      }
      // Loom is writing it just now: it comes in with the hand-over itself.
      if (ledger.handoffs.isPending(request.shuttle.harness, identity.nativeId)) return { kind: 'skipped' };
      if (row.offset === 0 && request.alone !== true) {
        const needs = identity.needs.filter((name) => name !== identity.part);
        if (needs.length > 0 && row.status === 'new') {
          if (request.head === true) return { kind: 'untold' };
          if (request.feed === undefined) {
            this.#ahead.set(request.path, reading);
            kept = true;
          }
          return { kind: 'needs', names: needs };
        }
      }
      // Awaited here: the source is closed when this call ends.
      return await this.#stream(
        request,
        reading,
        source,
        identity,
        { ...row, offset: source.fresh ? 0 : row.offset, generation: source.generation },
        worse,
        limit,
      );
    } catch (error) {
      if (!(error instanceof ReadingFailed || error instanceof Rejected || error instanceof DamagedPack)) throw error;
      const isMended = error instanceof DamagedPack && this.#isMended(error);
      // A commit that was rejected has abandoned its group: rows that what is read ahead relies on may be gone.
      if (!(error instanceof ReadingFailed)) this.#dropAhead();
      this.#group.flush();
      await this.#readAbandoned(request.path);
      if (isMended) return await this.#read(request, limit, true);
      return this.#notUnderstood(request, reading, error.message);
    } finally {
      if (!kept) reading[Symbol.dispose]();
    }
  }

  /** A commit needs what it cannot read of its session. true: some of what is damaged there is whole now. */
  #isMended(error: DamagedPack): boolean {
    const session = this.#options.ledger.sessionOf(error);
    return session !== undefined && mendSession(this.#options, session).packs > 0;
  }

  /**
   * What others had in a group that one commit has failed: they were told that it was read. One transaction each. A container's session is
   * left to the next pass.
   */
  async #readAbandoned(failed: string): Promise<void> {
    const abandoned = [...this.#unsure.values()].filter(({ request }) => request.path !== failed && request.feed === undefined);
    this.#unsure.clear();
    for (const { request, limit } of abandoned) {
      await this.#read(request, limit, true);
      this.#group.flush();
    }
  }

  /** Left as far as it was read until it changes. */
  #notUnderstood(request: ReadRequest, reading: Reading, why: string): ReadSlice {
    const opening = openingOf(reading);
    const facts = opening?.ok === true ? fileFacts(opening.source) : {};
    this.#options.ledger.sources.update({ ...this.#row(request), ...facts, status: 'unreadable', fault: why });
    this.#options.onFault('F003', `${request.path}: ${why}`);
    return { kind: 'skipped' };
  }

  async #stream(
    request: ReadRequest,
    reading: Reading,
    source: OpenedSource,
    identity: SourceIdentity,
    row: SourceRow,
    worse: readonly number[],
    limit: number,
  ): Promise<ReadSlice> {
    const { ledger, onCommit, onFault, sidecars } = this.#options;
    const { reader } = request.shuttle;
    const sidecar: SessionFacts = reader.sidecarFacts?.(identity, request.path, sidecars) ?? {};
    const facts = fileFacts(source);
    const warnings: { path: string; offset: number; code: string; text: string }[] = [];
    const counts = { bytes: 0, records: 0, entries: 0, opaque: 0 };
    let current = row;
    for (;;) {
      const read = reading.take();
      if (read === undefined && request.head === true) return { kind: 'untold' };
      if (read === undefined) break;
      if (read === 'later') {
        await this.#waitFor(reading);
        continue;
      }
      // What has records of another session waits for its turn: between two heads it would be cut at any record.
      if (request.head === true && this.#isCopy(read)) return { kind: 'untold' };
      // Whose it is its first prompt will tell.
      if (read.from === 0 && read.last && !read.more && this.#mayWait(identity, current, read, facts.birth))
        return { kind: 'skipped' };
      if (!this.#group.isOpen) await this.#fill();
      this.#group.begin();
      const committed = await this.#commit({
        source: current,
        identity,
        read,
        next: { offset: read.offset, state: read.state, ...facts, status: read.last && !read.more ? 'current' : 'reading' },
        sidecar,
        withdraws: current === row ? worse : [],
        beside: reader.ranked?.includes(identity.part) === false,
        archivedWhole: source.compressed,
      });
      counts.bytes += Math.max(0, read.offset - read.from);
      counts.records += read.records;
      counts.entries += committed.entries.length;
      counts.opaque += committed.entries.filter((entry) => entry.kind === 'opaque').length;
      warnings.push(...warningsOf(read.outputs, request.path));
      current = ledger.sources.byNumber(row.number) ?? current;
      this.#unsure.set(request.path, { request, limit });
      this.#group.add(committed.session, read.offset - read.from, () => {
        this.#unsure.delete(request.path);
        onCommit(committed);
        read.free?.();
      });
      if (this.#group.isFull) await this.#turn();
      if (!read.last) continue;
      this.#options.onHealed?.('F003', request.path);
      if (read.failure === undefined) this.#options.onHealed?.('F002', request.path);
      else onFault('F002', `${request.path} ${read.failure}`);
      return { kind: 'read', ...counts, warnings, more: read.more };
    }
    throw new Error(`the reading of ${request.path} ended without its last batch`);
  }

  #isCopy({ outputs }: TranslatedBatch): boolean {
    const { keys } = this.#options.ledger;
    return (
      joins(
        outputs,
        (key) => keys.get(key),
        (key, floor) => keys.floor(key, floor),
      ) !== undefined
    );
  }

  #mayWait(identity: SourceIdentity, source: SourceRow, read: TranslatedBatch, birth: number): boolean {
    const { ledger } = this.#options;
    if (ledger.natives.byNativeId(source.harness, identity.nativeId) !== undefined) return false;
    return mayBeExpected(ledger, { source, identity, read }, birth);
  }

  async #commit(batch: Batch): Promise<Committed> {
    try {
      return await commitBatch(this.#options.ledger, batch);
    } catch (error) {
      this.#group.abandon();
      throw error;
    }
  }

  /** Without a turn of the event loop between transactions nobody is answered, and no event leaves, before everything is imported. */
  async #turn(): Promise<void> {
    this.flush();
    await setImmediate();
  }

  async #waitFor(reading: Reading): Promise<void> {
    this.flush();
    await reading.ready();
  }

  /** Waits until there is enough for a transaction, or as much as there will be. */
  async #fill(): Promise<void> {
    for (let thread = this.#thread; thread !== undefined && isFilling(thread); thread = this.#thread) await thread.heard();
  }

  #reading(request: ReadRequest, row: SourceRow, limit: number, here: boolean): Reading {
    const ahead = this.#ahead.get(request.path);
    this.#ahead.delete(request.path);
    if (ahead !== undefined) {
      const { offset, fingerprint, head } = ahead.request;
      const isAsked = offset === row.offset && fingerprint === row.fingerprint && head === (request.head === true);
      if (request.feed === undefined && isAsked) return ahead;
      ahead[Symbol.dispose]();
    }
    const translation = this.#translation(request, row, limit);
    if (!here && request.feed === undefined && this.#thread?.isUp === true) return this.#thread.read(translation);
    const { shuttle, feed } = request;
    return new LocalReading(translation, { shuttle, sidecars: this.#options.sidecars, ...(feed === undefined ? {} : { feed }) });
  }

  #translation(request: ReadRequest, row: SourceRow, limit: number): TranslationRequest {
    return {
      path: request.path,
      root: request.root,
      harness: request.shuttle.harness,
      source: row.number,
      offset: row.offset,
      fingerprint: row.fingerprint,
      state: row.state,
      generation: row.generation,
      identity: row.offset === 0 ? undefined : this.#known(row),
      limit,
      head: request.head === true,
      packs: this.#thread !== undefined || (request.size ?? 0) - row.offset > packedFrom,
      archive: request.feed === undefined,
    };
  }

  #row(request: ReadRequest): SourceRow {
    const { ledger } = this.#options;
    const known =
      request.known === undefined ? ledger.sources.byPath(request.path) : ledger.sources.byNumber(request.known.number);
    if (known !== undefined) {
      if (known.path === request.path) return known;
      const moved = { ...known, path: request.path };
      ledger.sources.update(moved);
      return moved;
    }
    const number = ledger.sources.insert(request.path, request.shuttle.harness);
    const row = ledger.sources.byNumber(number);
    if (row === undefined) throw new Error('a source that was just inserted is not there');
    return row;
  }

  /**
   * Whose file it is, from the ledger: an append must not cost reading the file's head again. undefined: look at the file, since
   * it may tell more than is known (a subagent whose call or parent was not there yet).
   */
  #known({ native: number, part }: SourceRow): SourceIdentity | undefined {
    const { natives, threads } = this.#options.ledger;
    const native = number === null ? undefined : natives.byNumber(number);
    if (native === undefined || threads.byNumber(native.thread)?.child === 1) return undefined;
    const identity = { nativeId: native.native_id, part, needs: [] };
    if (native.child_of === null) return identity;
    const parent = natives.byNumber(native.child_of);
    if (parent === undefined || native.child_call === null || native.child_title === null) return undefined;
    return { ...identity, childOf: { nativeId: parent.native_id, callId: native.child_call, title: native.child_title } };
  }

  #mark(number: number, status: SourceRow['status'], fault: string): void {
    const row = this.#options.ledger.sources.byNumber(number);
    if (row !== undefined) this.#options.ledger.sources.update({ ...row, status, fault });
  }
}

/** undefined: it failed before it was opened. */
function openingOf(reading: Reading): Opening | undefined {
  try {
    return reading.opening();
  } catch (error) {
    if (error instanceof ReadingFailed) return undefined;
    throw error;
  }
}

function isFilling(thread: ReadingThread): boolean {
  return thread.isUp && !thread.isAhead && thread.waitingBytes < aheadBytes;
}

function fileFacts(source: OpenedSource): Pick<SourceRow, 'size' | 'mtime' | 'identity' | 'fingerprint' | 'birth'> {
  const { size, mtimeMs, ino, fingerprint, birthtimeMs } = source;
  return { size, mtime: mtimeMs, identity: ino, fingerprint, birth: birthtimeMs };
}

function warningsOf(
  outputs: readonly BatchOutput[],
  path: string,
): { path: string; offset: number; code: string; text: string }[] {
  return outputs.flatMap((output) =>
    output.type === 'warning' ? [{ path, offset: output.offset, code: output.code, text: output.text }] : [],
  );
}

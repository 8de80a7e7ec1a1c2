/**
 * Reads a slice of one source: opens it, finds where to go on (or that it was rewritten and must be read anew), cuts records,
 * translates them and commits batch by batch. The cursor only ever stands at the end of a whole record.
 */
import { setImmediate } from 'node:timers/promises';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { NativeRecord, ReadOutput, SessionFacts, Sidecars, SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { openSource } from '../../shuttles/kit/source.ts';
import { commitBatch } from './commit.ts';
import type { Committed } from './commit.ts';
import { FileFeed } from './feed.ts';
import type { Feed } from './feed.ts';
import type { KnownSource } from './scan.ts';
import { standings } from './withdrawal.ts';

export interface SourceReaderOptions {
  readonly ledger: Ledger;
  readonly sidecars: Sidecars;
  readonly onCommit: (committed: Committed) => void;
  readonly onFault: (id: FaultId, detail: string) => void;
  /** A file of which a fault was told can be read again, or is gone. */
  readonly onHealed?: (id: FaultId, detail: string) => void;
}
export interface ReadRequest {
  readonly path: string;
  readonly root: string;
  readonly shuttle: Shuttle;
  readonly known: KnownSource | undefined;
  readonly moved?: boolean;
  /** Do not wait for what it builds on. */
  readonly alone?: boolean;
  /** Where its records come from; absent: from the lines of the file. Disposed of by the reader. */
  readonly feed?: Feed;
}
export type ReadSlice =
  | { readonly kind: 'needs'; readonly names: readonly string[] }
  | { readonly kind: 'skipped' }
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

/** Outputs of at most so many records go into one commit. */
const batchRecords = 1000;

export class SourceReader {
  readonly #options: SourceReaderOptions;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
  }

  async read(request: ReadRequest, limit: number): Promise<ReadSlice> {
    const { ledger, onFault } = this.#options;
    const opened = request.feed === undefined ? openSource(request.path, request.root) : undefined;
    if (opened?.ok === false) {
      if (opened.refusal.kind === 'unreadable') onFault('F002', opened.refusal.detail);
      else this.#options.onHealed?.('F002', request.path);
      if (opened.refusal.kind !== 'absent') this.#mark(this.#row(request).number, 'unreadable', opened.refusal.detail);
      return { kind: 'skipped' };
    }
    using feed = opened === undefined ? request.feed : new FileFeed(opened.source);
    if (feed === undefined) return { kind: 'skipped' };
    const row = this.#row(request);
    const fresh = row.offset === 0 || !feed.goesOn(row.offset, row.fingerprint);
    const from = fresh ? 0 : row.offset;
    const identity =
      (fresh ? undefined : this.#known(row)) ??
      request.shuttle.reader.identify(request.path, feed.head(), this.#options.sidecars);
    if (identity === undefined) {
      // Nothing in it says that it is a session: looked at again when it changes.
      ledger.sources.update({ ...row, ...fileFacts(feed), status: 'ignored', offset: 0 });
      return { kind: 'skipped' };
    }
    const { better, worse } = standings(ledger, request.shuttle.reader.ranked ?? [], row, identity, request.shuttle.harness);
    if (better) {
      ledger.sources.update({ ...row, ...fileFacts(feed), part: '', status: 'ignored' });
      return { kind: 'skipped' };
    }
    // Loom is writing it just now: it comes in with the hand-over itself.
    if (ledger.handoffs.isPending(request.shuttle.harness, identity.nativeId)) return { kind: 'skipped' };
    if (row.offset === 0 && request.alone !== true) {
      const needs = identity.needs.filter((name) => name !== identity.part);
      if (needs.length > 0 && row.status === 'new') {
        ledger.sources.update({ ...row, status: 'reading' });
        return { kind: 'needs', names: needs };
      }
    }
    // Awaited here: the source is closed when this call ends.
    return await this.#stream(request, feed, identity, { ...row, offset: from }, fresh, limit, worse);
  }

  async #stream(
    request: ReadRequest,
    feed: Feed,
    identity: SourceIdentity,
    row: SourceRow,
    fresh: boolean,
    limit: number,
    worse: readonly number[],
  ): Promise<ReadSlice> {
    const { ledger, onCommit, onFault, sidecars } = this.#options;
    const { reader } = request.shuttle;
    const sidecar: SessionFacts = reader.sidecarFacts?.(identity, request.path, sidecars) ?? {};
    let state: JsonValue =
      fresh || row.offset === 0 ? reader.start(identity, request.path) : (JSON.parse(row.state) as JsonValue);
    let current = row;
    let withdrawn = false;
    let records = 0;
    let entries = 0;
    let opaque = 0;
    const warnings: { path: string; offset: number; code: string; text: string }[] = [];

    const commit = async (batch: readonly NativeRecord[], status: SourceRow['status'], offset: number): Promise<void> => {
      const read = reader.read(state, batch);
      state = read.state;
      records += batch.length;
      const committed = await commitBatch(ledger, {
        source: current,
        identity,
        outputs: read.outputs,
        translator: reader.translator,
        next: { offset, state: JSON.stringify(state), ...fileFacts(feed), status },
        sidecar,
        withdraws: withdrawn ? [] : worse,
        beside: reader.ranked?.includes(identity.part) === false,
      });
      withdrawn = true;
      entries += committed.entries.length;
      opaque += committed.entries.filter((entry) => entry.kind === 'opaque').length;
      warnings.push(...warningsOf(read.outputs, request.path));
      current = ledger.sources.byNumber(row.number) ?? current;
      onCommit(committed);
      // Reading and committing are synchronous: without a turn of the event loop between batches nobody is answered, and no
      // event leaves, before everything is imported.
      await setImmediate();
    };

    const start = row.offset;
    let position = start;
    let more = false;
    // The newest batch waits until it is known whether it is the last: a small file costs one commit, not two.
    let waiting: { readonly batch: readonly NativeRecord[]; readonly offset: number } | undefined;
    for (const { records: cut, end } of feed.pieces(start)) {
      position = end;
      for (let i = 0; i < cut.length; i += batchRecords) {
        if (waiting !== undefined) await commit(waiting.batch, 'reading', waiting.offset);
        const batch = cut.slice(i, i + batchRecords);
        const isLast = i + batchRecords >= cut.length;
        const last = batch.at(-1);
        waiting = { batch, offset: isLast || last === undefined ? end : last.offset + last.length };
      }
      if (position - start >= limit) {
        more = feed.hasMore(position);
        break;
      }
    }
    if (feed.failure === undefined) this.#options.onHealed?.('F002', request.path);
    else onFault('F002', `${request.path} ${feed.failure}`);
    if (more && waiting !== undefined) await commit(waiting.batch, 'reading', waiting.offset);
    if (!more) await commit(waiting?.batch ?? [], 'current', position);
    return { kind: 'read', bytes: Math.max(0, position - start), records, entries, opaque, warnings, more };
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

function fileFacts(feed: Feed): Pick<SourceRow, 'size' | 'mtime' | 'identity' | 'fingerprint' | 'birth'> {
  const { facts } = feed;
  return {
    size: facts.size,
    mtime: facts.mtimeMs,
    identity: facts.ino,
    fingerprint: feed.fingerprint(),
    birth: facts.birthtimeMs,
  };
}

function warningsOf(
  outputs: readonly ReadOutput[],
  path: string,
): { path: string; offset: number; code: string; text: string }[] {
  return outputs.flatMap((output) =>
    output.type === 'warning' ? [{ path, offset: output.offset, code: output.code, text: output.text }] : [],
  );
}

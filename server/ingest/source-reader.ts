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
import { RecordCutter } from '../../shuttles/kit/records.ts';
import { openSource } from '../../shuttles/kit/source.ts';
import type { Source } from '../../shuttles/kit/source.ts';
import { commitBatch } from './commit.ts';
import type { Committed } from './commit.ts';
import type { KnownSource } from './scan.ts';

export interface SourceReaderOptions {
  readonly ledger: Ledger;
  readonly sidecars: Sidecars;
  readonly onCommit: (committed: Committed) => void;
  readonly onFault: (id: FaultId, detail: string) => void;
}
export interface ReadRequest {
  readonly path: string;
  readonly root: string;
  readonly shuttle: Shuttle;
  readonly known: KnownSource | undefined;
  readonly moved?: boolean;
  /** Do not wait for what it builds on. */
  readonly alone?: boolean;
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

const headBytes = 256 * 1024;
/** Outputs of at most so many records go into one commit. */
const batchRecords = 1000;

export class SourceReader {
  readonly #options: SourceReaderOptions;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
  }

  async read(request: ReadRequest, limit: number): Promise<ReadSlice> {
    const { ledger, onFault } = this.#options;
    const opened = openSource(request.path, request.root);
    if (!opened.ok) {
      if (opened.refusal.kind === 'unreadable') onFault('F002', opened.refusal.detail);
      if (opened.refusal.kind !== 'absent') this.#mark(this.#row(request).number, 'unreadable', opened.refusal.detail);
      return { kind: 'skipped' };
    }
    using source = opened.source;
    const row = this.#row(request);
    const fresh = needsRereading(row, source);
    const from = fresh ? 0 : row.offset;
    const identity = (fresh ? undefined : this.#known(row)) ?? this.#identify(request, source);
    if (identity === undefined) {
      // Nothing in it says that it is a session: looked at again when it changes.
      ledger.sources.update({ ...row, ...fileFacts(source), status: 'ignored', offset: 0 });
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
    return await this.#stream(request, source, identity, { ...row, offset: from }, fresh, limit);
  }

  async #stream(
    request: ReadRequest,
    source: Source,
    identity: SourceIdentity,
    row: SourceRow,
    fresh: boolean,
    limit: number,
  ): Promise<ReadSlice> {
    const { ledger, onCommit, onFault, sidecars } = this.#options;
    const { reader } = request.shuttle;
    const sidecar: SessionFacts = reader.sidecarFacts?.(identity, request.path, sidecars) ?? {};
    const cutter = new RecordCutter(row.offset);
    let state: JsonValue =
      fresh || row.offset === 0 ? reader.start(identity, request.path) : (JSON.parse(row.state) as JsonValue);
    let current = row;
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
        next: { offset, state: JSON.stringify(state), ...fileFacts(source), status },
        sidecar,
      });
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
    let more = false;
    // The newest batch waits until it is known whether it is the last: a small file costs one commit, not two.
    let waiting: { readonly batch: readonly NativeRecord[]; readonly offset: number } | undefined;
    for (const chunk of source.chunks(start)) {
      const cut = cutter.feed(chunk);
      for (let i = 0; i < cut.length; i += batchRecords) {
        if (waiting !== undefined) await commit(waiting.batch, 'reading', waiting.offset);
        const batch = cut.slice(i, i + batchRecords);
        const last = i + batchRecords >= cut.length;
        const end = batch.at(-1);
        waiting = { batch, offset: last || end === undefined ? cutter.offset : end.offset + end.length };
      }
      if (cutter.offset - start >= limit) {
        more = cutter.offset < source.facts.size || source.compressed;
        break;
      }
    }
    if (source.failure !== undefined) onFault('F002', `${request.path} ${source.failure}`);
    const rest = source.compressed && !more ? cutter.finish() : [];
    if (more || rest.length > 0) {
      if (waiting !== undefined) await commit(waiting.batch, 'reading', waiting.offset);
      waiting = undefined;
    }
    if (!more) await commit(waiting?.batch ?? rest, 'current', cutter.offset);
    return { kind: 'read', bytes: Math.max(0, cutter.offset - start), records, entries, opaque, warnings, more };
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

  #identify(request: ReadRequest, source: Source): SourceIdentity | undefined {
    const cutter = new RecordCutter(0);
    const head: NativeRecord[] = [];
    let bytes = 0;
    for (const chunk of source.chunks(0)) {
      for (const record of cutter.feed(chunk)) head.push(record);
      bytes += chunk.byteLength;
      if (bytes >= headBytes && head.length > 0) break;
      if (bytes >= 128 * 1024 * 1024) break;
    }
    if (source.compressed && head.length === 0) for (const record of cutter.finish()) head.push(record);
    return request.shuttle.reader.identify(request.path, head.slice(0, 64), this.#options.sidecars);
  }

  #mark(number: number, status: SourceRow['status'], fault: string): void {
    const row = this.#options.ledger.sources.byNumber(number);
    if (row !== undefined) this.#options.ledger.sources.update({ ...row, status, fault });
  }
}

/** The file is another one, or shorter than what was read of it, or no longer has a record's end where the cursor is. */
function needsRereading(row: SourceRow, source: Source): boolean {
  if (row.offset === 0) return true;
  if (source.compressed) return row.fingerprint !== '' && !source.beginsAs(row.fingerprint);
  if (source.facts.size < row.offset) return true;
  if (row.fingerprint !== '' && !source.beginsAs(row.fingerprint)) return true;
  for (const chunk of source.chunks(row.offset - 1)) return chunk[0] !== 10;
  return true;
}

function fileFacts(source: Source): Pick<SourceRow, 'size' | 'mtime' | 'identity' | 'fingerprint' | 'birth'> {
  const { facts } = source;
  return {
    size: facts.size,
    mtime: facts.mtimeMs,
    identity: facts.ino,
    fingerprint: source.fingerprint() ?? '',
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

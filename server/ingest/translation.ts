/**
 * One reading of a source: opens it, finds where to go on (or that it was rewritten and is read anew), cuts records, translates them and
 * prepares what is stored. A batch ends at the end of a record. Needs no ledger, so that it can run in a thread of its own.
 */
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { NativeRecord, ReadOutput, Sidecars, SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { isCompressed, openSource } from '../../shuttles/kit/source.ts';
import { compress } from '../engine/sqlite/pack-codec.ts';
import type { Compress } from '../engine/sqlite/pack-codec.ts';
import { FileFeed, headBytes, LongRecord } from './feed.ts';
import type { Feed, Piece } from './feed.ts';
import { GatheredBatch } from './gathered-batch.ts';
import { isPrompt } from './lease-standing.ts';
import { NativeStretches } from './native-stretches.ts';
import type { PackedBatch } from './reading-messages.ts';
import type { SpareMemory } from './spare-memory.ts';
import type { OpenedSource, Opening, TranslationRequest } from './translated-batch.ts';

/** Outputs of at most so many records go into one batch. */
const batchRecords = 1000;
/** A batch ends with the record that brings it to so many bytes: of the source, or of what is stored where that has none. */
const batchBytes = 1024 * 1024;
/**
 * Bytes that are read, and translated, at once: no more than is wanted of the source now, and so few that what a record becomes on its
 * way is gone before the young generation is full.
 */
const mostChunkBytes = 64 * 1024;
const leastChunkBytes = 16 * 1024;

export interface TranslationOptions {
  readonly shuttle: Shuttle;
  readonly sidecars: Sidecars;
  /** Where its records come from; absent: from the lines of the file. Disposed of with the reading. */
  readonly feed?: Feed;
  /** Of a file's records, in bytes: `LongRecord` is thrown at a longer one. Absent: any. */
  readonly longest?: number;
  /** Absent: the one of `pack-codec.ts`. */
  readonly compress?: Compress;
  /** Of other readings too. Absent: each has its own. */
  readonly memory?: SpareMemory;
}

export class Translation implements Disposable {
  readonly opening: Opening;
  readonly #request: TranslationRequest;
  readonly #options: TranslationOptions;
  readonly #feed: Feed | undefined;
  readonly #batches: Generator<PackedBatch, void> | undefined;

  constructor(request: TranslationRequest, options: TranslationOptions) {
    this.#request = request;
    this.#options = options;
    const opened = options.feed === undefined ? openSource(request.path, request.root) : undefined;
    this.#feed =
      opened === undefined
        ? options.feed
        : opened.ok
          ? new FileFeed(opened.source, options.longest, Math.min(mostChunkBytes, Math.max(leastChunkBytes, request.limit)))
          : undefined;
    try {
      this.opening = opened?.ok === false ? opened : this.#open(this.#feed);
    } catch (error) {
      // Nobody else can: there is no reading.
      this[Symbol.dispose]();
      throw error;
    }
    this.#batches = this.#translate();
  }

  /** undefined: that was all of this reading. The first one comes even when nothing is new. */
  next(): PackedBatch | undefined {
    const next = this.#batches?.next();
    return next === undefined || next.done === true ? undefined : next.value;
  }

  [Symbol.dispose](): void {
    this.#batches?.return();
    this.#feed?.[Symbol.dispose]();
  }

  #open(feed: Feed | undefined): Opening {
    if (feed === undefined) throw new Error('a source without a file must come with its records');
    const { path, offset, fingerprint, identity, generation } = this.#request;
    const fresh = offset === 0 || !feed.goesOn(offset, fingerprint);
    const { size, mtimeMs, ino, birthtimeMs } = feed.facts;
    return {
      ok: true,
      source: {
        size,
        mtimeMs,
        ino,
        birthtimeMs,
        fingerprint: feed.fingerprint(),
        fresh,
        generation: fresh && offset > 0 ? generation + 1 : generation,
        compressed: this.#options.feed === undefined && isCompressed(path),
        ...((fresh ? undefined : identity) === undefined ? this.#identified(path, feed) : { identity }),
      },
    };
  }

  #identified(path: string, feed: Feed): Pick<OpenedSource, 'identity' | 'failed'> {
    const { shuttle, sidecars } = this.#options;
    try {
      return { identity: shuttle.reader.identify(path, feed.head(), sidecars) };
    } catch (error) {
      if (error instanceof LongRecord) throw error;
      return { identity: undefined, failed: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The newest batch waits until it is known whether it is the last: a small file is one batch. */
  *#translate(): Generator<PackedBatch, void> {
    if (!this.opening.ok || this.#feed === undefined) return;
    const { fresh, identity, generation } = this.opening.source;
    if (identity === undefined) return;
    const { limit, offset } = this.#request;
    const feed = this.#feed;
    const start = fresh ? 0 : offset;
    using work = new Work({ ...this.#request, generation }, this.#options, identity, start);
    let more = false;
    let read = 0;
    let waiting: PackedBatch | undefined;
    for (const piece of feed.pieces(start)) {
      read += piece.bytes?.length ?? 0;
      for (const batch of this.#request.head ? work.head(piece) : work.batches(piece)) {
        if (waiting !== undefined) yield waiting;
        waiting = batch;
      }
      // What is compressed comes without bytes.
      const taken = Math.max(read, piece.end - start);
      // A head ends with its one batch; another slice behind any record, once there is one.
      if (this.#request.head ? waiting !== undefined || taken >= headBytes : taken >= limit && piece.end > start) {
        more = feed.hasMore(piece.end);
        break;
      }
    }
    const { failure } = feed;
    if (this.#request.head && waiting === undefined) return;
    if (waiting === undefined) waiting = work.isBegun ? work.batch() : work.empty();
    else if (work.isBegun) {
      yield waiting;
      waiting = work.batch();
    }
    yield more ? { ...waiting, last: true, more, failure } : { ...waiting, ...work.ending(waiting), last: true, more, failure };
  }
}

/** The reader's state on its way through one source. */
class Work implements Disposable {
  readonly #request: TranslationRequest;
  readonly #shuttle: Shuttle;
  readonly #compress: Compress;
  readonly #stretches: NativeStretches | undefined;
  readonly #gathered: GatheredBatch;
  #state: JsonValue;
  /** Where the batch begins, and how far it goes now. */
  #from: number;
  #end: number;

  constructor(request: TranslationRequest, options: TranslationOptions, identity: SourceIdentity, start: number) {
    const { source, generation, archive } = request;
    const { shuttle } = options;
    const { reader, harness } = shuttle;
    this.#compress = options.compress ?? compress;
    this.#request = request;
    this.#shuttle = shuttle;
    this.#state = start === 0 ? reader.start(identity, request.path) : (JSON.parse(request.state) as JsonValue);
    this.#from = start;
    this.#end = start;
    this.#stretches = archive ? new NativeStretches(start, this.#compress, options.memory) : undefined;
    this.#gathered = new GatheredBatch({ harness, source, translator: reader.translator, generation }, options.memory);
  }

  /** There are records that no batch has yet. */
  get isBegun(): boolean {
    return this.#end > this.#from;
  }

  *batches({ records, end, bytes }: Piece): Iterable<PackedBatch> {
    if (bytes !== undefined) this.#stretches?.add(bytes);
    for (let at = 0; at < records.length;) {
      const part = records.slice(at, at + batchRecords - this.#gathered.records);
      at += part.length;
      const last = part.at(-1);
      this.#gather(part, at >= records.length || last === undefined ? end : last.offset + last.length);
      if (this.#gathered.records >= batchRecords) yield this.batch();
    }
    // Blank lines.
    if (end > this.#end) this.#gather([], end);
    const waiting = this.#stretches?.held ?? this.#gathered.size;
    if (this.isBegun && waiting >= batchBytes) yield this.batch();
    if (!this.isBegun) this.#stretches?.keep();
  }

  /** One of all pieces until the first prompt was among them. */
  *head({ records, end, bytes }: Piece): Iterable<PackedBatch> {
    if (bytes !== undefined) this.#stretches?.add(bytes);
    if (this.#gather(records, end).some(isTypedPrompt)) yield this.batch();
  }

  /** Of no records: what the reader knows before the first one. */
  empty(): PackedBatch {
    this.#gather([], this.#end);
    return this.batch();
  }

  /** What was gathered. */
  batch(): PackedBatch {
    const [from, offset] = [this.#from, this.#end];
    this.#from = offset;
    return {
      from,
      offset,
      state: JSON.stringify(this.#state),
      ...this.#gathered.take(this.#request.packs ? this.#compress : undefined),
      natives: this.#stretches?.through(offset) ?? [],
      last: false,
      more: true,
      failure: undefined,
    };
  }

  /** Bytes behind the last record's end, which are no record yet, are native bytes too. */
  ending(batch: PackedBatch): Pick<PackedBatch, 'natives'> {
    return { natives: [...batch.natives, ...(this.#stretches?.rest() ?? [])] };
  }

  [Symbol.dispose](): void {
    this.#stretches?.[Symbol.dispose]();
  }

  #gather(records: readonly NativeRecord[], end: number): readonly ReadOutput[] {
    const { state, outputs } = this.#shuttle.reader.read(this.#state, records);
    this.#state = state;
    this.#gathered.add(outputs, records.length);
    this.#end = end;
    return outputs;
  }
}

/** Before it nothing is known of what a session is about, nor whether Loom began it (expected.ts). */
function isTypedPrompt(output: ReadOutput): boolean {
  return output.type === 'entry' && output.kind === 'user' && isPrompt({ origin: output.content.origin });
}

/**
 * One reading of a source: opens it, finds where to go on (or that it was rewritten and is read anew), cuts records, translates them and
 * prepares what is stored. A batch ends at the end of a record. Needs no ledger, so that it can run in a thread of its own.
 */
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { Draft, NativeRecord, ReadOutput, Sidecars, SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { isCompressed, openSource } from '../../shuttles/kit/source.ts';
import { searchable } from '../ledger/searchable.ts';
import type { Searchable } from '../ledger/searchable.ts';
import { entryPacks } from './entry-packs.ts';
import { FileFeed, headBytes, LongRecord } from './feed.ts';
import type { Feed, Piece } from './feed.ts';
import { isPrompt } from './lease-standing.ts';
import { NativeStretches } from './native-stretches.ts';
import { storedContent, StoredLines } from './stored-content.ts';
import { outlined } from './translated-batch.ts';
import type { OpenedSource, Opening, TranslatedBatch, TranslationRequest } from './translated-batch.ts';

/** Outputs of at most so many records go into one batch. */
const batchRecords = 1000;
/** Bytes that are read at once: no more than is wanted of the source now. */
const mostChunkBytes = 1024 * 1024;
const leastChunkBytes = 16 * 1024;

export interface TranslationOptions {
  readonly shuttle: Shuttle;
  readonly sidecars: Sidecars;
  /** Where its records come from; absent: from the lines of the file. Disposed of with the reading. */
  readonly feed?: Feed;
  /** Of a file's records, in bytes: `LongRecord` is thrown at a longer one. Absent: any. */
  readonly longest?: number;
}

export class Translation implements Disposable {
  readonly opening: Opening;
  readonly #request: TranslationRequest;
  readonly #options: TranslationOptions;
  readonly #feed: Feed | undefined;
  readonly #batches: Iterator<TranslatedBatch, void>;

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
  next(): TranslatedBatch | undefined {
    const next = this.#batches.next();
    return next.done === true ? undefined : next.value;
  }

  [Symbol.dispose](): void {
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
  *#translate(): Generator<TranslatedBatch, void> {
    if (!this.opening.ok || this.#feed === undefined) return;
    const { fresh, identity, generation } = this.opening.source;
    if (identity === undefined) return;
    const { limit, offset } = this.#request;
    const feed = this.#feed;
    const start = fresh ? 0 : offset;
    const work = new Work({ ...this.#request, generation }, this.#options.shuttle, identity, start);
    let more = false;
    let read = 0;
    let waiting: TranslatedBatch | undefined;
    for (const piece of feed.pieces(start)) {
      read += piece.bytes?.length ?? 0;
      for (const batch of this.#request.head ? work.head(piece) : work.batches(piece)) {
        if (waiting !== undefined) yield waiting;
        waiting = batch;
      }
      // A head ends with its prompt; another slice behind any record, once there is one.
      const isOver = this.#request.head ? waiting !== undefined || read >= headBytes : piece.end > start;
      if (isOver && (piece.end - start >= limit || read >= limit)) {
        more = feed.hasMore(piece.end);
        break;
      }
    }
    const { failure } = feed;
    if (this.#request.head && waiting === undefined) return;
    if (more && waiting !== undefined) {
      yield { ...waiting, last: true, more, failure };
      return;
    }
    yield { ...(waiting ?? work.empty()), ...work.ending(waiting), last: true, more: false, failure };
  }
}

/** The reader's state on its way through one source. */
class Work {
  readonly #request: TranslationRequest;
  readonly #shuttle: Shuttle;
  readonly #stretches: NativeStretches | undefined;
  #state: JsonValue;
  #at: number;
  /** Of a head without a prompt yet. */
  readonly #outputs: ReadOutput[] = [];
  #records = 0;

  constructor(request: TranslationRequest, shuttle: Shuttle, identity: SourceIdentity, start: number) {
    this.#request = request;
    this.#shuttle = shuttle;
    this.#state = start === 0 ? shuttle.reader.start(identity, request.path) : (JSON.parse(request.state) as JsonValue);
    this.#at = start;
    this.#stretches = request.archive ? new NativeStretches(start) : undefined;
  }

  *batches(piece: Piece): Iterable<TranslatedBatch> {
    const { records, end, bytes } = piece;
    if (bytes !== undefined) this.#stretches?.add(bytes);
    for (let i = 0; i < records.length; i += batchRecords) {
      const part = records.slice(i, i + batchRecords);
      const last = part.at(-1);
      const behind = i + batchRecords >= records.length || last === undefined ? end : last.offset + last.length;
      yield this.#batch(this.#read(part), part.length, behind);
    }
    this.#stretches?.keep();
  }

  /** One of all pieces until the first prompt was among them. */
  *head({ records, end, bytes }: Piece): Iterable<TranslatedBatch> {
    if (bytes !== undefined) this.#stretches?.add(bytes);
    this.#outputs.push(...this.#read(records));
    this.#records += records.length;
    if (this.#outputs.some(isTypedPrompt)) yield this.#batch(this.#outputs, this.#records, end);
    this.#stretches?.keep();
  }

  empty(): TranslatedBatch {
    return this.#batch(this.#read([]), 0, this.#at);
  }

  /** Bytes behind the last record's end, which are no record yet, are native bytes too. */
  ending(batch: TranslatedBatch | undefined): Pick<TranslatedBatch, 'natives'> {
    return { natives: [...(batch?.natives ?? []), ...(this.#stretches?.rest() ?? [])] };
  }

  #read(records: readonly NativeRecord[]): readonly ReadOutput[] {
    const { state, outputs } = this.#shuttle.reader.read(this.#state, records);
    this.#state = state;
    return outputs;
  }

  #batch(outputs: readonly ReadOutput[], records: number, offset: number): TranslatedBatch {
    const { source, packs, generation } = this.#request;
    const { reader, harness } = this.#shuttle;
    const from = this.#at;
    this.#at = offset;
    const drafts = outputs.filter((output) => output.type === 'entry');
    const by = { harness, source, translator: reader.translator, generation };
    const stored = drafts.map((draft) => storedContent(draft, by));
    const lines = packs ? StoredLines.of(stored) : undefined;
    return {
      from,
      offset,
      records,
      state: JSON.stringify(this.#state),
      outputs: outputs.map(outlined),
      stored,
      lines,
      found: drafts.map(foundOf),
      packs: lines === undefined ? [] : entryPacks(drafts, lines),
      natives: this.#stretches?.through(offset) ?? [],
      last: false,
      more: true,
      failure: undefined,
    };
  }
}

/** Before it nothing is known of what a session is about, nor whether Loom began it (expected.ts). */
function isTypedPrompt(output: ReadOutput): boolean {
  return output.type === 'entry' && output.kind === 'user' && isPrompt({ origin: output.content.origin });
}

function foundOf(draft: Draft): Searchable | null {
  return searchable(draft.kind, draft.content) ?? null;
}

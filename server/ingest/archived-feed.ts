/** A file of lines as the archive has it, from its beginning: what a session was read from, whether or not the harness still has it. */
import type { NativeRecord } from '../../shuttles/contract/read.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';
import { isCompressed } from '../../shuttles/kit/source.ts';
import { decompress } from '../../shuttles/kit/zstd.ts';
import type { ArchivedPiece } from '../ledger/archive-chunks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import { headRecords } from './feed.ts';
import type { Feed, Piece } from './feed.ts';

export class ArchivedFeed implements Feed {
  /** Nobody asks an archived file for its times. */
  readonly facts: FileFacts;
  readonly #chunks: () => Iterable<Uint8Array>;
  readonly #isClosed: boolean;

  constructor(ledger: Ledger, source: SourceRow, generation: number) {
    const { chunks, versions } = ledger.archive;
    this.facts = { size: source.size, mtimeMs: source.mtime, ino: source.identity, birthtimeMs: source.birth };
    this.#isClosed = isCompressed(source.path);
    const version = versions.newest(source.number);
    this.#chunks = !this.#isClosed
      ? () => wholeOnes(chunks.pieces(source.number, generation))
      : () => (version === undefined ? [] : decompressed(wholeOnes(versions.pieces(source.number, version, ''))));
  }

  get failure(): string | undefined {
    return undefined;
  }

  hasMore(): boolean {
    return false;
  }

  *pieces(): Iterable<Piece> {
    const cutter = new RecordCutter(0);
    for (const chunk of this.#chunks()) yield { records: cutter.feed(chunk), end: cutter.offset };
    const rest = this.#isClosed ? cutter.finish() : [];
    if (rest.length > 0) yield { records: rest, end: cutter.offset };
  }

  head(): readonly NativeRecord[] {
    const head: NativeRecord[] = [];
    for (const { records } of this.pieces()) {
      head.push(...records.slice(0, headRecords - head.length));
      if (head.length === headRecords) break;
    }
    return head;
  }

  fingerprint(): string {
    return '';
  }

  goesOn(): boolean {
    return false;
  }

  [Symbol.dispose](): void {
    // It holds nothing.
  }
}

/** Decompressed; ends where that cannot be gone on with. */
export function* decompressed(stored: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  for (const part of decompress(stored)) {
    if (!part.ok) return;
    yield part.bytes;
  }
}

/** Up to the first one that cannot be had. */
export function* wholeOnes(pieces: Iterable<ArchivedPiece>): Generator<Uint8Array, void> {
  for (const piece of pieces) {
    if (!piece.ok) return;
    yield piece.bytes;
  }
}

/**
 * Where a source's records come from: positions that only grow, records from a position on. For a file of lines a position is a byte;
 * for a session in a container (container-feed.ts) it is the number of a record. The cursor of a source is such a position.
 */
import type { NativeRecord } from '../../shuttles/contract/read.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';
import type { Source } from '../../shuttles/kit/source.ts';

export interface Piece {
  readonly records: readonly NativeRecord[];
  /** Behind the last of them: where one goes on. */
  readonly end: number;
  /**
   * The native bytes behind those of the piece before (or from where reading began), valid until the next piece is asked for. They may go
   * on behind `end`: with the begin of a record that is not whole yet. Absent: positions are no bytes of the file.
   */
  readonly bytes?: Uint8Array;
}
export interface Feed extends Disposable {
  /** As they were when it was opened; `size` counts positions. */
  readonly facts: FileFacts;
  /** Why reading ended early; undefined: it did not. */
  readonly failure: string | undefined;
  /** Is there something behind that position? */
  hasMore(position: number): boolean;
  /** Those from `from` on. A file's last record without an end is only given when the file is closed for good. */
  pieces(from: number): Iterable<Piece>;
  /** The first records, for telling whose session it is. */
  head(): readonly NativeRecord[];
  /** Changes when what was read before is no longer the same. */
  fingerprint(): string;
  /** Was everything up to that position read from this very source? */
  goesOn(position: number, fingerprint: string): boolean;
}

/** Bytes within which a session tells whose it is and what about. */
export const headBytes = 256 * 1024;
const mostHeadBytes = 128 * 1024 * 1024;
export const headRecords = 64;

/** The source has a record that is longer than whoever reads it wants to hold. */
export class LongRecord extends Error {}

export class FileFeed implements Feed {
  readonly #source: Source;
  readonly #longest: number;
  readonly #chunk: number | undefined;
  /** What was read for the head, to be given out once more: most files are no longer than that. */
  #begun: { readonly cutter: RecordCutter; readonly pieces: readonly Piece[]; readonly rest: Iterator<Uint8Array> } | undefined;

  /** `longest`: bytes of a record, about; `LongRecord` is thrown at one that is longer. `chunk`: bytes that a piece has at most. */
  constructor(source: Source, longest = Number.MAX_SAFE_INTEGER, chunk?: number) {
    this.#source = source;
    this.#longest = longest;
    this.#chunk = chunk;
  }

  get facts(): FileFacts {
    return this.#source.facts;
  }

  get failure(): string | undefined {
    return this.#source.failure;
  }

  hasMore(position: number): boolean {
    return position < this.#source.facts.size || this.#source.compressed;
  }

  *pieces(from: number): Iterable<Piece> {
    const begun = from === 0 ? this.#begun : undefined;
    this.#begun = undefined;
    const cutter = begun?.cutter ?? new RecordCutter(from);
    if (begun !== undefined) yield* begun.pieces;
    const chunks = begun?.rest ?? this.#source.chunks(from, this.#chunk);
    for (let next = chunks.next(); next.done !== true; next = chunks.next()) yield this.#piece(cutter, next.value);
    if (!this.#source.compressed) return;
    const records = cutter.finish();
    if (records.length > 0) yield { records, end: cutter.offset };
  }

  head(): readonly NativeRecord[] {
    const cutter = new RecordCutter(0);
    const pieces: Piece[] = [];
    const head: NativeRecord[] = [];
    let bytes = 0;
    const rest = this.#source.chunks(0, this.#chunk);
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const piece = this.#piece(cutter, next.value);
      bytes += next.value.byteLength;
      head.push(...piece.records.slice(0, headRecords));
      // A record that begins within the head is read to its end: it may be the one that tells (a prompt of a megabyte).
      const isEnough = head.length >= headRecords || (cutter.offset >= headBytes && head.length > 0);
      const isLast = isEnough || bytes >= mostHeadBytes;
      // The bytes of the last one stay valid: nothing more is asked for. A `Buffer`'s own `slice` would not copy the others.
      pieces.push(isLast || piece.bytes === undefined ? piece : { ...piece, bytes: new Uint8Array(piece.bytes) });
      if (isLast) break;
    }
    if (head.length === 0 && this.#source.compressed) {
      const records = cutter.finish();
      pieces.push({ records, end: cutter.offset });
      head.push(...records.slice(0, headRecords));
    }
    this.#begun = { cutter, pieces, rest };
    return head.slice(0, headRecords);
  }

  #piece(cutter: RecordCutter, chunk: Uint8Array): Piece {
    const records = cutter.feed(chunk);
    if (cutter.pending > this.#longest) throw new LongRecord(`a record of more than ${this.#longest} bytes`);
    return { records, end: cutter.offset, ...(this.#source.compressed ? {} : { bytes: chunk }) };
  }

  fingerprint(): string {
    return this.#source.fingerprint() ?? '';
  }

  /** Not when it is another file, or shorter than what was read of it, or no longer has a record's end where the cursor is. */
  goesOn(position: number, fingerprint: string): boolean {
    const source = this.#source;
    if (source.compressed) return fingerprint === '' || source.beginsAs(fingerprint);
    if (source.facts.size < position) return false;
    if (fingerprint !== '' && !source.beginsAs(fingerprint)) return false;
    for (const chunk of source.chunks(position - 1, 1)) return chunk[0] === 10;
    return false;
  }

  [Symbol.dispose](): void {
    this.#source.close();
  }
}

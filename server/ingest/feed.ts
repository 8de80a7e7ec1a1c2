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

const headBytes = 256 * 1024;
const mostHeadBytes = 128 * 1024 * 1024;
export const headRecords = 64;

export class FileFeed implements Feed {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
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
    const cutter = new RecordCutter(from);
    for (const chunk of this.#source.chunks(from)) {
      const records = cutter.feed(chunk);
      yield { records, end: cutter.offset };
    }
    if (!this.#source.compressed) return;
    const records = cutter.finish();
    if (records.length > 0) yield { records, end: cutter.offset };
  }

  head(): readonly NativeRecord[] {
    const cutter = new RecordCutter(0);
    const head: NativeRecord[] = [];
    let bytes = 0;
    for (const chunk of this.#source.chunks(0)) {
      for (const record of cutter.feed(chunk)) head.push(record);
      bytes += chunk.byteLength;
      if ((bytes >= headBytes && head.length > 0) || bytes >= mostHeadBytes) break;
    }
    if (this.#source.compressed && head.length === 0) head.push(...cutter.finish());
    return head.slice(0, headRecords);
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
    for (const chunk of source.chunks(position - 1)) return chunk[0] === 10;
    return false;
  }

  [Symbol.dispose](): void {
    this.#source.close();
  }
}

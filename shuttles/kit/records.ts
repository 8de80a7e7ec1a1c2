/**
 * The record cutter: bytes of a session file, in chunks of any size, to native records. Bytes are split at newlines
 * first and only whole lines are decoded, so a character that is cut by a chunk or by a write is never seen torn. A last
 * line without its newline is kept until the newline comes. Any split of the same bytes gives the same records; every
 * byte that is no gap (see record.ts) lies in exactly one record. Holds at most the current line.
 */
import type { NativeRecord } from '../contract/read.ts';
import { recordsOfLine } from './line.ts';
import { damaged } from './record.ts';

/** A longer line is reported, not read: no program writes one on purpose, and it would not fit into memory well. */
export const longestLine = 64 * 1024 * 1024;

const newline = 10;
/** Enough for the text of the report. */
const keptOfLongLine = 16_384;

export class RecordCutter {
  /** The current, unfinished line: `#tail[0..#held)`, of `#pending` bytes in the source. They differ for a line that is too long. */
  #tail: Buffer = Buffer.alloc(0);
  #held = 0;
  #pending = 0;
  #offset: number;
  readonly #limit: number;

  /** `offset`: where the first chunk begins in the source; it must be the start of a line. */
  constructor(offset = 0, limit = longestLine) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** End of the last line that has its newline: where to go on after a restart. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes behind `offset` that wait for their newline. */
  get pending(): number {
    return this.#pending;
  }

  /** The records that end in this chunk. The chunk is not kept. */
  feed(chunk: Uint8Array): NativeRecord[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const records: NativeRecord[] = [];
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(newline, start);
      if (end < 0) break;
      if (this.#pending === 0) {
        if (end - start > this.#limit) records.push(this.#tooLong(bytes, start, end));
        else append(records, recordsOfLine(bytes, start, end, this.#offset - start));
        this.#offset += end - start + 1;
      } else {
        this.#keep(bytes, start, end);
        append(records, this.#takeTail());
        this.#offset += 1;
      }
      start = end + 1;
    }
    if (start < bytes.length) this.#keep(bytes, start, bytes.length);
    return records;
  }

  /** The last line of a source that is closed for good, although its newline is missing. */
  finish(): readonly NativeRecord[] {
    return this.#pending === 0 ? [] : this.#takeTail();
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    this.#pending += end - start;
    // Of a line that is too long only the beginning is kept, for the report.
    if (this.#pending > this.#limit && this.#held > keptOfLongLine) {
      this.#tail = Buffer.from(this.#tail.subarray(0, keptOfLongLine));
      this.#held = keptOfLongLine;
    }
    const room = this.#pending > this.#limit ? Math.max(0, keptOfLongLine - this.#held) : end - start;
    const length = Math.min(end - start, room);
    if (this.#held + length > this.#tail.length) {
      // Doubling, so that many small chunks cost no more than one big one.
      const grown = Buffer.allocUnsafe(Math.max(this.#held + length, this.#tail.length * 2, 4096));
      this.#tail.copy(grown, 0, 0, this.#held);
      this.#tail = grown;
    }
    bytes.copy(this.#tail, this.#held, start, start + length);
    this.#held += length;
  }

  #takeTail(): readonly NativeRecord[] {
    const records =
      this.#pending > this.#limit
        ? [this.#tooLong(this.#tail, 0, this.#held, this.#pending)]
        : recordsOfLine(this.#tail, 0, this.#held, this.#offset);
    this.#offset += this.#pending;
    this.#pending = 0;
    this.#held = 0;
    if (this.#tail.length > 1024 * 1024) this.#tail = Buffer.alloc(0);
    return records;
  }

  #tooLong(bytes: Buffer, start: number, end: number, length = end - start): NativeRecord {
    return damaged(bytes, start, end, this.#offset - start, `a line longer than ${this.#limit} bytes`, length);
  }
}

function append(records: NativeRecord[], more: readonly NativeRecord[]): void {
  for (const record of more) records.push(record);
}

/**
 * Passes on the frames of JSON-RPC (Content-Length headers, then the body) and fails at the first that is too big or no
 * frame, before anything of it is kept: the reader behind it would believe any length that it is told.
 */
import { Transform, type TransformCallback } from 'node:stream';

export class FrameLimit extends Transform {
  /** Most bytes in a body; holds from the next message on. */
  limit: number;
  /** Of the header that is being read; undefined while a body passes. */
  #header: string | undefined = '';
  #bodyLeft = 0;

  constructor(limit: number) {
    super();
    this.limit = limit;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const problem = this.#check(chunk);
    if (problem === undefined) done(null, chunk);
    else done(new Error(problem));
  }

  #check(chunk: Buffer): string | undefined {
    let at = 0;
    while (at < chunk.length) {
      if (this.#header === undefined) {
        const passed = Math.min(this.#bodyLeft, chunk.length - at);
        this.#bodyLeft -= passed;
        at += passed;
        if (this.#bodyLeft === 0) this.#header = '';
        continue;
      }
      const before = this.#header.length;
      this.#header += chunk.toString('latin1', at, at + longestHeader + 1);
      const end = this.#header.indexOf(headerEnd);
      if (end < 0) {
        if (this.#header.length > longestHeader) return 'a message header is too long';
        return undefined;
      }
      at += end + headerEnd.length - before;
      const length = /^content-length: *(\d{1,15})\r?$/im.exec(this.#header.slice(0, end))?.[1];
      if (length === undefined) return 'a message has no length';
      if (Number(length) > this.limit) return `a message of ${length} bytes is too long`;
      this.#bodyLeft = Number(length);
      this.#header = this.#bodyLeft === 0 ? '' : undefined;
    }
    return undefined;
  }
}

const headerEnd = '\r\n\r\n';
const longestHeader = 1024;

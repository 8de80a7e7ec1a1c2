/**
 * One open session file as a stream of chunks, plain or compressed with Zstandard (`.zst`: read from its start through a
 * pure decoder, since compressed data has no offsets). Offsets are bytes of the decompressed content; a plain file is read
 * from the offset on and costs what is new. Reading never throws for what a file holds: `failure` says what went wrong.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { errorCode } from './error-code.ts';
import type { FileFacts } from './file-facts.ts';
import { openBelow, type Refusal } from './opening.ts';
import { decompress } from './zstd.ts';

const chunkSize = 1024 * 1024;
const fingerprinted = 256;

export type SourceOrRefusal = { readonly ok: true; readonly source: Source } | { readonly ok: false; readonly refusal: Refusal };

/** Opens `file`, which was found by listing `root`. The caller closes the source. */
export function openSource(file: string, root: string): SourceOrRefusal {
  const opened = openBelow(file, root);
  if (!opened.ok) return opened;
  return { ok: true, source: new Source(opened.descriptor, opened.facts, isCompressed(file)) };
}

/** A compressed source is never appended to: it is closed for good, and its last record needs no newline. */
export function isCompressed(file: string): boolean {
  return file.endsWith('.zst');
}

/** Owns a descriptor: closed once, also through `using`. */
export class Source {
  /** As they were when it was opened. */
  readonly facts: FileFacts;
  readonly compressed: boolean;
  readonly #descriptor: number;
  #open = true;
  #failure: string | undefined;

  constructor(descriptor: number, facts: FileFacts, compressed: boolean) {
    this.#descriptor = descriptor;
    this.facts = facts;
    this.compressed = compressed;
  }

  /** Why the last reading ended before the end of the content; undefined: it did not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The content from `offset` to its end as it is then. A chunk (at most `size`, 1 MiB) is valid until the next one is asked for. */
  *chunks(offset = 0, size = chunkSize): Generator<Uint8Array, void> {
    this.#failure = undefined;
    if (!this.compressed) {
      yield* this.#stored(offset, Buffer.allocUnsafe(size));
      return;
    }
    let skip = offset;
    for (const part of decompress(this.#stored(0, undefined))) {
      if (!part.ok) {
        this.#failure ??= part.reason;
        return;
      }
      if (skip >= part.bytes.length) skip -= part.bytes.length;
      else {
        yield part.bytes.subarray(skip);
        skip = 0;
      }
    }
  }

  /** The file's bytes as they are stored, from `offset` to its end as it is then. A piece is valid until the next one is asked for. */
  stored(offset = 0): Iterable<Uint8Array> {
    this.#failure = undefined;
    return this.#stored(offset, Buffer.allocUnsafe(chunkSize));
  }

  /**
   * Length and hash of the first bytes as stored (at most 256): together with `ino` it says whether a file that grew is
   * still the same one. undefined: unreadable.
   */
  fingerprint(): string | undefined {
    return this.#hash(Math.min(fingerprinted, this.facts.size));
  }

  /** Does the file still begin with the bytes of which `fingerprint` was taken, maybe when it was shorter? */
  beginsAs(fingerprint: string): boolean {
    const length = Number.parseInt(fingerprint, 10);
    return length >= 0 && length <= fingerprinted && this.#hash(length) === fingerprint;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    fs.closeSync(this.#descriptor);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Bytes as stored, in `into` again and again, or each in a buffer of its own. */
  *#stored(offset: number, into: Buffer | undefined): Generator<Uint8Array, void> {
    let at = offset;
    for (;;) {
      const buffer = into ?? Buffer.allocUnsafeSlow(64 * 1024);
      const length = this.#read(buffer, at);
      if (length <= 0) return;
      at += length;
      yield buffer.subarray(0, length);
    }
  }

  #read(into: Buffer, at: number): number {
    try {
      return fs.readSync(this.#descriptor, into, 0, into.length, at);
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      this.#failure ??= `cannot be read: ${code}`;
      return -1;
    }
  }

  #hash(length: number): string | undefined {
    const bytes = Buffer.alloc(fingerprinted);
    let filled = 0;
    while (filled < length) {
      const read = this.#read(bytes.subarray(filled, length), filled);
      if (read <= 0) return undefined;
      filled += read;
    }
    return `${length}:${createHash('sha256').update(bytes.subarray(0, length)).digest('hex').slice(0, 32)}`;
  }
}

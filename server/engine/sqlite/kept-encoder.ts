/**
 * `compress` for bulk work: one zstd encoder is kept for all of it. A call of its own each makes Node take a megabyte of the system for the
 * encoder's tables, clear it and give it back, which costs as much as compressing a few kilobytes; and what it makes lies in memory that only
 * garbage collection frees. Node has no public way to keep an encoder without waiting for a thread, so this takes the one that npm's own
 * packer takes (minizlib): `_processChunk`, whose close of the encoder is passed over. It is tried once before it is used, and where
 * anything is not as expected, `compress` is what is called.
 */
/* eslint-disable no-underscore-dangle -- names of Node itself */
import zlib from 'node:zlib';
import { codecs, compress, decompress, roomFor, zstdLevel } from './pack-codec.ts';
import type { Compressed } from './pack-codec.ts';

/** Bytes of a call; longer ones go to `compress`. */
const longest = 1024 * 1024;

/** What of Node's own this needs. */
interface Encoder {
  _handle: { close: () => void } | null;
  readonly _processChunk: (bytes: Uint8Array, flush: number) => Uint8Array;
  readonly removeAllListeners: (event: string) => unknown;
}

export class KeptEncoder implements Disposable {
  #encode: ((bytes: Uint8Array) => Uint8Array) | undefined;
  #close: () => void = nothing;

  /** `make`: for tests of a Node that has none, or another one. */
  constructor(make: () => unknown = encoder) {
    try {
      this.#use(make());
      if (!this.#works()) this.#leave();
    } catch (error) {
      // Whatever another Node makes of these calls.
      if (!(error instanceof Error)) throw error;
      this.#leave();
    }
  }

  /** It is as it should be, and is used. */
  get isKept(): boolean {
    return this.#encode !== undefined;
  }

  /** As `compress`; what it made has memory of its own. */
  compress(bytes: Uint8Array): Compressed {
    if (this.#encode === undefined || bytes.length > longest) return compress(bytes);
    try {
      const packed = this.#encode(bytes);
      return packed.length < bytes.length
        ? { codec: codecs.zstd, bytes: new Uint8Array(packed) }
        : { codec: codecs.stored, bytes };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#leave();
      return compress(bytes);
    }
  }

  [Symbol.dispose](): void {
    this.#leave();
  }

  #use(made: unknown): void {
    if (!isEncoder(made)) return;
    const handle = made._handle;
    const close = handle.close.bind(handle);
    // It is told to close behind each call.
    handle.close = nothing;
    this.#close = close;
    this.#encode = (bytes) => {
      // What was made is valid until the next call.
      const packed = made._processChunk(bytes, zlib.constants.ZSTD_e_end);
      made._handle = handle;
      made.removeAllListeners('error');
      return packed;
    };
  }

  /** Two frames, one behind the other, come back. */
  #works(): boolean {
    return ['first', 'second'].every((word) => {
      const plain = Buffer.from(`the ${word} one of two `.repeat(20));
      const { codec, bytes } = this.compress(plain);
      return codec === codecs.zstd && plain.equals(decompress(codec, bytes, plain.length));
    });
  }

  #leave(): void {
    this.#encode = undefined;
    this.#close();
    this.#close = nothing;
  }
}

/** Its tables are the level's: they are cleared once. */
function encoder(): unknown {
  // Absent before Node 22.15, whatever the types say.
  const { createZstdCompress }: Partial<Pick<typeof zlib, 'createZstdCompress'>> = zlib;
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib.constants;
  return createZstdCompress?.({
    params: { [ZSTD_c_compressionLevel]: zstdLevel, [ZSTD_c_checksumFlag]: 1 },
    chunkSize: roomFor(longest),
  });
}

function isEncoder(made: unknown): made is Encoder & { _handle: { close: () => void } } {
  if (typeof made !== 'object' || made === null || !('_handle' in made) || !('_processChunk' in made)) return false;
  const { _handle: handle, _processChunk: process } = made;
  return typeof process === 'function' && typeof handle === 'object' && handle !== null && 'close' in handle;
}

function nothing(): void {
  // There is nothing to do.
}

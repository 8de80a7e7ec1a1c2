/**
 * Bytes compressed for the ledger's file. The number of the codec is stored beside them, since a file outlives the Node that wrote it: an
 * older one without zstd reads what a newer one wrote by a decoder of its own, and writes brotli. Damage is found as far as the
 * format tells it (zstd frames carry a checksum, which Node's decoder verifies), and no input makes more bytes than were declared.
 * Loads without the database, so that a worker thread can compress what another thread stores.
 */
import zlib from 'node:zlib';
import { Decompress } from 'fzstd';

export const codecs = { stored: 0, zstd: 1, brotli: 2 } as const;

export interface Compressed {
  /** One of `codecs`. */
  readonly codec: number;
  readonly bytes: Uint8Array;
}

/** The bytes are not what was compressed, or were made by a codec that this program does not know. `cause`: the decoder's own error. */
export class DamagedBytes extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DamagedBytes';
  }
}

/** Where nothing is declared. */
const mostBytes = 256 * 1024 * 1024;
/** The levels that `compress` writes with need 8 MB at most; a frame that wants more is a damaged one. */
const widestWindow = 8 * 1024 * 1024;
/** Level 3 makes what sessions hold 3 to 5 % smaller, and takes half as long again. */
export const zstdLevel = 3;
const brotliQuality = 4;
/** Bytes that are made at once: Node takes no fewer than 64. */
const leastRoom = 4096;

/** Absent before Node 22.15, whatever the types say. */
const native: Partial<Pick<typeof zlib, 'zstdCompressSync' | 'zstdDecompressSync'>> = zlib;

/** How bulk work has its bytes compressed: `compress`, or an encoder that is kept. */
export type Compress = (bytes: Uint8Array) => Compressed;

/** As they are when compressing does not pay. `writer`: for tests of what another Node writes. */
export function compress(
  bytes: Uint8Array,
  writer: 'zstd' | 'brotli' = native.zstdCompressSync === undefined ? 'brotli' : 'zstd',
): Compressed {
  const packed = writer === 'zstd' ? zstd(bytes) : brotli(bytes);
  return packed.length < bytes.length ? { codec: codecs[writer], bytes: packed } : { codec: codecs.stored, bytes };
}

/** `size`: how many bytes there must be; absent: up to 256 MB. `reader`: for tests of a Node without zstd. Throws `DamagedBytes`. */
export function decompress(
  codec: number,
  bytes: Uint8Array,
  size?: number,
  reader: 'native' | 'portable' = native.zstdDecompressSync === undefined ? 'portable' : 'native',
): Uint8Array {
  const plain = decoded(codec, bytes, size ?? mostBytes, reader);
  if (size !== undefined && plain.length !== size)
    throw new DamagedBytes(`compressed data has ${plain.length} bytes where ${size} are declared`);
  return plain;
}

/**
 * Gives the memory of what was decompressed back at once, where garbage collection would only count it, and mark everything once enough of
 * it has come together. To be called when nothing of the bytes is needed any more: they are gone, unless they share their memory with others.
 */
export function release(plain: Uint8Array): void {
  const { buffer, byteLength } = plain;
  // Of the memory that Node keeps for small buffers none takes more than half.
  if (buffer instanceof ArrayBuffer && buffer.byteLength <= byteLength + 1 && byteLength >= leastChunk) buffer.transfer(0);
}

function decoded(codec: number, bytes: Uint8Array, most: number, reader: 'native' | 'portable'): Uint8Array {
  switch (codec) {
    case codecs.stored:
      return bytes;
    case codecs.zstd:
      return failing(() => (reader === 'native' ? unzstd(bytes, most) : portableUnzstd(bytes, most)));
    case codecs.brotli:
      return failing(() => zlib.brotliDecompressSync(bytes, { maxOutputLength: Math.max(most, 1) }));
    default:
      throw new DamagedBytes(`compressed data has codec ${codec}, which this program does not know`);
  }
}

function zstd(bytes: Uint8Array): Uint8Array {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag, ZSTD_c_hashLog, ZSTD_c_chainLog } = zlib.constants;
  const tables = tablesFor(bytes.length);
  const params = {
    [ZSTD_c_compressionLevel]: zstdLevel,
    [ZSTD_c_checksumFlag]: 1,
    ...(tables === undefined ? {} : { [ZSTD_c_hashLog]: tables, [ZSTD_c_chainLog]: tables }),
  };
  // The tables are made for so many bytes.
  return zlib.zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length, chunkSize: roomFor(bytes.length) });
}

/**
 * As much as may come out (`ZSTD_COMPRESSBOUND` of zstd.h): then the encoder reads the bytes where they are and writes where they go, without
 * copies of its own, which takes a tenth less time. Memory that nothing is written into costs nothing.
 */
export function roomFor(bytes: number): number {
  const small = 128 * 1024;
  return Math.max(leastRoom, bytes + (bytes >> 8) + (bytes < small ? (small - bytes) >> 11 : 0));
}

/**
 * Logarithm of the entries in the encoder's tables; undefined: as the level has it. Those of the level are half a megabyte, and are made
 * anew for every call: for a few kilobytes that takes longer than compressing them. Smaller ones cost a few thousandths of the size.
 */
function tablesFor(bytes: number): number | undefined {
  return bytes <= 64 * 1024 ? 14 : bytes <= 256 * 1024 ? 15 : undefined;
}

function brotli(bytes: Uint8Array): Uint8Array {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  return zlib.brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: brotliQuality, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

/**
 * Node puts together what it decodes chunk by chunk: one is enough where the size is known and small. It has room for a byte more, since
 * where it is full Node makes as much again to see whether more comes. Bytes behind a frame are then passed over, so they are looked at
 * the longer way: they are damage, or an empty frame, which Node's encoder writes when what it made fills its own chunks.
 */
function unzstd(bytes: Uint8Array, most: number): Uint8Array {
  const maxOutputLength = Math.max(most, 1);
  if (most > mostChunk) return zlib.zstdDecompressSync(bytes, { chunkSize: usualChunk, maxOutputLength });
  const options = { chunkSize: Math.max(most + 1, leastChunk), maxOutputLength, info: true };
  const { buffer, engine } = zlib.zstdDecompressSync(bytes, options) as unknown as Informed;
  if (engine.bytesWritten === bytes.length) return buffer;
  return zlib.zstdDecompressSync(bytes, { chunkSize: Math.max(most, leastChunk), maxOutputLength });
}
/** What Node gives where it is asked for `info`, which its types do not tell. */
interface Informed {
  readonly buffer: Uint8Array;
  /** `bytesWritten`: how many of the compressed bytes it took. */
  readonly engine: { readonly bytesWritten: number };
}
const leastChunk = 1024;
const mostChunk = 1024 * 1024;
const usualChunk = 16 * 1024;

/** Its checksums it does not look at. */
function portableUnzstd(bytes: Uint8Array, most: number): Uint8Array {
  if (windowOf(bytes) > Math.max(widestWindow, most)) throw new DamagedBytes('compressed data asks for too much memory');
  const parts: Uint8Array[] = [];
  let length = 0;
  let isEnd = false;
  const decoder = new Decompress((part, final) => {
    length += part.length;
    if (length > most) throw new DamagedBytes(`compressed data has more than the ${most} bytes that are declared`);
    // The decoder goes on in the memory of what it gave.
    parts.push(part.slice());
    isEnd = final === true;
  });
  decoder.push(bytes, true);
  if (!isEnd) throw new DamagedBytes('compressed data is cut off');
  return Buffer.concat(parts, length);
}

/** Bytes of memory that the frame's header (RFC 8878, 3.1.1.1) asks for: a window, or the whole content where that is one segment. */
function windowOf(bytes: Uint8Array): number {
  const descriptor = bytes[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (isSingleSegment) {
    const [length, more] = (
      [
        [1, 0],
        [2, 256],
        [4, 0],
        [8, 0],
      ] as const
    )[(descriptor >> 6) as 0 | 1 | 2 | 3];
    return bytes.subarray(5, 5 + length).reduceRight((size, byte) => size * 256 + byte, 0) + more;
  }
  const window = bytes[5] ?? 0;
  const base = 2 ** (10 + (window >> 3));
  return base + (base / 8) * (window & 7);
}

/** Node's decoders fail with codes of their own, the portable one on some damage by its array accesses. */
function failing(decode: () => Uint8Array): Uint8Array {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DamagedBytes || !(error instanceof Error)) throw error;
    throw new DamagedBytes(`compressed data is damaged: ${error.message}`, error);
  }
}

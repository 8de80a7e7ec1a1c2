/**
 * A piece of a session file as the ledger keeps it: compressed, with the hash of its native bytes, so that what is given back is proven to
 * be what was read. Pure, and loads without the ledger: a worker thread makes chunks from the bytes that it has just read.
 */
import { createHash } from 'node:crypto';
import { compress, DamagedBytes, decompress } from '../engine/sqlite/pack-codec.ts';

export interface ChunkPlace {
  /** The ledger's number of the source. */
  readonly source: number;
  /** `SourceRow.generation` of the reading that these bytes belong to. */
  readonly generation: number;
  /** Bytes from the beginning of the file. */
  readonly start: number;
}
export interface ArchiveChunk extends ChunkPlace {
  /** Native bytes. */
  readonly length: number;
  /** How `bytes` are compressed (engine/sqlite/pack-codec.ts). */
  readonly codec: number;
  readonly bytes: Uint8Array;
  /** Of the native bytes. */
  readonly sha256: Uint8Array;
}

/** Longer native bytes become several chunks: reading a few bytes must not cost decompressing much more. */
export const mostChunkBytes = 1024 * 1024;

export function archiveChunk(place: ChunkPlace, native: Uint8Array): ArchiveChunk {
  const { source, generation, start } = place;
  return { source, generation, start, length: native.byteLength, ...compress(native), sha256: sha256(native) };
}

/** Consecutive chunks for these bytes; none for no bytes. */
export function archiveChunks({ source, generation, start }: ChunkPlace, native: Uint8Array): readonly ArchiveChunk[] {
  const chunks: ArchiveChunk[] = [];
  for (let at = 0; at < native.byteLength; at += mostChunkBytes)
    chunks.push(archiveChunk({ source, generation, start: start + at }, native.subarray(at, at + mostChunkBytes)));
  return chunks;
}

/** Throws `DamagedBytes` when these are not the bytes that were archived. */
export function nativeBytes({ length, codec, bytes, sha256: hash }: Omit<ArchiveChunk, keyof ChunkPlace>): Uint8Array {
  const native = decompress(codec, bytes, length);
  if (Buffer.compare(sha256(native), hash) !== 0)
    throw new DamagedBytes('archived bytes do not have the hash that they were archived with');
  return native;
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

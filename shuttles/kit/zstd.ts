/** Zstandard (RFC 8878) as a stream, bounded: no more than a small multiple of a block is decoded ahead of the reader. */
import { Decompress } from 'fzstd';

export type Part = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly reason: string };

/** What the zstd program itself takes without being told to. A bigger window is a mistake or an attack on memory. */
const widestWindow = 128 * 1024 * 1024;
/** A compressed block of 4 bytes can stand for 128 KiB: little input at a time bounds the output that waits. */
const step = 1024;

/** The chunks are kept until their block is complete: each must have a buffer of its own. */
export function* decompress(chunks: Iterable<Uint8Array>): Generator<Part, void> {
  const waiting: Uint8Array[] = [];
  const decoder = new Decompress((bytes) => {
    if (bytes.length > 0) waiting.push(bytes);
  });
  let first = true;
  for (const chunk of chunks) {
    if (first && windowOf(chunk) > widestWindow) {
      yield { ok: false, reason: 'compressed data needs too much memory' };
      return;
    }
    first = false;
    for (let at = 0; at < chunk.length; at += step) {
      const failure = push(decoder, chunk.subarray(at, at + step), false);
      for (const bytes of waiting.splice(0)) yield { ok: true, bytes };
      if (failure === undefined) continue;
      yield { ok: false, reason: failure };
      return;
    }
  }
  const failure = push(decoder, new Uint8Array(0), true);
  for (const bytes of waiting.splice(0)) yield { ok: true, bytes };
  if (failure !== undefined) yield { ok: false, reason: failure };
}

function push(decoder: Decompress, bytes: Uint8Array, final: boolean): string | undefined {
  try {
    decoder.push(bytes, final);
    return undefined;
  } catch (error) {
    // The decoder has an error of its own, with a numeric code, and fails on some damaged data by its array accesses.
    if (!(error instanceof Error)) throw error;
    const unfinished = 'code' in error && error.code === 5;
    return unfinished ? 'compressed data that is cut off' : 'damaged compressed data';
  }
}

/** The window that the frame at the start of these bytes asks for; 0 when they are no frame. */
function windowOf(bytes: Uint8Array): number {
  if (bytes.length < 18) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0xfd2fb528) return 0;
  const descriptor = view.getUint8(4);
  const singleSegment = (descriptor & 0x20) !== 0;
  if (!singleSegment) {
    const window = view.getUint8(5);
    const base = 2 ** (10 + (window >> 3));
    return base + (base / 8) * (window & 7);
  }
  const at = 5 + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  switch (descriptor >> 6) {
    case 0:
      return view.getUint8(at);
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}

/**
 * What the two threads of an import say to each other. A batch travels as a few long texts, which are copied as they are, and as buffers,
 * which are handed over: objects would be taken apart and built anew one by one.
 */
import { StoredLines } from './stored-content.ts';
import type { BatchOutput, NativeBytes, Opening, PreparedPack, TranslatedBatch, TranslationRequest } from './translated-batch.ts';

export type ToReader =
  | { readonly type: 'open'; readonly reading: number; readonly request: TranslationRequest }
  /** So many batches more may be made. */
  | { readonly type: 'more'; readonly reading: number }
  | { readonly type: 'close'; readonly reading: number };

export type FromReader =
  | { readonly type: 'opened'; readonly reading: number; readonly opening: Opening }
  | { readonly type: 'batch'; readonly reading: number; readonly batch: PackedBatch }
  | { readonly type: 'end'; readonly reading: number }
  /** `here`: it is to be read in the other thread. */
  | { readonly type: 'failed'; readonly reading: number; readonly message: string; readonly here: boolean };

/** A batch on its way from the one thread to the other. */
export interface PackedBatch extends Omit<TranslatedBatch, 'outputs' | 'stored' | 'lines' | 'found'> {
  /** JSON. */
  readonly outputs: string;
  /** What `StoredLines` hold. */
  readonly stored: Uint8Array;
  readonly ends: Uint32Array;
  readonly bodies: readonly (string | null)[];
  readonly lengths: readonly number[];
}

export function packed(batch: TranslatedBatch): { readonly batch: PackedBatch; readonly transfer: readonly ArrayBuffer[] } {
  const { stored, lines = StoredLines.of(stored), outputs, found, ...rest } = batch;
  const packs = batch.packs.map((pack): PreparedPack => ({ ...pack, contents: own(pack.contents) }));
  const natives = batch.natives.map((stretch): NativeBytes => ({ ...stretch, bytes: own(stretch.bytes) }));
  const buffers = [lines.bytes, lines.ends, ...packs.map(({ contents }) => contents), ...natives.map(({ bytes }) => bytes)];
  return {
    batch: {
      ...rest,
      outputs: JSON.stringify(outputs),
      stored: lines.bytes,
      ends: lines.ends,
      bodies: found.map((one) => one?.body ?? null),
      lengths: found.map((one) => one?.length ?? 0),
      packs,
      natives,
    },
    transfer: buffers.map(({ buffer }) => buffer as ArrayBuffer),
  };
}

export function unpacked(batch: PackedBatch): TranslatedBatch {
  const { outputs: outputsText, stored, ends, bodies, lengths, ...rest } = batch;
  const lines = new StoredLines(stored, ends);
  const outputs = JSON.parse(outputsText) as BatchOutput[];
  const found = bodies.map((body, i) => (body === null ? null : { body, length: lengths[i] ?? 0 }));
  return { ...rest, outputs, stored: lines.contents(), lines, found };
}

/** In a buffer of its own, which can be handed over: small ones lie in a common one. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}

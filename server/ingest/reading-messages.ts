/**
 * What the two threads of an import say to each other. A batch travels as a few long texts, which are copied as they are, and as buffers,
 * which are handed over: objects would be taken apart and built anew one by one.
 */
import { outlinesOf } from './outlines.ts';
import type { PackedOutlines } from './outlines.ts';
import { StoredLines } from './stored-content.ts';
import type { NativeBytes, Opening, PreparedPack, TranslatedBatch, TranslationRequest } from './translated-batch.ts';

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

/** A batch as it is made, and as it goes from the one thread to the other. */
export interface PackedBatch extends Omit<TranslatedBatch, 'outputs' | 'stored' | 'found'> {
  /** Of `outputs`. */
  readonly outlines: PackedOutlines;
  /** What `StoredLines` hold. */
  readonly stored: Uint8Array;
  readonly ends: Uint32Array;
  /** What search finds of the entries, one text behind the other, and for each the position behind it. */
  readonly bodies: Uint8Array;
  readonly bodyEnds: Uint32Array;
  /** Of `Searchable`; 0: nothing is found of the entry. */
  readonly lengths: Uint32Array;
}

/** The same in buffers that can be handed over, and these. */
export function handedOver(batch: PackedBatch): { readonly batch: PackedBatch; readonly transfer: readonly ArrayBuffer[] } {
  const packs = batch.packs.map((pack): PreparedPack => ({ ...pack, contents: ownMemory(pack.contents) }));
  const natives = batch.natives.map((stretch): NativeBytes => ({ ...stretch, bytes: ownMemory(stretch.bytes) }));
  const message = { ...batch, packs, natives };
  return { batch: message, transfer: buffersOf(message).map(({ buffer }) => buffer as ArrayBuffer) };
}

/** Gives back the memory of one that came so. */
export function free(batch: PackedBatch): void {
  for (const { buffer } of buffersOf(batch)) (buffer as ArrayBuffer).transfer(0);
}

function buffersOf({
  packs,
  natives,
  stored,
  ends,
  bodies,
  bodyEnds,
  lengths,
  outlines,
}: PackedBatch): readonly ArrayBufferView[] {
  const made = [...packs.map(({ contents }) => contents), ...natives.map(({ bytes }) => bytes)];
  return [stored, ends, bodies, bodyEnds, lengths, outlines.numbers, outlines.forms, ...made];
}

export function unpacked(batch: PackedBatch): TranslatedBatch {
  const { outlines, stored, ends, bodies, bodyEnds, lengths, ...rest } = batch;
  const found = Array.from(lengths, (length, i) =>
    length === 0 ? null : { body: bodies.subarray(bodyEnds[i - 1] ?? 0, bodyEnds[i]), length },
  );
  return { ...rest, outputs: outlinesOf(outlines), stored: new StoredLines(stored, ends).contents(), found };
}

/** In a buffer of its own, which can be handed over: small ones lie in a common one. */
function ownMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}

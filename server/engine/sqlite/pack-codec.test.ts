/** Compressed bytes come back on every Node, and what is damaged is said to be, within bounds. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { codecs, compress, DamagedBytes, decompress, release } from './pack-codec.ts';

const text = (length: number): Uint8Array => Buffer.from('one line of a session, and the next one. '.repeat(length / 40));
const writers = ['zstd', 'brotli'] as const;
const readers = ['native', 'portable'] as const;
const ways = writers.flatMap((writer) => readers.map((reader) => ({ writer, reader })));

/** Repetitive and not, from nothing to more than a block of zstd. */
const bytes = fc
  .tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 900 }), fc.uint8Array({ maxLength: 50 }))
  .map(([part, times, rest]) => Buffer.concat([...Array.from({ length: times }, () => part), rest]));

test.each(ways)('what $writer writes is read by the $reader decoder', ({ writer, reader }) => {
  fc.assert(
    fc.property(bytes, (plain) => {
      const packed = compress(plain, writer);
      expect(packed.bytes.length).toBeLessThanOrEqual(plain.length);
      const read = decompress(packed.codec, packed.bytes, plain.length, reader);
      expect(Buffer.compare(read, plain)).toBe(0);
      expect(Buffer.compare(decompress(packed.codec, packed.bytes, undefined, reader), plain)).toBe(0);
    }),
    { seed: 31, numRuns: 60 },
  );
});

test('this Node writes what it has, and what does not compress is stored as it is', () => {
  expect(compress(text(4000)).codec).toBe(codecs.zstd);
  expect(compress(text(4000), 'brotli').codec).toBe(codecs.brotli);
  const short = Buffer.from('{}');
  expect(compress(short)).toEqual({ codec: codecs.stored, bytes: short });
  expect(compress(new Uint8Array(0))).toEqual({ codec: codecs.stored, bytes: new Uint8Array(0) });
});

test.each(ways)(
  '$writer read by the $reader decoder: another length than declared is damage, and no more is made',
  ({ writer, reader }) => {
    const plain = text(4_000_000);
    const packed = compress(plain, writer);
    for (const size of [0, 1, plain.length - 1, plain.length + 1])
      expect(() => decompress(packed.codec, packed.bytes, size, reader)).toThrow(DamagedBytes);
    expect(() => decompress(codecs.stored, plain, 1, reader)).toThrow(DamagedBytes);
  },
);

test.each(ways)(
  '$writer read by the $reader decoder: cut off or changed anywhere, it is read or is damage, never another failure',
  ({ writer, reader }) => {
    const plain = text(2000);
    const packed = compress(plain, writer);
    const read = (damaged: Uint8Array): Uint8Array | undefined => {
      try {
        return decompress(packed.codec, damaged, plain.length, reader);
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedBytes);
        return undefined;
      }
    };
    for (let length = 0; length < packed.bytes.length - 4; length++)
      expect(read(packed.bytes.subarray(0, length))).toBeUndefined();
    for (let at = 0; at < packed.bytes.length; at++)
      for (const bit of [1, 16, 128]) {
        const changed = Uint8Array.from(packed.bytes);
        changed[at] = (changed[at] ?? 0) ^ bit;
        const result = read(changed);
        if (result !== undefined) expect(result.length).toBe(plain.length);
        // A frame's checksum tells any change of its content; the header's reserved bits change nothing.
        if (result !== undefined && writer === 'zstd' && reader === 'native') expect(Buffer.compare(result, plain)).toBe(0);
      }
  },
);

test('bytes of another format, and a codec that is not known, are damage', () => {
  for (const reader of readers)
    for (const codec of [codecs.zstd, codecs.brotli, 3, -1, Number.NaN])
      expect(() => decompress(codec, text(400), 400, reader)).toThrow(DamagedBytes);
});

test('a header that asks for gigabytes is damage to the decoder that would allocate them', () => {
  const { bytes: frame } = compress(text(4000), 'zstd');
  const single = Buffer.concat([frame.subarray(0, 4), Buffer.from([0xe4]), Buffer.alloc(8, 0x7f), frame.subarray(7)]);
  const window = Buffer.concat([frame.subarray(0, 4), Buffer.from([0x04, 0xff]), frame.subarray(7)]);
  for (const damaged of [single, window])
    expect(() => decompress(codecs.zstd, damaged, 4000, 'portable')).toThrow('asks for too much memory');
});

// What Node's encoder writes when what it made fills its own chunks.
const emptyFrame = Buffer.from('28b52ffd240001000099e9d851', 'hex');

test('behind a frame an empty one is nothing, and whatever else stands there is damage', () => {
  for (const length of [4000, 400_000]) {
    const plain = text(length);
    const { bytes: frame } = compress(plain, 'zstd');
    const behind = (rest: Uint8Array): Uint8Array =>
      decompress(codecs.zstd, Buffer.concat([frame, rest]), plain.length, 'native');
    expect(Buffer.compare(behind(emptyFrame), plain)).toBe(0);
    for (const rest of [Buffer.from('more'), Buffer.from([0]), frame, emptyFrame.subarray(0, 7)])
      expect(() => behind(rest)).toThrow(DamagedBytes);
  }
});

test('what is given back is gone at once, unless its memory is shared', () => {
  const plain = text(40_000);
  const { codec, bytes: packed } = compress(plain);
  const read = decompress(codec, packed, plain.length);
  release(read);
  expect(read.length).toBe(0);
  const part = plain.subarray(10, 30_000);
  release(part);
  expect(part.length).toBe(29_990);
  for (const small of [Buffer.from('a few bytes'), new Uint8Array(0)]) {
    const { length } = small;
    release(small);
    expect(small.length).toBe(length);
  }
});

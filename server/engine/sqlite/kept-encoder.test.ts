/** What a kept encoder makes comes back on every Node, and where Node is not as it was, the usual way is gone. */
/* eslint-disable no-underscore-dangle -- names of Node itself */
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeptEncoder } from './kept-encoder.ts';
import { codecs, compress, decompress } from './pack-codec.ts';

const line = 'one line of a session, and the next one. ';
/** From nothing to more than a block of zstd, repetitive and not. */
const bytes = fc
  .tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 900 }), fc.uint8Array({ maxLength: 50 }))
  .map(([part, times, rest]) => Buffer.concat([...Array.from({ length: times }, () => part), rest]));

function expectSame(encoder: KeptEncoder, plain: Uint8Array): void {
  const { codec, bytes: packed } = encoder.compress(plain);
  expect(packed.length).toBeLessThanOrEqual(plain.length);
  for (const reader of ['native', 'portable'] as const)
    for (const size of [plain.length, undefined]) expect(Buffer.compare(decompress(codec, packed, size, reader), plain)).toBe(0);
}

test('what it makes, call behind call, is read by every decoder', () => {
  using encoder = new KeptEncoder();
  expect(encoder.isKept).toBe(true);
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 5 }), (all) => {
      for (const plain of all) expectSame(encoder, plain);
    }),
    { seed: 32, numRuns: 40 },
  );
  expect(encoder.isKept).toBe(true);
});

test('long after short and short after long: a frame begins anew each time', () => {
  using encoder = new KeptEncoder();
  const lengths = [10, 1_048_576, 100, 1_048_575, 1_048_577, 4_000_000, 65_536, 300];
  for (const length of lengths) expectSame(encoder, Buffer.from(line.repeat(length / line.length + 1)).subarray(0, length));
});

test('what it made stays as it is when more is made, and has memory of its own', () => {
  using encoder = new KeptEncoder();
  const plain = Buffer.from(line.repeat(100));
  const first = encoder.compress(plain).bytes;
  encoder.compress(Buffer.from('something else '.repeat(400)));
  expect(first.byteLength).toBe(first.buffer.byteLength);
  expect(Buffer.compare(decompress(codecs.zstd, first, plain.length), plain)).toBe(0);
});

test('what does not get shorter is stored as it is', () => {
  using encoder = new KeptEncoder();
  const short = Buffer.from('{}');
  expect(encoder.compress(short)).toEqual({ codec: codecs.stored, bytes: short });
  expect(encoder.compress(new Uint8Array(0)).codec).toBe(codecs.stored);
});

const real = (): object => zlib.createZstdCompress();
const others: Readonly<Record<string, () => unknown>> = {
  'has none': () => undefined,
  'throws when one is made': () => {
    throw new TypeError('no such parameter');
  },
  'has no handle': () => ({ _processChunk: () => new Uint8Array(0), removeAllListeners: () => undefined }),
  'has a handle that nobody closes': () => ({ _handle: {}, _processChunk: () => new Uint8Array(0) }),
  'has no way to call it at once': () => ({ _handle: { close: () => undefined } }),
  'makes other bytes': () => Object.assign(real(), { _processChunk: () => Buffer.from('no frame') }),
  'answers later': () => Object.assign(real(), { _processChunk: () => undefined }),
};
test.each(Object.entries(others))('a Node that %s: it is compressed as usual', (_, make) => {
  using encoder = new KeptEncoder(make);
  expect(encoder.isKept).toBe(false);
  const plain = Buffer.from(line.repeat(100));
  expect(encoder.compress(plain)).toEqual(compress(plain));
});

test('one that fails later is used no more, and nothing is lost', () => {
  const made = zlib.createZstdCompress() as unknown as { _processChunk: (bytes: Uint8Array, flush: number) => Uint8Array };
  const usual = made._processChunk.bind(made);
  let fails = false;
  made._processChunk = (plain, flush) => {
    if (fails) throw new Error('out of memory');
    return usual(plain, flush);
  };
  using encoder = new KeptEncoder(() => made);
  expect(encoder.isKept).toBe(true);
  fails = true;
  expectSame(encoder, Buffer.from(line.repeat(100)));
  expect(encoder.isKept).toBe(false);
});

import { expect, test } from 'vitest';
import fc from 'fast-check';
import { nativeBytes } from '../ledger/archive-chunk.ts';
import { compress } from '../engine/sqlite/pack-codec.ts';
import { NativeStretches } from './native-stretches.ts';
import { SpareMemory } from './spare-memory.ts';
import type { NativeBytes } from './translated-batch.ts';

const seed = 20_261_130;
const megabyte = 1024 * 1024;

/** As a file is read: each piece in the same memory as the one before. */
function* piecesOf(native: Buffer, length: number): Generator<Buffer, void> {
  const memory = Buffer.allocUnsafe(length);
  for (let at = 0; at < native.length; at += length) {
    const size = native.copy(memory, 0, at, Math.min(at + length, native.length));
    yield memory.subarray(0, size);
    memory.fill(0xee);
  }
}

function isWhole(stretches: readonly NativeBytes[], native: Buffer): void {
  let at = 0;
  for (const stretch of stretches) {
    expect(stretch.start).toBe(at);
    expect(stretch.length).toBeLessThanOrEqual(megabyte);
    expect(Buffer.compare(nativeBytes(stretch), native.subarray(at, at + stretch.length))).toBe(0);
    at += stretch.length;
  }
  expect(at).toBe(native.length);
}

/** Lines of all lengths, some of which nothing compresses. */
function linesOf(lengths: readonly number[]): Buffer {
  let state = 1;
  return Buffer.concat(
    lengths.map((length, i) => {
      const line = Buffer.alloc(length + 1, 0x61 + (i % 26));
      if (i % 3 === 0)
        for (let at = 0; at < length; at++) line[at] = ((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24) | 0x80;
      line[length] = 10;
      return line;
    }),
  );
}

function stretchesOf(native: Buffer, piece: number, memory?: SpareMemory): NativeBytes[] {
  using stretches = new NativeStretches(0, compress, memory);
  const made: NativeBytes[] = [];
  let at = 0;
  for (const bytes of piecesOf(native, piece)) {
    stretches.add(bytes);
    at += bytes.length;
    made.push(...stretches.through(native.lastIndexOf(10, at - 1) + 1));
    stretches.keep();
  }
  return [...made, ...stretches.rest()];
}

test('the bytes of a record that goes on in the next piece are those of the file, though pieces share their memory', () => {
  const memory = new SpareMemory();
  fc.assert(
    fc.property(fc.array(fc.nat(400), { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 500 }), (lengths, piece) => {
      const native = linesOf(lengths);
      isWhole(stretchesOf(native, piece), native);
      isWhole(stretchesOf(native, piece, memory), native);
    }),
    { seed, numRuns: 300 },
  );
});

test('a record of several megabytes is cut into stretches, each of its own bytes', () => {
  const native = linesOf([700_000, 3_500_000, 10, 1_200_000]);
  isWhole(stretchesOf(native, megabyte), native);
  isWhole(stretchesOf(native, megabyte, new SpareMemory()), native);
  isWhole(stretchesOf(native, 300_000), native);
});

test('two sources that are read in turn have their own bytes, in memory that a third one had before', () => {
  const memory = new SpareMemory();
  stretchesOf(linesOf([700_000, 300_000]), 50_000, memory);
  const natives = [linesOf([40_000, 900_000, 10]), linesOf([1000, 2_300_000, 70_000])];
  const both = natives.map((native) => ({
    native,
    made: [] as NativeBytes[],
    stretches: new NativeStretches(0, compress, memory),
  }));
  for (let at = 0; at < 2_500_000; at += 64 * 1024)
    for (const { native, made, stretches } of both) {
      const end = Math.min(at + 64 * 1024, native.length);
      if (at >= end) continue;
      stretches.add(native.subarray(at, end));
      made.push(...stretches.through(native.lastIndexOf(10, end - 1) + 1));
      stretches.keep();
    }
  for (const { native, made, stretches } of both) {
    made.push(...stretches.rest());
    stretches[Symbol.dispose]();
    isWhole(made, native);
  }
});

/** Numbers of every length come back, and bytes that end too soon say so. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberReader, writeNumber, writeStep } from './short-numbers.ts';

const edges = [7, 14, 21, 28, 31, 32, 49].flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]);
const numbers = [0, 1, ...edges, Number.MAX_SAFE_INTEGER];

function written(values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) writeNumber(bytes, value);
  return Uint8Array.from(bytes);
}

test('numbers and steps of every length are read as they were written', () => {
  const reader = new NumberReader(written(numbers));
  expect(numbers.map(() => reader.number())).toEqual(numbers);
  expect([reader.isEnd, reader.isCut]).toEqual([true, false]);
  const steps = edges.flatMap((edge) => [edge, -edge]);
  const bytes: number[] = [];
  for (const step of steps) writeStep(bytes, step);
  const stepReader = new NumberReader(Uint8Array.from(bytes));
  expect(steps.map(() => stepReader.step())).toEqual(steps);
});

test('any number that is cut off is said to be, and none before it', () => {
  for (const value of numbers) {
    const bytes = written([5, value]);
    for (let length = 1; length < bytes.length; length++) {
      const reader = new NumberReader(bytes.subarray(0, length));
      expect([reader.number(), reader.isCut]).toEqual([5, false]);
      reader.number();
      expect([reader.isEnd, reader.isCut]).toEqual([true, true]);
    }
  }
});

test('any bytes can be read to their end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const reader = new NumberReader(bytes);
      for (let read = 0; !reader.isEnd; read++) {
        expect(reader.number()).toBeGreaterThanOrEqual(0);
        expect(read).toBeLessThan(bytes.length);
      }
    }),
    { seed: 5, numRuns: 500 },
  );
});

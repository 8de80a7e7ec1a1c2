/** The wire format: what is written comes back, and bytes that are no message are none. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from './wire.ts';
import type { WireField } from './wire.ts';

function varint(value: number): readonly number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  return [...out, rest];
}
const number = (field: number, value: number): readonly number[] => [...varint(field * 8), ...varint(value)];
const block = (field: number, bytes: Uint8Array): readonly number[] => [
  ...varint(field * 8 + 2),
  ...varint(bytes.length),
  ...bytes,
];

const anyField = fc.oneof(
  fc.record({
    number: fc.integer({ min: 1, max: 536_870_911 }),
    wire: fc.constant(0 as const),
    value: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  }),
  fc.record({
    number: fc.integer({ min: 1, max: 536_870_911 }),
    wire: fc.constant(2 as const),
    value: fc.uint8Array({ maxLength: 300 }),
  }),
  fc.record({
    number: fc.integer({ min: 1, max: 536_870_911 }),
    wire: fc.constant(1 as const),
    value: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  }),
  fc.record({
    number: fc.integer({ min: 1, max: 536_870_911 }),
    wire: fc.constant(5 as const),
    value: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  }),
);

test('fields come back in their order, numbers up to 2^53', () => {
  const plain = (fields: readonly WireField[] | undefined): unknown =>
    fields?.map((each) => ({ ...each, value: each.wire === 0 ? each.value : [...each.value] }));
  fc.assert(
    fc.property(fc.array(anyField, { maxLength: 20 }), (fields) => {
      expect(plain(decode(encode(fields))?.fields)).toEqual(plain(fields));
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('numbers and blocks are written as the format says, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(anyField, { maxLength: 20 }), (fields) => {
      const bytes = fields.flatMap((each) => {
        if (each.wire === 0) return number(each.number, each.value);
        return each.wire === 2 ? block(each.number, each.value) : [...varint(each.number * 8 + each.wire), ...each.value];
      });
      expect([...encode(fields)]).toEqual(bytes);
    }),
    { seed: 6, numRuns: 200 },
  );
});

test('any bytes at all are read without a fault, and a message that is cut off is none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const message = decode(bytes);
      for (const { number: field } of message?.fields ?? []) {
        message?.sub(field);
        message?.subs(field);
        message?.nums(field);
        message?.str(field);
      }
    }),
    { seed: 4, numRuns: 500 },
  );
  const whole = Uint8Array.from(block(3, Uint8Array.from([1, 2, 3, 4])));
  for (let length = 1; length < whole.length; length++) expect(decode(whole.subarray(0, length)), String(length)).toBeUndefined();
  expect(decode(Uint8Array.from([0x0b]))).toBeUndefined();
  expect(decode(Uint8Array.from(Array.from({ length: 11 }, () => 0xff)))).toBeUndefined();
});

test('repeated numbers are read packed and one by one', () => {
  expect(decode(Uint8Array.from([...number(2, 7), ...block(2, Uint8Array.from([...varint(300), 1]))]))?.nums(2)).toEqual([
    7, 300, 1,
  ]);
});

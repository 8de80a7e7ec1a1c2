import { expect, test } from 'vitest';
import { SpareMemory } from './spare-memory.ts';

const megabyte = 1024 * 1024;

test('what was given back is given out again, and never to two at a time', () => {
  const memory = new SpareMemory();
  const first = memory.take(10);
  const second = memory.take(10);
  expect(second.buffer).not.toBe(first.buffer);
  memory.give(first);
  expect(memory.take(megabyte)).toBe(first);
  expect(memory.take(megabyte).buffer).not.toBe(first.buffer);
});

test('as much as is asked for, and what is longer than usual is not kept', () => {
  const memory = new SpareMemory();
  const long = memory.take(5 * megabyte);
  expect(long.length).toBe(5 * megabyte);
  memory.give(long);
  expect(memory.take(10).length).toBeLessThan(5 * megabyte);
  memory.give(memory.take(10));
  expect(memory.take(3 * megabyte).length).toBeGreaterThanOrEqual(3 * megabyte);
});

test('of many pieces that are given back a few are kept', () => {
  const memory = new SpareMemory();
  const all = Array.from({ length: 20 }, () => memory.take(10));
  for (const piece of all) memory.give(piece);
  const again = Array.from({ length: 20 }, () => memory.take(10));
  const kept = again.filter((piece) => all.includes(piece));
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.length).toBeLessThan(10);
});

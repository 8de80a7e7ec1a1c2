import type { BigIntStats } from 'node:fs';
import { expect, test } from 'vitest';
import { FolderMemory, stampOf } from './folder-memory.ts';

const now = 1_796_000_000_000;
const stats = (mtimeMs: number, ino = 1n): BigIntStats =>
  ({ dev: 1n, ino, mtimeNs: BigInt(mtimeMs) * 1_000_000n, ctimeNs: BigInt(mtimeMs) * 1_000_000n }) as BigIntStats;
const inner = [{ relative: 'a/b', depth: 2 }];

test('a folder that has not changed is passed over, and what lies below it is gone on with', () => {
  const memory = new FolderMemory(0);
  const old = stats(now - 60_000);
  memory.looked('a', old, now, inner, 3, false);
  expect(memory.settled('a', stampOf(old))).toBe(inner);
  expect(memory.settled('a', stampOf(stats(now - 50_000)))).toBeUndefined();
  expect(memory.settled('a', stampOf(stats(now - 60_000, 2n)))).toBeUndefined();
});

test('a folder that changed just now, or in a future that a clock came back from, is looked into again', () => {
  const memory = new FolderMemory(0);
  for (const at of [now - 1000, now, now + 86_400_000]) {
    memory.looked('a', stats(at), now, inner, 3, false);
    expect(memory.settled('a', stampOf(stats(at))), String(at - now)).toBeUndefined();
  }
});

test('a folder whose files change without their own facts is always looked into', () => {
  const memory = new FolderMemory(0);
  memory.looked('a', stats(1), now, inner, 3, true);
  expect(memory.settled('a', stampOf(stats(1)))).toBeUndefined();
});

test('every folder has its turn within thirty sweeps, whether it is large, small or empty, and a sweep takes a thirtieth of them', () => {
  const memory = new FolderMemory(0);
  const sizes = new Map(Array.from({ length: 900 }, (_, i) => [`f${i}`, i % 3 === 0 ? 0 : i % 100]));
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const [folder, size] of sizes) memory.looked(folder, stats(1), now, [], size, false);
  const seen = new Set<string>();
  for (let sweep = 0; sweep < 30; sweep++) {
    const due = memory.due();
    expect([...due].reduce((sum, folder) => sum + (sizes.get(folder) ?? 0), 0)).toBeLessThan(all / 10);
    for (const folder of due) {
      seen.add(folder);
      memory.looked(folder, stats(1), now, [], sizes.get(folder) ?? 0, false);
    }
  }
  expect(seen.size).toBe(900);
});

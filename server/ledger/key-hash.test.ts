import { expect, test } from 'vitest';
import { KeyHash } from './key-hash.ts';

test('a name has the hash that files of the ledger hold for it', () => {
  const hash = new KeyHash();
  // As the reference implementation gives it for the UTF-16 form (little-endian) of the text: the first 8 bytes.
  const known: readonly (readonly [string, bigint])[] = [
    ['', 0n],
    ['a', -3679634542697926250n],
    ['msg:1', 2615811204949180226n],
    ['d5fdd635-ee1d-47f0-ad0c-6148d339cc27', 6750711165016953702n],
    ['codex:00076594090f96817320755ecdb87b1c', -6579839534326828195n],
    ['call:toolu_0004c7387ad520afe36828f7', 5794070292236988634n],
    ['é中😀', 1546375434381992288n],
    ['x'.repeat(8), 6799624230411378156n],
    ['x'.repeat(9), 8511170761412990073n],
    ['x'.repeat(15), 5766438962945256837n],
  ];
  for (const [name, value] of known) expect(hash.take(name).value, name).toBe(value);
});

test('names that differ in one sign have other hashes in both halves', () => {
  const hash = new KeyHash();
  const halves = [new Set<number>(), new Set<number>()] as const;
  const names: string[] = [];
  // As uuids of version 1: only the first half differs.
  for (let n = 0; n < 5000; n++) names.push(`${n.toString(16).padStart(8, '0')}-9f7c-11ee-8c90-0242ac120002`);
  for (const name of names) {
    const [low, high] = hash.take(name).words;
    halves[0].add(low ?? 0);
    halves[1].add(high ?? 0);
  }
  for (const half of halves) expect(half.size).toBeGreaterThan(names.length - 3);
});

/** Open packs are kept within a bound of memory, and one is never taken for another that has its number now. */
import { expect, test } from 'vitest';
import type { EntryHeader } from '../records.ts';
import { OpenPack } from './open-pack.ts';
import type { PackPlace } from './open-pack.ts';
import { PackCache } from './pack-cache.ts';
import { compress } from './pack-codec.ts';
import { encodeHeaders } from './pack-headers.ts';

function opened(pack: number, first: number, bytes: number): OpenPack {
  const entries = Array.from({ length: 4 }, (_, i): EntryHeader => ({ id: first + i, conversationId: 1, kind: 'note' }));
  const place: PackPlace = { session: 1, conversation: 1, first, last: first + 3, count: 4, pack };
  const made = new OpenPack(place, encodeHeaders(entries));
  const plain = Buffer.from(entries.map(() => JSON.stringify('x'.repeat(bytes / 4))).join('\n'));
  const { codec, bytes: contents } = compress(plain);
  made.load({ codec, size: plain.length, contents });
  return made;
}

test('the packs that were used last are kept, within the bound', () => {
  const cache = new PackCache(100_000);
  const packs = [1, 2, 3, 4, 5].map((number) => opened(number, number * 10, 30_000));
  const [first, second, third, ...others] = packs;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no packs');
  for (const pack of [first, second, third]) cache.put(pack);
  expect(cache.bytes).toBeLessThanOrEqual(100_000);
  expect(cache.get(first.place)).toBe(first);
  for (const pack of others) cache.put(pack);
  expect([second, third, first, ...others].map((pack) => cache.get(pack.place) === pack)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(cache.bytes).toBe([first, ...others].reduce((sum, pack) => sum + pack.bytes, 0));
  cache.clear();
  expect([cache.bytes, cache.get(first.place)]).toEqual([0, undefined]);
});

test('a pack that is greater than the bound is not kept, and its growth counts', () => {
  const cache = new PackCache(50_000);
  cache.put(opened(1, 10, 20_000));
  cache.put(opened(2, 20, 80_000));
  expect(cache.bytes).toBe(0);
  const pack = opened(3, 30, 20_000);
  cache.put(pack);
  cache.put(pack);
  expect(cache.bytes).toBe(pack.bytes);
});

test('a pack that has a number that was another one’s is another pack', () => {
  const cache = new PackCache();
  const old = opened(1, 10, 100);
  cache.put(old);
  for (const change of [{ session: 2 }, { conversation: 2 }, { first: 9 }, { last: 14 }, { count: 5 }]) {
    cache.put(old);
    expect(cache.get({ ...old.place, ...change })).toBeUndefined();
    expect(cache.bytes).toBe(0);
  }
});

test('a loaded pack counts the bytes that it holds', () => {
  const place: PackPlace = { session: 1, conversation: 1, first: 1, last: 1, count: 1, pack: 1 };
  const headers = encodeHeaders([{ id: 1, conversationId: 1, kind: 'note' }]);
  const [ascii, wide] = ['a', 'あ'].map((sign) => {
    const pack = new OpenPack(place, headers);
    const plain = Buffer.from(JSON.stringify(sign.repeat(1000)));
    pack.load({ codec: 0, size: plain.length, contents: plain });
    return pack.bytes;
  });
  expect((wide ?? 0) - (ascii ?? 0)).toBe(2000);
});

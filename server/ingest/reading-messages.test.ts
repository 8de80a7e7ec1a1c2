import { expect, test } from 'vitest';
import { compress } from '../engine/sqlite/pack-codec.ts';
import { GatheredBatch } from './gathered-batch.ts';
import { free, handedOver, unpacked } from './reading-messages.ts';
import type { PackedBatch } from './reading-messages.ts';
import type { Draft } from '../../shuttles/contract/read.ts';

const draft: Draft = {
  type: 'entry',
  kind: 'notice',
  content: { kind: 'other', text: 'something was said ü' } as never,
  at: 1,
  trust: 'harness',
  place: { kind: 'tip' },
  keys: ['a'],
  offset: 0,
  length: 10,
};

/** As the other thread hears it. */
function heard(): PackedBatch {
  const gathered = new GatheredBatch({ harness: 'claude', source: 1, translator: 1, generation: 0 });
  gathered.add(
    Array.from({ length: 20 }, () => draft),
    20,
  );
  const natives = [{ start: 0, length: 3, codec: 0, bytes: Buffer.from('abc'), sha256: new Uint8Array(32) }];
  const ends = { from: 0, offset: 3, state: 'null', last: true, more: false, failure: undefined };
  const { batch, transfer } = handedOver({ ...gathered.take(compress), ...ends, natives });
  return structuredClone(batch, { transfer: [...transfer] });
}

test('a batch arrives with what was gathered, and all of its memory is given back at once', () => {
  const batch = heard();
  const { stored, found, outputs } = unpacked(batch);
  expect(outputs).toHaveLength(20);
  expect(stored[19]?.content).toMatchObject({ text: 'something was said ü' });
  expect(Buffer.from(found[19]?.body ?? '').toString()).toBe('something was said ü');
  const { packs, natives, bodies, bodyEnds, lengths, ends, outlines } = batch;
  const memory = [...packs.map(({ contents }) => contents), ...natives.map(({ bytes }) => bytes)];
  memory.push(batch.stored, bodies);
  const columns = [ends, bodyEnds, lengths, outlines.numbers, outlines.forms];
  expect([...memory, ...columns].every(({ byteLength }) => byteLength > 0)).toBe(true);
  expect(packs).toHaveLength(1);
  free(batch);
  expect([...memory, ...columns].every(({ byteLength }) => byteLength === 0)).toBe(true);
});

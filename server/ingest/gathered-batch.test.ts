import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchable } from '../ledger/searchable.ts';
import type { Draft } from '../../shuttles/contract/read.ts';
import { GatheredBatch } from './gathered-batch.ts';
import { SpareMemory } from './spare-memory.ts';
import { textBetween } from './text-bytes.ts';

/** Names with words inside, versions, signs of every width, lone halves of one, blanks. */
const part = fc.oneof(
  fc.constantFrom(
    'chargeCustomer',
    'XMLHttpRequest',
    'v2.10',
    ' ',
    '\n',
    '支払い',
    'ＡＢＣ',
    'e\u0301',
    '\ud800',
    '\ue011',
    'naïveBayes',
    '🙂',
  ),
  fc.string({ maxLength: 8 }),
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

function draftOf(said: string): Draft {
  return {
    type: 'entry',
    kind: 'user',
    content: { content: [{ type: 'text', text: said }], origin: 'typed' },
    at: null,
    trust: 'user',
    place: { kind: 'tip' },
    keys: ['k'],
    offset: 0,
    length: 1,
  };
}

const spare = new SpareMemory();
test.each([
  ['of its own', undefined],
  ['that others use in turn', spare],
])('what a batch gathers for search, in memory %s, is what searchable tells of each entry, alone', (_, memory) => {
  const gathered = new GatheredBatch({ harness: 'claude', source: 1, translator: 1, generation: 0 }, memory);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const drafts = texts.map(draftOf);
      gathered.add(drafts, drafts.length);
      const { bodies, bodyEnds, lengths } = gathered.take(undefined);
      // Whoever takes it next writes over it.
      const others = [spare.take(1), spare.take(1)];
      for (const other of others) spare.give(other.fill(0xee, 0, 4096));
      const found = drafts.map(({ kind, content }) => searchable(kind, content));
      expect(Array.from(lengths)).toEqual(found.map((one) => one?.length ?? 0));
      const bodyOf = (i: number): string => textBetween(bodies, bodyEnds[i - 1] ?? 0, bodyEnds[i] ?? 0);
      expect(Array.from(found.keys(), bodyOf)).toEqual(found.map((one) => (one?.body ?? '').toWellFormed()));
    }),
    { seed: 31, numRuns: 400 },
  );
});

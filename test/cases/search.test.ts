import path from 'node:path';
import { expect, test } from 'vitest';
import { search } from '../../server/ledger/search.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { cases, HomeLedger } from '../home-ledger.ts';

test('case 21: every piece of a prompt with special characters is found by typing it, and no query throws', async () => {
  await using home = new HomeLedger(path.join(cases, '21-search-special-characters/home'));
  await home.catchUp();
  const [thread] = home.ledger.threads.newest(10);
  if (thread === undefined) throw new Error('the case has no thread');
  const entries = await allEntries(home.ledger, thread.session, thread.current_conversation);
  const prompts = entries.flatMap((entry) => (entry.kind === 'user' ? entry.content.content.map((block) => ('text' in block ? block.text : '')) : []));
  expect(prompts.length).toBeGreaterThanOrEqual(2);
  for (const prompt of prompts)
    for (const piece of prompt.split(/\s+/u).filter((part) => /[\p{L}\p{N}]/u.test(part))) {
      const { hits, hint } = await search(home.ledger, { words: piece, limit: 20 });
      expect(hits.length, piece).toBeGreaterThan(0);
      expect(hint).toBeNull();
    }
  for (const words of ['', '  ', 'AND', '"', '*', '( ) :', 'NOT', '^', "'"]) {
    const { hits, hint } = await search(home.ledger, { words, limit: 20 });
    if (!/[\p{L}\p{N}]/u.test(words)) expect([hits.length, typeof hint], words).toEqual([0, 'string']);
  }
});

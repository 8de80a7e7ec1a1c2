/** A file that is not read since a better one tells its session is known to be that, and not to be no session. */
import { expect, test } from 'vitest';
import { passedOver } from '../../server/ingest/withdrawal.ts';
import { AntigravityHome, answer, prompt } from '../antigravity-home.ts';
import { HomeLedger } from '../home-ledger.ts';

const id = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';
const line = {
  step_index: 0,
  source: 'USER_EXPLICIT',
  type: 'USER_INPUT',
  status: 'DONE',
  created_at: '2026-11-30T10:00:00Z',
  content: 'One.',
};

test.each(['together', 'the better one later'])('a transcript beside its store is counted as passed over (%s)', async (order) => {
  using files = new AntigravityHome();
  await using home = new HomeLedger(files.home);
  files.transcript(id, 'cut', [line]);
  if (order !== 'together') await home.catchUp();
  files.store(id, [prompt(0, 'One.'), answer(1, 'Done.')]);
  await home.catchUp();
  expect(home.ledger.threads.newest(10)).toHaveLength(1);
  expect(home.ledger.sources.countSaying('ignored', passedOver)).toBe(1);
});
